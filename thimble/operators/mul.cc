// SPDX-License-Identifier: Apache-2.0
// MUL: element by element, with broadcasting.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// The product of two int8 takes 17 bits, which leaves 14 for a shift to the left.
bool product_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  if (v.out().type == DType::kInt32) return true;
  const double product = static_cast<double>(v.in(0).quantization.scales[0]) *
                         static_cast<double>(v.in(1).quantization.scales[0]);
  const double bound = v.out().type == DType::kInt16 ? 1 : 0x1p14;
  return product < bound * v.out().quantization.scales[0];
}

}  // namespace

AccessMap access_map_of(const Mul&, const OpView& v) {
  const Shape& out = v.out().shape;
  return {broadcast_map(v.in(0).shape, out), broadcast_map(v.in(1).shape, out)};
}

int64_t macs_of(const Mul&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Mul&, const OpView& v) {
  return broadcast_shape(v.in(0).shape, v.in(1).shape);
}

Traits traits_of(const Mul&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Mul&) {
  return {kTwoInputs,
          kRankAtMost6,
          kAllNumbers,
          kQuantisedHaveOneScale,
          kInt16IsSymmetric,
          kInt32IsNotClamped<Mul>,
          {"the product of the input scales is below 2^14 (int16: 1) x output scale",
           product_is_moderate, true},
          kShapesBroadcast,
          kOutputShape};
}

}  // namespace thimble
