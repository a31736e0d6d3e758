// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/real_values.h"

#include <algorithm>
#include <limits>

#include "thimble/reference/elements.h"

namespace thimble {

RealValues dequantised(const Tensor& tensor, const Bytes& bytes) {
  if (tensor.type == DType::kFloat32) return reference::elements_from<float>(bytes);
  const std::vector<int32_t> integers = reference::integers_from(bytes, tensor.type);
  RealValues result(integers.begin(), integers.end());
  const Quantization& q = tensor.quantization;
  if (q.scales.empty()) return result;
  int64_t inner = 1;
  for (size_t axis = static_cast<size_t>(q.axis) + 1; axis < tensor.shape.size(); ++axis) {
    inner *= tensor.shape[axis];
  }
  for (size_t i = 0; i < result.size(); ++i) {
    const size_t k = q.per_channel() ? i / static_cast<size_t>(inner) % q.scales.size() : 0;
    result[i] = q.scales[k] * (result[i] - static_cast<float>(q.zero_points[k]));
  }
  return result;
}

RealRange real_range(Activation activation) {
  RealRange range{std::numeric_limits<float>::lowest(), std::numeric_limits<float>::max()};
  if (activation == Activation::kRelu || activation == Activation::kRelu6) range.min = 0;
  if (activation == Activation::kRelu6) range.max = 6;
  if (activation == Activation::kReluN1To1) range = {-1, 1};
  if (activation == Activation::kRelu0To1) range = {0, 1};
  return range;
}

void apply(Activation activation, RealValues& values) {
  const RealRange range = real_range(activation);
  for (float& value : values) value = std::clamp(value, range.min, range.max);
}

}  // namespace thimble
