// SPDX-License-Identifier: Apache-2.0
// PRELU: one factor for what is not negative, one of a second input for the rest.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// Products have 16 bits (int16: 31), which may be shifted to the left.
bool alpha_scale_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const double product = static_cast<double>(v.in(0).quantization.scales[0]) *
                         v.in(1).quantization.scales[0] / v.out().quantization.scales[0];
  return product < (v.out().type == DType::kInt16 ? 1 : 0x1p14);
}

}  // namespace

AccessMap access_map_of(const Prelu&, const OpView& v) {
  return {identity_map(v.x().size()), broadcast_map(v.in(1).shape, v.out().shape)};
}

int64_t macs_of(const Prelu&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Prelu&, const OpView& v) {
  const Shape shape = broadcast_shape(v.in(0).shape, v.in(1).shape);
  return shape == v.x() ? shape : Shape{0};  // alpha does not broadcast x
}

Traits traits_of(const Prelu&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Prelu&) {
  return {kTwoInputs,
          kRankAtMost6,
          kAllInt8Int16OrFloat32,
          kAllHaveOneScale,
          kInt16IsSymmetric,
          kRescale,
          {"input scale x alpha's scale is below 2^14 (int16: 1) x output scale",
           alpha_scale_is_moderate, true},
          kShapesBroadcast,
          kOutputShape};
}

}  // namespace thimble
