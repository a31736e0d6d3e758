// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/real_of.h"

#include <limits>

namespace thimble::reference {

RealValues clamped(Activation activation, RealValues values) {
  apply(activation, values);
  return values;
}

float largest_of(std::span<const float> row) {
  float largest = std::numeric_limits<float>::lowest();
  for (const float value : row) largest = value > largest ? value : largest;
  return largest;
}

RealValues of_each(const RealContext& c, float (*function)(float) noexcept) {
  RealValues result = *c.inputs[0];
  for (float& value : result) value = function(value);
  return result;
}

}  // namespace thimble::reference
