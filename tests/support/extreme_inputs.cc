// SPDX-License-Identifier: Apache-2.0
#include "tests/support/extreme_inputs.h"

#include <cstring>
#include <functional>

#include "zoo/random.h"

namespace thimble::testing {
namespace {

/// Elements of an integer type at its ends; floats of some size.
Bytes ends(const Tensor& tensor, const std::function<bool(size_t)>& is_most) {
  if (tensor.type == DType::kFloat32) {
    Bytes bytes(static_cast<size_t>(tensor.size_bytes()));
    for (size_t k = 0; k < bytes.size() / sizeof(float); ++k) {
      const float value = is_most(k) ? 1e3F : -1e3F;
      std::memcpy(&bytes[k * sizeof value], &value, sizeof value);
    }
    return bytes;
  }
  const auto size = static_cast<size_t>(size_bytes(tensor.type));
  const bool is_signed = tensor.type != DType::kUInt8 && tensor.type != DType::kBool;
  Bytes bytes;
  for (int64_t k = 0; k < elements(tensor.shape); ++k) {
    const bool most = is_most(static_cast<size_t>(k));
    for (size_t b = 0; b < size; ++b) {
      const bool sign = is_signed && b + 1 == size;
      bytes.push_back(sign ? (most ? 0x7F : 0x80) : (most ? 0xFF : 0x00));
    }
  }
  return bytes;
}

/// The image whose windows at every kernel_h-th row and kernel_w-th column have the filter's signs.
Bytes tiled(const Tensor& image, const Tensor& weights, size_t filter, bool most) {
  const Shape &x = image.shape, &w = weights.shape;
  return ends(image, [&](size_t k) {
    const auto at = static_cast<int64_t>(k);
    const int64_t channel = at % x[3] % w[3], column = at / x[3] % x[2], row = at / x[3] / x[2];
    const int64_t tap =
        ((static_cast<int64_t>(filter) * w[1] + row % w[1]) * w[2] + column % w[2]) * w[3] +
        channel;
    return (static_cast<int8_t>((*weights.data)[static_cast<size_t>(tap)]) > 0) == most;
  });
}

}  // namespace

std::vector<std::vector<Bytes>> extreme_inputs(const Graph& graph, uint64_t random_sets,
                                               uint64_t seed) {
  std::vector<std::vector<Bytes>> sets;
  const auto add = [&](const std::function<bool(size_t)>& is_most) {
    std::vector<Bytes>& set = sets.emplace_back();
    for (const Port& port : graph.inputs) set.push_back(ends(graph.tensor(port.tensor), is_most));
  };
  add([](size_t) { return false; });
  add([](size_t) { return true; });
  zoo::Random random(seed);
  for (uint64_t k = 0; k < random_sets; ++k) add([&](size_t) { return random.chance(0.5); });
  for (const Op& op : graph.ops) {
    if (!std::holds_alternative<Conv2D>(op.attributes) || graph.inputs.empty()) continue;
    const Port& port = graph.inputs[0];
    const Tensor &image = graph.tensor(op.inputs[0]), &weights = graph.tensor(op.inputs[1]);
    if (op.inputs[0] != port.tensor || image.type != DType::kInt8) continue;
    for (size_t filter = 0; filter < static_cast<size_t>(weights.shape[0]); ++filter) {
      for (const bool most : {false, true}) {
        std::vector<Bytes> set = sets[0];
        set[0] = tiled(image, weights, filter, most);
        sets.push_back(std::move(set));
      }
    }
  }
  return sets;
}

}  // namespace thimble::testing
