// SPDX-License-Identifier: Apache-2.0
// ARG_MAX, ARG_MIN: where along an axis the largest (smallest) value stands.
#include "thimble/operators/maps.h"
#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {

namespace {

bool arg_max_axis_exists(const Graph& graph, const Op& op) {
  const int axis = std::get<ArgMax>(op.attributes).axis;
  return axis >= 0 && axis < static_cast<int>(OpView{graph, op}.x().size());
}

bool indices_are_int32(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const DType type = v.in(0).type;
  return (type == DType::kInt8 || type == DType::kFloat32) && v.out().type == DType::kInt32;
}

}  // namespace

AccessMap access_map_of(const ArgMax& a, const OpView& v) {
  InputMap map = identity_map(v.x().size());
  const auto axis = static_cast<size_t>(a.axis);
  map.axes[axis] = Whole{};
  for (size_t k = axis + 1; k < map.axes.size(); ++k) map.axes[k] = Affine{static_cast<int>(k) - 1};
  return {map};
}

int64_t macs_of(const ArgMax&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const ArgMax& a, const OpView& v) {
  Shape shape = v.x();
  shape.erase(shape.begin() + a.axis);
  return shape;
}

Traits traits_of(const ArgMax&) { return {}; }

std::vector<Constraint> constraints_of(const ArgMax&) {
  return {kOneInput,
          {"the input has 1 to 6 axes and the output at most 6", ranks_within<0, 6>},
          {"the axis is one of the input's", arg_max_axis_exists},
          {"the input is int8 or float32, and the output int32", indices_are_int32},
          kOutputShape};
}

}  // namespace thimble
