// SPDX-License-Identifier: Apache-2.0
// ADD: both operands, shifted left by 20 bits, are brought to twice the larger scale and added.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {
namespace {

constexpr int kLeftShift = 20;

/// Operand i, one value per element of the output, at the common scale.
std::vector<int32_t> scaled_operand(const OpContext& context, size_t i, double common_scale) {
  const Tensor& input = context.input(i);
  const Shape& shape = context.output().shape;
  const std::vector<int8_t> values = context.read<int8_t>(i);
  const FixedFactor factor = to_fixed_factor(double{scale_of(input)} / common_scale);
  const int32_t zero_point = zero_point_of(input);
  std::vector<int32_t> result;
  for (int64_t offset : offsets(shape, broadcast_strides(input.shape, shape))) {
    const int32_t centred = values[static_cast<size_t>(offset)] - zero_point;
    result.push_back(multiply(wrapping_shift_left(centred, kLeftShift), factor));
  }
  return result;
}

}  // namespace

std::vector<Bytes> evaluate(const Add& op, const OpContext& context) {
  const Tensor& output = context.output();
  const double common_scale =
      2.0 * double{std::max(scale_of(context.input(0)), scale_of(context.input(1)))};
  const std::vector<int32_t> a = scaled_operand(context, 0, common_scale);
  const std::vector<int32_t> b = scaled_operand(context, 1, common_scale);
  const FixedFactor factor =
      to_fixed_factor(common_scale / (double{1 << kLeftShift} * double{scale_of(output)}));
  const ActivationRange range = activation_range(op.activation, output);

  std::vector<int8_t> result;
  for (size_t i = 0; i < a.size(); ++i) {
    result.push_back(requantise(wrapping_add(a[i], b[i]), factor, zero_point_of(output), range));
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
