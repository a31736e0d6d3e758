// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM: of a mean, 1/N is folded into the fixed-point factor, truncating, instead of dividing
// the sum.
#include <algorithm>
#include <bit>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/sum_bounds.h"

namespace thimble::reference {

FixedFactor divided(FixedFactor factor, int64_t count) {
  const int log2_count = 63 - std::countl_zero(static_cast<uint64_t>(count));
  const int shift = std::min({log2_count, 32, 31 + factor.shift});
  return {static_cast<int32_t>((int64_t{factor.multiplier} << shift) / count),
          factor.shift - shift};
}

FixedFactor reduction_factor(Arithmetic arithmetic, const Tensor& input, const Tensor& output,
                             int64_t count) {
  if (arithmetic == Arithmetic::kOnnx)
    return float_factor(scale_of(input) / (scale_of(output) * static_cast<float>(count)));
  const FixedFactor ratio = to_fixed_factor(double{scale_of(input)} / double{scale_of(output)});
  return count == 1 ? ratio : divided(ratio, count);
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

/// count: of elements that a sum is divided by.
std::vector<Bytes> requantised_sums(ReducedSums reduced, int64_t count, const OpContext& context) {
  const Tensor& output = context.output();
  const FixedFactor factor =
      reduction_factor(context.arithmetic(), context.input(0), output, count);
  const ActivationRange range = activation_range(Activation::kNone, output);
  for (int32_t& sum : reduced.sums) sum = requantised(sum, factor, zero_point_of(output), range);
  return {bytes_from_integers(reduced.sums, output.type)};
}

}  // namespace

std::vector<Bytes> evaluate(const Mean& op, const OpContext& context) {
  const ReducedSums reduced = sums_over(op.axes, context);
  return requantised_sums(reduced, reduced.count, context);
}

std::vector<Bytes> evaluate(const Sum& op, const OpContext& context) {
  return requantised_sums(sums_over(op.axes, context), 1, context);
}

namespace {

RealValues sums_over_axes(const std::vector<int>& axes, const RealContext& c) {
  Shape kept = c.shape(0);
  for (const int axis : axes) kept.at(static_cast<size_t>(axis)) = 1;
  const std::vector<int64_t> target = offsets(c.shape(0), broadcast_strides(kept, c.shape(0)));
  RealValues result(static_cast<size_t>(elements(kept)), 0);
  for (size_t i = 0; i < target.size(); ++i) {
    result[static_cast<size_t>(target[i])] += (*c.inputs[0])[i];
  }
  return result;
}

ValueRanges of_reduction(const std::vector<int>& axes, bool divides, const BoundsContext& c) {
  const Tensor &in = c.input(0), &out = c.output();
  int64_t count = 1;
  bool over_channels = false;
  for (const int axis : axes) {
    count *= in.shape.at(static_cast<size_t>(axis));
    over_channels = over_channels || axis == static_cast<int>(in.shape.size()) - 1;
  }
  const FixedFactor factor =
      reduction_factor(c.op.attributes.arithmetic, in, out, divides ? count : 1);
  const ActivationRange range = activation_range(Activation::kNone, out);
  const std::vector<SumBounds> x = centred(c.input_bounds(0), zero_point_of(in));
  const auto mean_of = [&](SumBounds sum, int64_t times_each) {
    return requantised(times(times_each, sum), factor, zero_point_of(out), range);
  };
  if (over_channels) {
    SumBounds all;
    for (const SumBounds& channel : x) all = all + channel;
    return everywhere(out, mean_of(all, count / static_cast<int64_t>(x.size())));
  }
  ValueRanges result;
  for (const SumBounds& channel : x) result.push_back(mean_of(channel, count));
  return reshaped(result, channels_of(out));
}

}  // namespace

RealValues real_of(const Mean& op, const RealContext& c) {
  RealValues result = sums_over_axes(op.axes, c);
  const size_t summed = c.inputs[0]->size() / result.size();
  const auto count = static_cast<float>(summed);
  for (float& value : result) value /= count;
  return result;
}

ValueRanges bounds_of(const Mean& op, const BoundsContext& c) {
  return of_reduction(op.axes, true, c);
}

RealValues real_of(const Sum& op, const RealContext& c) { return sums_over_axes(op.axes, c); }

ValueRanges bounds_of(const Sum& op, const BoundsContext& c) {
  return of_reduction(op.axes, false, c);
}

}  // namespace thimble::reference
