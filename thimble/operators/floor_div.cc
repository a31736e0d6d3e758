// SPDX-License-Identifier: Apache-2.0
// FLOOR_DIV, FLOOR_MOD: element by element, with broadcasting.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool all_int32_or_float32(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.out().type;
  return (type == DType::kInt32 || type == DType::kFloat32) && v.in(0).type == type &&
         v.in(1).type == type;
}

}  // namespace

AccessMap access_map_of(const FloorDiv&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_of(const FloorDiv&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const FloorDiv&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

Traits traits_of(const FloorDiv&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const FloorDiv&) {
  return {kTwoInputs,
          kRankAtMost6,
          {"inputs and output are all int32 or all float32", all_int32_or_float32},
          kShapesBroadcast,
          kOutputShape};
}

}  // namespace thimble
