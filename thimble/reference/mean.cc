// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM: of a mean, 1/N is folded into the fixed-point factor, truncating, instead of dividing
// the sum.
#include <algorithm>
#include <bit>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"

namespace thimble::reference {

FixedFactor divided(FixedFactor factor, int64_t count) {
  const int log2_count = 63 - std::countl_zero(static_cast<uint64_t>(count));
  const int shift = std::min({log2_count, 32, 31 + factor.shift});
  return {static_cast<int32_t>((int64_t{factor.multiplier} << shift) / count),
          factor.shift - shift};
}

namespace {

/// The sums over the axes, less the input's zero point, as 32 bits hold them.
struct ReducedSums {
  std::vector<int32_t> sums;
  int64_t count = 1;  ///< elements in each
};

ReducedSums sums_over(const std::vector<int>& axes, const OpContext& context) {
  const Tensor& input = context.input(0);
  Shape kept = input.shape;
  for (int axis : axes) kept.at(static_cast<size_t>(axis)) = 1;
  ReducedSums result{std::vector<int32_t>(static_cast<size_t>(elements(kept)), 0),
                     elements(input.shape) / elements(kept)};
  const std::vector<int32_t> x = integers_from(context.input_bytes(0), input.type);
  const std::vector<int64_t> target = offsets(input.shape, broadcast_strides(kept, input.shape));
  for (size_t i = 0; i < x.size(); ++i) {
    int32_t& sum = result.sums[static_cast<size_t>(target[i])];
    sum = wrapping_add(sum, x[i]);
  }
  const auto offset = static_cast<int32_t>(zero_point_of(input) * result.count);
  for (int32_t& sum : result.sums) sum = wrapping_sub(sum, offset);
  return result;
}

FixedFactor ratio_factor(const OpContext& context) {
  return to_fixed_factor(double{scale_of(context.input(0))} / double{scale_of(context.output())});
}

std::vector<Bytes> requantised_sums(ReducedSums reduced, FixedFactor factor, const Tensor& output) {
  const ActivationRange range = activation_range(Activation::kNone, output);
  for (int32_t& sum : reduced.sums) sum = requantised(sum, factor, zero_point_of(output), range);
  return {bytes_from_integers(reduced.sums, output.type)};
}

}  // namespace

std::vector<Bytes> evaluate(const Mean& op, const OpContext& context) {
  const ReducedSums reduced = sums_over(op.axes, context);
  return requantised_sums(reduced, divided(ratio_factor(context), reduced.count), context.output());
}

std::vector<Bytes> evaluate(const Sum& op, const OpContext& context) {
  return requantised_sums(sums_over(op.axes, context), ratio_factor(context), context.output());
}

}  // namespace thimble::reference
