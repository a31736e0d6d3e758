// SPDX-License-Identifier: Apache-2.0
// MAXIMUM and MINIMUM: of raw values, which have one quantisation.
#include <algorithm>

#include "thimble/reference/bounds_of.h"
#include "thimble/reference/raw_pairs.h"
#include "thimble/reference/real_of.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const Maximum&, const OpContext& context) {
  return of_raw_pairs(context, [](int32_t a, int32_t b) { return std::max(a, b); });
}

std::vector<Bytes> evaluate(const Minimum&, const OpContext& context) {
  return of_raw_pairs(context, [](int32_t a, int32_t b) { return std::min(a, b); });
}

RealValues real_of(const Maximum&, const RealContext& c) {
  return combined(c, [](float a, float b) { return a > b ? a : b; });
}

ValueRanges bounds_of(const Maximum&, const BoundsContext& c) { return at_corners(c, {}, 0); }

RealValues real_of(const Minimum&, const RealContext& c) {
  return combined(c, [](float a, float b) { return a < b ? a : b; });
}

ValueRanges bounds_of(const Minimum&, const BoundsContext& c) { return at_corners(c, {}, 0); }

}  // namespace thimble::reference
