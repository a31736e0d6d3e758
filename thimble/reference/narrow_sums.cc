// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/narrow_sums.h"

#include <algorithm>

#include "thimble/reference/activation_range.h"

namespace thimble::reference {
namespace {

template <class Operator>
std::vector<Bytes> added_up(const Operator& op, const OpContext& context, const Accumulator& a,
                            const std::vector<FixedFactor>& factors) {
  const Tensor& output = context.output();
  const IntegerRange values = range_of(a.type);
  const FixedFactor last = to_fixed_factor(double{a.scale} / double{scale_of(output)});
  const ActivationRange range = activation_range(op.activation, output);
  const int32_t zero_point = zero_point_of(output);
  std::vector<int8_t> result;
  result.reserve(static_cast<size_t>(elements(output.shape)));
  each_chunk_sums(op, context, a.chunk, [&](size_t o, const std::vector<int32_t>& sums) {
    int64_t element = a.zero_point;
    for (const int32_t sum : sums) {
      element = std::clamp(element + multiply(sum, factors[o]), values.min, values.max);
    }
    const auto value = static_cast<int32_t>(element - a.zero_point);
    result.push_back(requantise(value, last, zero_point, range));
  });
  return {bytes_from(result)};
}

}  // namespace

std::vector<Bytes> add_up(const Conv2D& op, const OpContext& context,
                          const Accumulator& accumulator, const std::vector<FixedFactor>& factors) {
  return added_up(op, context, accumulator, factors);
}

std::vector<Bytes> add_up(const FullyConnected& op, const OpContext& context,
                          const Accumulator& accumulator, const std::vector<FixedFactor>& factors) {
  return added_up(op, context, accumulator, factors);
}

}  // namespace thimble::reference
