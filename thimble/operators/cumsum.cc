// SPDX-License-Identifier: Apache-2.0
// CUMSUM: sums of the values up to each along an axis.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool cumsum_axis_exists(const Graph& graph, const Op& op) {
  const int axis = std::get<CumSum>(op.attributes).axis;
  return axis >= 0 && axis < static_cast<int>(OpView{graph, op}.x().size());
}

/// Sums are only ever scaled down.
bool cumsum_scale_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(0).quantization.scales[0] < 0x1p19F * v.out().quantization.scales[0];
}

}  // namespace

AccessMap access_map_of(const CumSum& a, const OpView& v) {
  InputMap map = identity_map(v.x().size());
  map.axes[static_cast<size_t>(a.axis)] = Whole{};
  return {map};
}

int64_t macs_of(const CumSum&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const CumSum&, const OpView& v) { return v.x(); }

Traits traits_of(const CumSum&) { return {}; }

std::vector<Constraint> constraints_of(const CumSum&) {
  return {kOneInput,
          kRank1To6,
          {"the axis is one of the input's", cumsum_axis_exists},
          kAllInt8OrFloat32,
          kAllHaveOneScale,
          {"input scale is below 2^19 x output scale", cumsum_scale_is_moderate, true},
          kOutputShape};
}

}  // namespace thimble
