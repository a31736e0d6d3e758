// SPDX-License-Identifier: Apache-2.0
// ATAN, CEIL, COS, ERF, EXP, FLOOR, LOG, NEG, ROUND, SIN, SQRT, SQUARE: a function of each element.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

AccessMap access_map_of(const Elementwise&, const OpView& v) {
  return {identity_map(v.x().size())};
}

int64_t macs_of(const Elementwise&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Elementwise&, const OpView& v) { return v.x(); }

Traits traits_of(const Elementwise&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Elementwise&) {
  return {kOneInput, kRankAtMost6, kAllFloat32, kOutputShape};
}

}  // namespace thimble
