// SPDX-License-Identifier: Apache-2.0
// FLOOR_DIV and FLOOR_MOD of int32; over zero 0, where the original stops.
#include <cmath>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/raw_pairs.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const FloorDiv& op, const OpContext& context) {
  return of_raw_pairs(context, [&](int32_t x, int32_t y) -> int32_t {
    if (y == 0) return 0;
    int64_t quotient = int64_t{x} / y, rest = int64_t{x} % y;
    if (rest != 0 && (rest < 0) != (y < 0)) {
      --quotient;
      rest += y;
    }
    return static_cast<int32_t>(op.remainder ? rest : quotient);
  });
}

RealValues real_of(const FloorDiv& op, const RealContext& c) {
  return combined(c, [&](float a, float b) {
    if (!op.remainder) {
      const double quotient = static_cast<double>(a) / static_cast<double>(b);
      return static_cast<float>(std::floor(quotient));
    }
    const float rest = std::fmod(a, b);
    return rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest;
  });
}

ValueRanges bounds_of(const FloorDiv&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
