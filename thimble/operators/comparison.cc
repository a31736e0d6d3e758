// SPDX-License-Identifier: Apache-2.0
// EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL: element by element, with
// broadcasting.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool inputs_compare(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.in(0).type;
  const bool compared = type == DType::kInt8 || type == DType::kInt32 || type == DType::kFloat32 ||
                        type == DType::kBool;
  return compared && v.in(1).type == type && v.out().type == DType::kBool;
}

/// Their differences to the zero point are multiplied by them.
bool compared_scales_are_below_1(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  if (v.in(0).type != DType::kInt8) return true;
  return v.in(0).quantization.scales[0] < 1 && v.in(1).quantization.scales[0] < 1;
}

}  // namespace

AccessMap access_map_of(const Comparison&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_of(const Comparison&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Comparison&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

Traits traits_of(const Comparison&) { return {}; }

std::vector<Constraint> constraints_of(const Comparison&) {
  return {kTwoInputs,
          kRankAtMost6,
          {"both inputs are int8, int32, float32 or bool, and the output is bool", inputs_compare},
          kQuantisedHaveOneScale,
          {"scales of int8 are below 1", compared_scales_are_below_1},
          kShapesBroadcast,
          kOutputShape};
}

}  // namespace thimble
