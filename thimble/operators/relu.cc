// SPDX-License-Identifier: Apache-2.0
// RELU, RELU_N1_TO_1 and RELU_0_TO_1 with requantisation to the output's scale.
#include "thimble/operators/maps.h"
#include "thimble/operators/op_view.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool int16_is_relu(const Graph& graph, const Op& op) {
  return std::get<Relu>(op.attributes).range == Activation::kRelu ||
         OpView{graph, op}.out().type != DType::kInt16;
}

}  // namespace

AccessMap access_map_of(const Relu&, const OpView& v) { return {identity_map(v.x().size())}; }

int64_t macs_of(const Relu&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Relu&, const OpView& v) { return v.x(); }

Traits traits_of(const Relu&) { return kOfEachValue; }

std::vector<Constraint> constraints_of(const Relu&) {
  return {kOneInput,
          kRankAtMost6,
          kAllInt8Int16OrFloat32,
          kAllHaveOneScale,
          kInt16IsSymmetric,
          {"RELU_N1_TO_1 and RELU_0_TO_1 are not of int16", int16_is_relu},
          kRescale,
          kOutputShape};
}

}  // namespace thimble
