// SPDX-License-Identifier: Apache-2.0
// MINIMUM: of raw values, element by element, with broadcasting.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

AccessMap access_map_of(const Minimum&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_of(const Minimum&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Minimum&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

Traits traits_of(const Minimum&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Minimum&) {
  return {kTwoInputs,           kRankAtMost6,     kAllComparable, kQuantisedHaveOneScale,
          kAllSameQuantization, kShapesBroadcast, kOutputShape};
}

}  // namespace thimble
