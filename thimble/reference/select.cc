// SPDX-License-Identifier: Apache-2.0
// SELECT_V2: raw elements of one of two inputs.
#include <array>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Select&, const OpContext& context) {
  const Tensor& output = context.output();
  const auto offsets_of = [&](size_t i) {
    return offsets(output.shape, broadcast_strides(context.input(i).shape, output.shape));
  };
  const std::vector<int64_t> condition = offsets_of(0), x = offsets_of(1), y = offsets_of(2);
  const int64_t size = size_bytes(output.type);
  Bytes result;
  for (size_t i = 0; i < condition.size(); ++i) {
    const bool holds = context.input_bytes(0)[static_cast<size_t>(condition[i])] != 0;
    const auto from = context.input_bytes(holds ? 1 : 2).begin() + (holds ? x[i] : y[i]) * size;
    result.insert(result.end(), from, from + size);
  }
  return {result};
}

RealValues real_of(const Select&, const RealContext& c) {
  const Shape& to = c.output_shape();
  std::array<std::vector<int64_t>, 3> at;
  for (size_t i = 0; i < at.size(); ++i) at[i] = offsets(to, broadcast_strides(c.shape(i), to));
  RealValues result;
  for (size_t k = 0; k < at[0].size(); ++k) {
    const size_t chosen = (*c.inputs[0])[static_cast<size_t>(at[0][k])] != 0 ? 1 : 2;
    result.push_back((*c.inputs[chosen])[static_cast<size_t>(at[chosen][k])]);
  }
  return result;
}

ValueRanges bounds_of(const Select&, const BoundsContext& c) {
  if (any_value(c.output()).empty()) return {};
  ValueRanges result;
  for (size_t channel = 0; channel < channels_of(c.output()); ++channel)
    result.push_back(hull(of_channel(c, 1, channel), of_channel(c, 2, channel)));
  return result;
}

}  // namespace thimble::reference
