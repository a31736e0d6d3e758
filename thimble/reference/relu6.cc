// SPDX-License-Identifier: Apache-2.0
// RELU6: limits raw values to what 0 and 6 are in the input's quantisation. It never requantises:
// neither does the original, even where the scales differ.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Relu6&, const OpContext& context) {
  const Tensor& input = context.input(0);
  const ActivationRange range = activation_range(Activation::kRelu6, input);
  std::vector<int32_t> values = integers_from(context.input_bytes(0), input.type);
  for (int32_t& value : values) value = std::clamp(value, range.min, range.max);
  return {bytes_from_integers(values, input.type)};
}

RealValues real_of(const Relu6&, const RealContext& c) {
  return clamped(Activation::kRelu6, *c.inputs[0]);
}

ValueRanges bounds_of(const Relu6&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
