// SPDX-License-Identifier: Apache-2.0
// DYNAMIC_UPDATE_SLICE: a tensor with another one over a part of it, wherever it is to begin.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool has_update_and_begins(const Graph&, const Op& op) { return op.inputs.size() == 3; }

bool begins_are_of_each_axis(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(1).shape.size() == v.x().size() &&
         v.in(2).shape == Shape{static_cast<int64_t>(v.x().size())};
}

bool update_is_within(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  for (size_t k = 0; k < v.x().size(); ++k) {
    if (v.in(1).shape[k] > v.x()[k]) return false;
  }
  return true;
}

bool updated_have_one_type(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.out().type;
  return v.in(0).type == type && v.in(1).type == type && size_bytes(type) <= 4 &&
         v.in(2).type == DType::kInt32;
}

bool updated_have_one_quantization(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return same_quantization(v.in(0), v.out()) && same_quantization(v.in(1), v.out());
}

}  // namespace

AccessMap access_map_of(const UpdateSlice&, const OpView& v) {
  const size_t rank = v.x().size();
  return {identity_map(rank), {std::vector<AxisMap>(rank, Whole{})}, {{Whole{}}}};
}

int64_t macs_of(const UpdateSlice&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const UpdateSlice&, const OpView& v) { return v.x(); }

Traits traits_of(const UpdateSlice&) { return {}; }

std::vector<Constraint> constraints_of(const UpdateSlice&) {
  return {
      {"there are 3 inputs", has_update_and_begins},
      kRank1To4,
      {"the update has the input's number of axes, and there is a begin for each",
       begins_are_of_each_axis},
      {"the update is nowhere larger than the input", update_is_within},
      {"input, update and output have one type of at most 32 bits, and the begins are int32",
       updated_have_one_type},
      {"input and update have the output's scale and zero point", updated_have_one_quantization},
      kOutputShape};
}

}  // namespace thimble
