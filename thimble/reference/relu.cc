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
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    value = requantise(value - zero_point_of(input), factor, zero_point_of(output), range);
  }
  return {bytes_from(values)};
}

}  // namespace thimble::reference
