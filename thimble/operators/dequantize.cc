// SPDX-License-Identifier: Apache-2.0
// DEQUANTIZE: integer to float32.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool types_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType in = v.in(0).type;
  return (in == DType::kInt8 || in == DType::kInt16) && v.out().type == DType::kFloat32;
}

bool input_has_one_scale(const Graph& graph, const Op& op) {
  return has_one_scale(OpView{graph, op}.in(0));
}

}  // namespace

AccessMap access_map_of(const Dequantize&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Dequantize&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Dequantize&, const OpView& v) { return v.x(); }

Traits traits_of(const Dequantize&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Dequantize&) {
  return {kOneInput,
          kRankAtMost6,
          {"the input is int8 or int16 and the output float32", types_fit},
          {"the input has one positive, finite scale and a zero point within the type",
           input_has_one_scale},
          kOutputShape};
}

}  // namespace thimble
