// SPDX-License-Identifier: Apache-2.0
// RELU: requantises from the input's scale to the output's.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Relu&, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const FixedFactor factor = to_fixed_factor(double{scale_of(input)} / double{scale_of(output)});
  const ActivationRange range = activation_range(Activation::kRelu, output);
  std::vector<int32_t> values = integers_from(context.input_bytes(0), input.type);
  for (int32_t& value : values) {
    value = requantised(value - zero_point_of(input), factor, zero_point_of(output), range);
  }
  return {bytes_from_integers(values, output.type)};
}

}  // namespace thimble::reference
