// SPDX-License-Identifier: Apache-2.0
// POW: element by element, with broadcasting.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

AccessMap access_map_of(const Pow&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_of(const Pow&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Pow&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

Traits traits_of(const Pow&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Pow&) {
  return {kTwoInputs, kRankAtMost6, kAllFloat32, kShapesBroadcast, kOutputShape};
}

}  // namespace thimble
