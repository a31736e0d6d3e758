// SPDX-License-Identifier: Apache-2.0
// SOFTMAX over the last axis.
#include <cmath>

#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool softmax_types_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType out = v.out().type;
  if (is_float32(graph, op)) return true;
  return v.in(0).type == DType::kInt8 && (out == DType::kInt8 || out == DType::kInt16);
}

bool probabilities_are_fixed(const Graph& graph, const Op& op) {
  const Tensor& out = OpView{graph, op}.out();
  const Quantization& q = out.quantization;
  if (out.type == DType::kInt8) return q.scales[0] == 0x1p-8F && q.zero_points[0] == -128;
  // The interpreter that defines the arithmetic takes this scale to a part in a thousand.
  return std::abs(q.scales[0] * 0x1p16F - 1) <= 0.001F && q.zero_points[0] == -32768;
}

bool beta_is_finite(const Graph&, const Op& op) {
  return std::isfinite(std::get<Softmax>(op.attributes).beta);
}

/// The fixed-point exponent is that of beta x scale x 2^26, which must have no fraction to lose.
bool beta_is_moderate(const Graph& graph, const Op& op) {
  const double scaled = static_cast<double>(std::get<Softmax>(op.attributes).beta) *
                        OpView{graph, op}.in(0).quantization.scales[0];
  return scaled > 0x1p-26;
}

/// More would overflow the fixed-point sum of exponentials (12 bits before the point).
bool channels_fit(const Graph& graph, const Op& op) { return OpView{graph, op}.x().back() <= 4095; }

}  // namespace

AccessMap access_map_of(const Softmax&, const OpView& v) {
  InputMap map = identity_map(v.x().size());
  map.axes.back() = Whole{};
  return {map};
}

int64_t macs_per_element(const Softmax&, const OpView&) { return 0; }

Shape output_shape_of(const Softmax&, const OpView& v) { return v.x(); }

std::vector<Constraint> constraints_of(const Softmax&) {
  return {
      kOneInput,
      kRank1To4,
      {"the input is int8 and the output int8 or int16, or both are float32", softmax_types_fit},
      kAllHaveOneScale,
      {"the output's scale is 1/256 and its zero point -128 (int8), or 1/65536 and -32768 (int16)",
       probabilities_are_fixed, true},
      {"beta is finite", beta_is_finite},
      {"beta x input scale is above 2^-26", beta_is_moderate, true},
      {"the last axis has at most 4095 elements", channels_fit, true},
      kOutputShape};
}

}  // namespace thimble
