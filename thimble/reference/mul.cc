// SPDX-License-Identifier: Apache-2.0
// MUL: the product of the centred operands, requantised once.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Mul& op, const OpContext& context) {
  const Tensor& a = context.input(0);
  const Tensor& b = context.input(1);
  const Tensor& output = context.output();
  const std::vector<int32_t> a_values = integers_from(context.input_bytes(0), a.type);
  const std::vector<int32_t> b_values = integers_from(context.input_bytes(1), b.type);
  const std::vector<int64_t> a_offsets =
      offsets(output.shape, broadcast_strides(a.shape, output.shape));
  const std::vector<int64_t> b_offsets =
      offsets(output.shape, broadcast_strides(b.shape, output.shape));
  const FixedFactor factor =
      to_fixed_factor(double{scale_of(a)} * double{scale_of(b)} / double{scale_of(output)});
  const ActivationRange range = activation_range(op.activation, output);

  std::vector<int32_t> result;
  for (size_t i = 0; i < a_offsets.size(); ++i) {
    const int32_t left = a_values[static_cast<size_t>(a_offsets[i])] - zero_point_of(a);
    const int32_t right = b_values[static_cast<size_t>(b_offsets[i])] - zero_point_of(b);
    result.push_back(requantised(left * right, factor, zero_point_of(output), range));
  }
  return {bytes_from_integers(result, output.type)};
}

}  // namespace thimble::reference
