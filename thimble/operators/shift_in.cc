// SPDX-License-Identifier: Apache-2.0
// SHIFT_IN: a state one step later.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool newest_is_one_column(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  Shape column = v.x();
  column.back() = 1;
  return v.in(1).shape == column;
}

}  // namespace

AccessMap access_map_of(const ShiftIn&, const OpView& v) {
  AccessMap map{identity_map(v.x().size()), identity_map(v.x().size())};
  map[0].axes.back() = Affine{.out_axis = static_cast<int>(v.x().size()) - 1, .lo = 1, .hi = 1};
  map[1].axes.back() = Broadcast{};
  return map;
}

int64_t macs_of(const ShiftIn&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const ShiftIn&, const OpView& v) { return v.x(); }

Traits traits_of(const ShiftIn&) { return {}; }

std::vector<Constraint> constraints_of(const ShiftIn&) {
  return {kTwoInputs,
          kRank1To6,
          kAllInt8Int16OrFloat32,
          {"the newest column has the state's extents, and 1 along the last axis",
           newest_is_one_column},
          kAllSameQuantization,
          kOutputShape};
}

}  // namespace thimble
