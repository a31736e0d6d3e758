// SPDX-License-Identifier: Apache-2.0
// SHIFT_IN: a state later in time.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool axis_exists(const Graph& graph, const Op& op) {
  const int axis = std::get<ShiftIn>(op.attributes).axis;
  return axis >= 0 && static_cast<size_t>(axis) < OpView{graph, op}.x().size();
}

bool new_ones_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const auto axis = static_cast<size_t>(std::get<ShiftIn>(op.attributes).axis);
  Shape shape = v.in(1).shape;
  if (shape.size() != v.x().size() || shape[axis] < 1 || shape[axis] > v.x()[axis]) return false;
  shape[axis] = v.x()[axis];
  return shape == v.x();
}

}  // namespace

AccessMap access_map_of(const ShiftIn& a, const OpView& v) {
  const auto axis = static_cast<size_t>(a.axis);
  const int64_t count = v.in(1).shape[axis];
  InputMap state = identity_map(v.x().size());
  state.axes[axis] = Affine{.out_axis = a.axis, .lo = count, .hi = count};
  return {state, {std::vector<AxisMap>(v.x().size(), Whole{})}};
}

int64_t macs_of(const ShiftIn&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const ShiftIn&, const OpView& v) { return v.x(); }

Traits traits_of(const ShiftIn&) { return {}; }

std::vector<Constraint> constraints_of(const ShiftIn&) {
  return {kTwoInputs,
          kRank1To4,
          {"the axis is one of the state's", axis_exists},
          {"what is new has the state's extents, and no more along the axis", new_ones_fit},
          kAllInt8Int16OrFloat32,
          kAllSameQuantization,
          kOutputShape};
}

}  // namespace thimble
