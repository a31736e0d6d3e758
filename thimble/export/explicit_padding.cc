// SPDX-License-Identifier: Apache-2.0
#include "thimble/export/explicit_padding.h"

#include <bit>
#include <limits>

#include "thimble/model/same_padding.h"

namespace thimble {
namespace {

Window* padded_window(Attributes& attributes) {
  if (auto* conv = std::get_if<Conv2D>(&attributes)) return &conv->window;
  if (auto* depthwise = std::get_if<DepthwiseConv2D>(&attributes)) return &depthwise->window;
  if (auto* pool = std::get_if<MaxPool2D>(&attributes)) return &pool->window;
  return nullptr;
}

/// The number that is there for the operator as if nothing were.
int32_t outside(const Attributes& attributes, const Tensor& x) {
  const auto* pool = std::get_if<MaxPool2D>(&attributes);
  if (pool != nullptr && x.type == DType::kFloat32) {
    constexpr float kMost = std::numeric_limits<float>::max();
    return std::bit_cast<int32_t>(pool->least ? kMost : -kMost);
  }
  const int32_t most = x.type == DType::kInt16 ? 32767 : 127;
  if (pool != nullptr) return pool->least ? most : -most - 1;
  return x.quantization.zero_points.empty() ? 0 : x.quantization.zero_points[0];
}

}  // namespace

Graph with_explicit_padding(Graph graph) {
  std::vector<Op> ops;
  for (Op& op : graph.ops) {
    Window* window = padded_window(op.attributes);
    if (window != nullptr) {
      const Tensor x = graph.tensor(op.inputs[0]);
      const Padding padding = window->padding;
      if (padding != Padding{} && padding != same_padding(*window, x.shape[1], x.shape[2])) {
        window->padding = {};
        Tensor padded = x;
        padded.name += "_padded";
        padded.data = nullptr;
        padded.shape[1] += padding.top + padding.bottom;
        padded.shape[2] += padding.left + padding.right;
        const Pad pad{.before = {0, padding.top, padding.left, 0},
                      .after = {0, padding.bottom, padding.right, 0},
                      .value = outside(op.attributes, x)};
        graph.tensors.push_back(std::move(padded));
        const TensorId made{static_cast<int32_t>(std::ssize(graph.tensors) - 1)};
        ops.push_back({pad, {op.inputs[0]}, {made}, -1});
        op.inputs[0] = made;
      }
    }
    ops.push_back(std::move(op));
  }
  graph.ops = std::move(ops);
  return graph;
}

}  // namespace thimble
