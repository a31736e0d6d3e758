// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/dequantised.h"

#include <cstring>

#include "thimble/model/error.h"

namespace thimble {
namespace {

int32_t integer_at(const Tensor& t, size_t k) {
  if (t.type == DType::kInt8) return static_cast<int8_t>((*t.data)[k]);
  check(t.type == DType::kInt16, "dequantised: of int8 or int16");
  int16_t value = 0;
  std::memcpy(&value, t.data->data() + k * sizeof value, sizeof value);
  return value;
}

}  // namespace

Tensor dequantised(const Tensor& constant) {
  const Quantization& q = constant.quantization;
  check(!q.scales.empty() && q.zero_points.size() == q.scales.size(),
        "dequantised: without scales");
  int64_t inner = 1;
  for (size_t axis = static_cast<size_t>(q.axis) + 1; axis < constant.shape.size(); ++axis)
    inner *= constant.shape[axis];
  Bytes bytes;
  for (size_t k = 0; k < static_cast<size_t>(elements(constant.shape)); ++k) {
    const size_t channel =
        q.per_channel() ? k / static_cast<size_t>(inner) % q.scales.size() : size_t{0};
    const int64_t difference = int64_t{integer_at(constant, k)} - q.zero_points[channel];
    const float value = q.scales[channel] * static_cast<float>(difference);
    const auto* raw = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof value);
  }
  return {constant.name,
          constant.shape,
          DType::kFloat32,
          {},
          std::make_shared<const Bytes>(std::move(bytes))};
}

}  // namespace thimble
