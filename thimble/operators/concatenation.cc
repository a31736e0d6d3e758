// SPDX-License-Identifier: Apache-2.0
// CONCATENATION: the inputs one after the other along an axis.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

bool axis_exists(const Graph& graph, const Op& op) {
  const int axis = std::get<Concat>(op.attributes).axis;
  return axis >= 0 && static_cast<size_t>(axis) < OpView{graph, op}.x().size();
}

bool shapes_line_up(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const auto axis = static_cast<size_t>(std::get<Concat>(op.attributes).axis);
  for (size_t k = 1; k < v.inputs(); ++k) {
    Shape shape = v.in(k).shape;
    if (shape.size() != v.x().size()) return false;
    shape[axis] = v.x()[axis];
    if (shape != v.x()) return false;
  }
  return true;
}

bool no_activation(const Graph&, const Op& op) {
  return std::get<Concat>(op.attributes).activation == Activation::kNone;
}

}  // namespace

AccessMap access_map_of(const Concat& a, const OpView& v) {
  const auto axis = static_cast<size_t>(a.axis);
  AccessMap maps;
  int64_t offset = 0;
  for (size_t k = 0; k < v.inputs(); ++k) {
    InputMap map = identity_map(v.in(k).shape.size());
    map.axes[axis] = Affine{.out_axis = a.axis, .lo = -offset, .hi = -offset};
    maps.push_back(map);
    offset += v.in(k).shape[axis];
  }
  return maps;
}

int64_t macs_of(const Concat&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Concat& a, const OpView& v) {
  Shape shape = v.x();
  const auto axis = static_cast<size_t>(a.axis);
  for (size_t k = 1; k < v.inputs(); ++k) shape[axis] += v.in(k).shape[axis];
  return shape;
}

Traits traits_of(const Concat&) { return {}; }

std::vector<Constraint> constraints_of(const Concat&) {
  return {kRank1To6,
          {"the axis is one of the first input's", axis_exists},
          {"the inputs differ in the extent of that axis only", shapes_line_up},
          {"there is no fused activation", no_activation},
          kAllOneCopiedType,
          kAllSameQuantization,
          kOutputShape};
}

}  // namespace thimble
