// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE: the same elements with the axes in another order.
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool is_permutation(const Graph& graph, const Op& op) {
  const std::vector<int>& p = std::get<Transpose>(op.attributes).permutation;
  const Shape& x = OpView{graph, op}.x();
  std::vector<bool> seen(x.size());
  for (int axis : p) {
    if (axis < 0 || static_cast<size_t>(axis) >= x.size() || seen[static_cast<size_t>(axis)]) {
      return false;
    }
    seen[static_cast<size_t>(axis)] = true;
  }
  return p.size() == x.size();
}

}  // namespace

AccessMap access_map_of(const Transpose& a, const OpView& v) {
  InputMap map;
  map.axes.resize(v.x().size());
  for (size_t i = 0; i < a.permutation.size(); ++i) {
    map.axes[static_cast<size_t>(a.permutation[i])] = Affine{static_cast<int>(i)};
  }
  return {map};
}

int64_t macs_of(const Transpose&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Transpose& a, const OpView& v) {
  Shape shape;
  for (int axis : a.permutation) shape.push_back(v.x()[static_cast<size_t>(axis)]);
  return shape;
}

Traits traits_of(const Transpose&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Transpose&) {
  return {kOneInput,
          kRank1To6,
          {"the permutation is constant and names each axis of the input once", is_permutation},
          kAllOneCopiedType,
          kAllSameQuantization,
          kOutputShape};
}

}  // namespace thimble
