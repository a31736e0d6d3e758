// SPDX-License-Identifier: Apache-2.0
// ABS: the distance to the zero point, rescaled where the scales differ.
#include <cstdlib>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Abs&, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const float ratio = scale_of(input) / scale_of(output);
  const FixedFactor factor = to_fixed_factor(double{ratio});
  const ActivationRange range = activation_range(Activation::kNone, output);
  std::vector<int32_t> values = integers_from(context.input_bytes(0), input.type);
  for (int32_t& value : values) {
    const int32_t magnitude = std::abs(value - zero_point_of(input));
    value = requantised(magnitude, factor, zero_point_of(output), range);
  }
  return {bytes_from_integers(values, output.type)};
}

RealValues real_of(const Abs&, const RealContext& c) { return of_each(c, runtime::real::abs); }

ValueRanges bounds_of(const Abs&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
