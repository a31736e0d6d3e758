// SPDX-License-Identifier: Apache-2.0
// LOGISTIC: 1 / (1 + e^-x) element by element.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool output_quantization_is_fixed(const Graph& graph, const Op& op) {
  const Tensor& out = OpView{graph, op}.out();
  const Quantization& q = out.quantization;
  if (out.type == DType::kInt16) return q.scales[0] == 0x1p-15F && q.zero_points[0] == 0;
  return q.scales[0] == 0x1p-8F && q.zero_points[0] == -128;
}

/// The fixed-point exponent is that of scale x 2^27, which must have no fraction to lose; of int16,
/// the multiplier is that of scale x 12288, which has 15 bits.
bool input_scale_is_moderate(const Graph& graph, const Op& op) {
  const Tensor& in = OpView{graph, op}.in(0);
  const float scale = in.quantization.scales[0];
  return scale > 0x1p-27F && (in.type == DType::kInt8 || scale < 2);
}

}  // namespace

AccessMap access_map_of(const Logistic&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Logistic&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Logistic&, const OpView& v) { return v.x(); }

Traits traits_of(const Logistic&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Logistic&) {
  return {kOneInput,
          kRankAtMost6,
          kAllInt8Int16OrFloat32,
          kAllHaveOneScale,
          kInt16IsSymmetric,
          {"the output's scale is 1/256 and its zero point -128 (int16: 1/32768 and 0)",
           output_quantization_is_fixed, true},
          {"the input's scale is above 2^-27 (int16: and below 2)", input_scale_is_moderate, true},
          kOutputShape};
}

}  // namespace thimble
