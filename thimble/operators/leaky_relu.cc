// SPDX-License-Identifier: Apache-2.0
// LEAKY_RELU: one factor for what is not negative, another for the rest.
#include <cmath>

#include "thimble/operators/maps.h"
#include "thimble/operators/op_view.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool are_of_one_type(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.in(0).type;
  return (type == DType::kInt8 || type == DType::kInt16 || type == DType::kFloat32) &&
         v.out().type == type;
}

bool alpha_is_finite(const Graph&, const Op& op) {
  return std::isfinite(std::get<LeakyRelu>(op.attributes).alpha);
}

// The difference to the zero point, shifted left, must stay within 32 bits.
bool negative_part_fits(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const float alpha = std::get<LeakyRelu>(op.attributes).alpha;
  const float factor =
      std::fabs(v.in(0).quantization.scales[0] * alpha / v.out().quantization.scales[0]);
  const float most = v.in(0).type == DType::kInt8 ? 0x1p22F : 0x1p14F;
  return factor < most;
}

}  // namespace

AccessMap access_map_of(const LeakyRelu&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const LeakyRelu&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const LeakyRelu&, const OpView& v) { return v.x(); }

Traits traits_of(const LeakyRelu&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const LeakyRelu&) {
  return {kOneInput,
          kRankAtMost6,
          {"input and output are both int8, both int16 or both float32", are_of_one_type},
          {"alpha is finite", alpha_is_finite},
          kAllHaveOneScale,
          kRescale,
          {"|alpha| * input scale / output scale is below 2^22 (int8) or 2^14 (int16)",
           negative_part_fits, true},
          kOutputShape};
}

}  // namespace thimble
