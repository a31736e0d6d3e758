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
  return (v.in(0).type == DType::kInt8 && (out == DType::kInt8 || out == DType::kInt16)) ||
         (v.in(0).type == DType::kInt16 && out == DType::kInt16);
}

bool softmax_input_is_symmetric(const Graph& graph, const Op& op) {
  const Tensor& in = OpView{graph, op}.in(0);
  return in.type != DType::kInt16 || in.quantization.zero_points[0] == 0;
}

bool probabilities_are_fixed(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const Tensor& out = v.out();
  const Quantization& q = out.quantization;
  if (out.type == DType::kInt8) return q.scales[0] == 0x1p-8F && q.zero_points[0] == -128;
  // The interpreter that defines the arithmetic takes these scales to a part in a thousand.
  if (v.in(0).type == DType::kInt16)
    return std::abs(q.scales[0] * 0x1p15F - 1) <= 0.001F && q.zero_points[0] == 0;
  return std::abs(q.scales[0] * 0x1p16F - 1) <= 0.001F && q.zero_points[0] == -32768;
}

bool beta_is_finite(const Graph&, const Op& op) {
  return std::isfinite(std::get<Softmax>(op.attributes).beta);
}

/// The fixed-point exponent is that of beta x scale x 2^26, which must have no fraction to lose.
bool beta_is_moderate(const Graph& graph, const Op& op) {
  const Tensor& in = OpView{graph, op}.in(0);
  const double scaled = static_cast<double>(std::get<Softmax>(op.attributes).beta) *
                        static_cast<double>(in.quantization.scales[0]);
  if (in.type == DType::kInt16) return scaled > 0x1p-40 && scaled < 1;
  return scaled > 0x1p-26 && scaled < 0x1p4;
}

/// More would overflow the fixed-point sum of exponentials (12 bits before the point; int16: 16).
bool channels_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().back() <= (v.in(0).type == DType::kInt16 ? 65535 : 4095);
}

}  // namespace

AccessMap access_map_of(const Softmax&, const OpView& v) {
  InputMap map = identity_map(v.x().size());
  map.axes.back() = Whole{};
  return {map};
}

int64_t macs_of(const Softmax&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Softmax&, const OpView& v) { return v.x(); }

Traits traits_of(const Softmax&) { return {}; }

std::vector<Constraint> constraints_of(const Softmax&) {
  return {
      kOneInput,
      kRank1To4,
      {"the input is int8 and the output int8 or int16, or both are int16 or float32",
       softmax_types_fit},
      kAllHaveOneScale,
      {"int16 in has zero point 0", softmax_input_is_symmetric, true},
      {"the output's scale is 1/256 and its zero point -128 (int8), or 1/65536 and -32768 (int16), "
       "of int16 1/32768 and 0",
       probabilities_are_fixed, true},
      {"beta is finite", beta_is_finite},
      {"beta x input scale is within 2^-26 and 2^4 (int16: within 2^-40 and 1)", beta_is_moderate,
       true},
      {"the last axis has at most 4095 elements (int16: 65535)", channels_fit, true},
      kOutputShape};
}

}  // namespace thimble
