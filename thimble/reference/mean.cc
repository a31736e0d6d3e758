// SPDX-License-Identifier: Apache-2.0
// MEAN: 1/N is folded into the fixed-point factor, truncating, instead of dividing the sum.
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

std::vector<Bytes> evaluate(const Mean& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  Shape kept = input.shape;
  for (int axis : op.axes) kept.at(static_cast<size_t>(axis)) = 1;
  const int64_t count = elements(input.shape) / elements(kept);

  const std::vector<int8_t> x = context.read<int8_t>(0);
  const std::vector<int64_t> target = offsets(input.shape, broadcast_strides(kept, input.shape));
  std::vector<uint32_t> sums(static_cast<size_t>(elements(kept)), 0);
  for (size_t i = 0; i < x.size(); ++i) {
    sums[static_cast<size_t>(target[i])] += static_cast<uint32_t>(int32_t{x[i]});
  }

  const FixedFactor factor =
      divided(to_fixed_factor(double{scale_of(input)} / double{scale_of(output)}), count);
  const ActivationRange range = activation_range(Activation::kNone, output);
  const uint32_t offset = static_cast<uint32_t>(zero_point_of(input) * count);
  std::vector<int8_t> result;
  for (uint32_t sum : sums) {
    result.push_back(
        requantise(static_cast<int32_t>(sum - offset), factor, zero_point_of(output), range));
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
