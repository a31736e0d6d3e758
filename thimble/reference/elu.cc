// SPDX-License-Identifier: Apache-2.0
// ELU, int8: of each value, in float32, as TensorFlow Lite Micro fills its table (elu.cc). A C
// library whose exp differs in the last bit may round a value the other way.
#include <algorithm>
#include <cmath>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Elu&, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const float inverse_scale = 1 / scale_of(output);
  const auto zero_point = static_cast<float>(zero_point_of(output));
  std::vector<int8_t> values = context.read<int8_t>(0);
  for (int8_t& value : values) {
    const float x = scale_of(input) * static_cast<float>(value - zero_point_of(input));
    const float y = x < 0 ? std::exp(x) - 1.0F : x;
    value = static_cast<int8_t>(
        std::clamp(std::round(y * inverse_scale) + zero_point, -128.0F, 127.0F));
  }
  return {bytes_from(values)};
}

RealValues real_of(const Elu&, const RealContext& c) { return of_each(c, runtime::real::elu); }

ValueRanges bounds_of(const Elu&, const BoundsContext& c) { return of_each_value(c); }

}  // namespace thimble::reference
