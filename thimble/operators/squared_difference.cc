// SPDX-License-Identifier: Apache-2.0
// SQUARED_DIFFERENCE: (x - y)^2 element by element, with broadcasting.
#include <algorithm>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// The square takes 30 bits, in units of (larger scale / 64)^2 (int16: (2 x larger scale)^2), and
/// is only ever scaled down.
bool square_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const double larger = std::max(v.in(0).quantization.scales[0], v.in(1).quantization.scales[0]);
  const double bound = v.out().type == DType::kInt16 ? 0x1p-2 : 0x1p12;
  return larger * larger < bound * v.out().quantization.scales[0];
}

}  // namespace

AccessMap access_map_of(const SquaredDifference&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_of(const SquaredDifference&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const SquaredDifference&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

Traits traits_of(const SquaredDifference&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const SquaredDifference&) {
  return {kTwoInputs,
          kRankAtMost6,
          kAllInt8Int16OrFloat32,
          kAllHaveOneScale,
          kInt16IsSymmetric,
          {"the square of the larger input scale is below 2^12 (int16: 2^-2) x output scale",
           square_is_moderate, true},
          kShapesBroadcast,
          kOutputShape};
}

}  // namespace thimble
