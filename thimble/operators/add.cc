// SPDX-License-Identifier: Apache-2.0
// ADD: element by element, with broadcasting.
#include <algorithm>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// The sum carries 20 more bits than int8; its scale to the output's must stay below 1.
bool scales_are_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const double most = std::max(v.in(0).quantization.scales[0], v.in(1).quantization.scales[0]);
  return most < 0x1p19 * v.out().quantization.scales[0];
}

}  // namespace

AccessMap access_map_of(const Add&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_per_element(const Add&, const OpView&) { return 0; }

Shape output_shape_of(const Add&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

std::vector<Constraint> constraints_of(const Add&) {
  return {kTwoInputs,
          kRankAtMost6,
          kAllInt8,
          kAllHaveOneScale,
          {"both input scales are below 2^19 x output scale", scales_are_moderate},
          kShapesBroadcast,
          kOutputShape};
}

}  // namespace thimble
