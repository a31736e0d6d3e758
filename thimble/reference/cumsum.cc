// SPDX-License-Identifier: Apache-2.0
// CUMSUM: as an addition, at twice the scale and shifted left by 20 bits. Sums begin with what a
// raw 0 stands for, as the original's: there is one value of it too many unless the zero point is
// 0.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/along_axis.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const CumSum& op, const OpContext& context) {
  constexpr int kShiftOfHalf = 19;  // 20 bits, times a half
  const Tensor &input = context.input(0), &output = context.output();
  const FixedFactor factor =
      to_fixed_factor(2 * double{scale_of(input)} / (0x1p20 * double{scale_of(output)}));
  const ActivationRange range = activation_range(Activation::kNone, output);
  const std::vector<int8_t> x = context.read<int8_t>(0);
  const auto scaled = [&](int32_t value) {
    return wrapping_shift_left(value - zero_point_of(input), kShiftOfHalf);
  };
  std::vector<int8_t> result(x.size());
  for (const AxisLine& line : lines_along(input.shape, op.axis)) {
    int32_t sum = scaled(0);
    for (size_t k = 0; k < line.count; ++k) {
      const size_t at = line.first + (op.reverse ? line.count - 1 - k : k) * line.step;
      const int32_t next = wrapping_add(sum, scaled(x[at]));
      result[at] = requantise(op.exclusive ? sum : next, factor, zero_point_of(output), range);
      sum = next;
    }
  }
  return {bytes_from(result)};
}

RealValues real_of(const CumSum& op, const RealContext& c) {
  RealValues result = *c.inputs[0];
  for (const AxisLine& line : lines_along(c.shape(0), op.axis)) {
    float sum = 0;
    for (size_t k = 0; k < line.count; ++k) {
      float& value = result[line.first + (op.reverse ? line.count - 1 - k : k) * line.step];
      const float next = sum + value;
      value = op.exclusive ? sum : next;
      sum = next;
    }
  }
  return result;
}

ValueRanges bounds_of(const CumSum&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
