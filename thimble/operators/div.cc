// SPDX-License-Identifier: Apache-2.0
// DIV: element by element, with broadcasting.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool div_is_of_one_type(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.out().type;
  const bool is_one = type == DType::kInt8 || type == DType::kInt32 || type == DType::kFloat32;
  return is_one && v.in(0).type == type && v.in(1).type == type;
}

/// A quotient of raw values takes 31 bits and 8 more before the point.
bool quotient_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  if (v.out().type == DType::kInt32) return true;
  const float product = v.in(1).quantization.scales[0] * v.out().quantization.scales[0];
  return product > 0 && v.in(0).quantization.scales[0] / product < 0x1p16F;
}

}  // namespace

AccessMap access_map_of(const Div&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_of(const Div&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Div&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

Traits traits_of(const Div&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Div&) {
  return {kTwoInputs,
          kRankAtMost6,
          {"inputs and output are all int8, all int32 or all float32", div_is_of_one_type},
          kQuantisedHaveOneScale,
          kInt32IsNotClamped<Div>,
          {"the first input's scale is below 2^16 x the second's x output scale",
           quotient_is_moderate, true},
          kShapesBroadcast,
          kOutputShape};
}

}  // namespace thimble
