// SPDX-License-Identifier: Apache-2.0
// LOGISTIC: 1 / (1 + e^-x) element by element.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool output_quantization_is_fixed(const Graph& graph, const Op& op) {
  const Quantization& q = OpView{graph, op}.out().quantization;
  return q.scales[0] == 0x1p-8F && q.zero_points[0] == -128;
}

/// The fixed-point exponent is that of scale x 2^27, which must have no fraction to lose.
bool input_scale_is_moderate(const Graph& graph, const Op& op) {
  return OpView{graph, op}.in(0).quantization.scales[0] > 0x1p-27F;
}

}  // namespace

AccessMap access_map_of(const Logistic&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_per_element(const Logistic&, const OpView&) { return 0; }

Shape output_shape_of(const Logistic&, const OpView& v) { return v.x(); }

std::vector<Constraint> constraints_of(const Logistic&) {
  return {kOneInput,
          kRankAtMost6,
          kAllInt8,
          kAllHaveOneScale,
          {"the output's scale is 1/256 and its zero point -128", output_quantization_is_fixed},
          {"the input's scale is above 2^-27", input_scale_is_moderate},
          kOutputShape};
}

}  // namespace thimble
