// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM: over some axes, which the output keeps with extent 1 or drops.
#include <algorithm>

#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// Sums of so many int8 (int16) values, less their zero point, stay within 32 bits.
constexpr int64_t kMostOfInt8 = int64_t{1} << 23, kMostOfInt16 = int64_t{1} << 15;

using Axes = std::vector<int>;

const Axes& axes_of(const Op& op) {
  const auto* sum = std::get_if<Sum>(&op.attributes);
  return sum != nullptr ? sum->axes : std::get<Mean>(op.attributes).axes;
}

bool is_reduced(const Axes& axes, size_t axis) {
  return std::ranges::find(axes, static_cast<int>(axis)) != axes.end();
}

bool keeps_axes(const OpView& v) { return v.out().shape.size() == v.x().size(); }

bool axes_are_sorted(const Graph& graph, const Op& op) {
  const Axes& axes = axes_of(op);
  const auto rank = static_cast<int>(OpView{graph, op}.x().size());
  int last = -1;
  for (int axis : axes) {
    if (axis <= last || axis >= rank) return false;
    last = axis;
  }
  return !axes.empty();
}

bool count_is_small(const Graph& graph, const Op& op) {
  int64_t count = 1;
  for (int axis : axes_of(op)) {
    count *= OpView{graph, op}.x()[static_cast<size_t>(axis)];
  }
  return count < (OpView{graph, op}.in(0).type == DType::kInt16 ? kMostOfInt16 : kMostOfInt8);
}

bool ratio_is_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const double ratio =
      static_cast<double>(v.in(0).quantization.scales[0]) / v.out().quantization.scales[0];
  return ratio > 0x1p-30 && ratio < 0x1p20;
}

bool has_at_most_4_axes(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return !v.x().empty() && v.x().size() <= 4 && v.out().shape.size() <= 4;
}

InputMap reduction_map(const Axes& axes, const OpView& v) {
  InputMap map;
  int next = 0;
  for (size_t i = 0; i < v.x().size(); ++i) {
    if (!is_reduced(axes, i)) {
      map.axes.push_back(Affine{next++});
    } else {
      map.axes.push_back(Reduced{});
      if (keeps_axes(v)) ++next;
    }
  }
  return map;
}

Shape reduced_shape(const Axes& axes, const OpView& v) {
  Shape shape;
  for (size_t i = 0; i < v.x().size(); ++i) {
    if (!is_reduced(axes, i)) {
      shape.push_back(v.x()[i]);
    } else if (keeps_axes(v)) {
      shape.push_back(1);
    }
  }
  return shape;
}

std::vector<Constraint> reduction_constraints() {
  return {kOneInput,
          {"the input has 1 to 4 axes and the output at most 4", has_at_most_4_axes},
          {"at least one axis is reduced, and each is an axis of the input", axes_are_sorted},
          {"fewer than 2^23 elements of int8, 2^15 of int16, make one", count_is_small, true},
          kAllInt8Int16OrFloat32,
          kAllHaveOneScale,
          kInt16IsSymmetric,
          {"input scale / output scale is within 2^-30 and 2^20", ratio_is_moderate, true},
          kOutputShape};
}

}  // namespace

AccessMap access_map_of(const Mean& a, const OpView& v) { return {reduction_map(a.axes, v)}; }
AccessMap access_map_of(const Sum& a, const OpView& v) { return {reduction_map(a.axes, v)}; }

int64_t macs_of(const Mean&, const OpView&, const Region&) { return 0; }
int64_t macs_of(const Sum&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Mean& a, const OpView& v) { return reduced_shape(a.axes, v); }
Shape output_shape_of(const Sum& a, const OpView& v) { return reduced_shape(a.axes, v); }

Traits traits_of(const Mean&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Mean&) { return reduction_constraints(); }
Traits traits_of(const Sum&) { return {.by_channel = true}; }

std::vector<Constraint> constraints_of(const Sum&) { return reduction_constraints(); }

}  // namespace thimble
