// SPDX-License-Identifier: Apache-2.0
// MEAN: the average over some axes, which the output keeps with extent 1 or drops.
#include <algorithm>

#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

/// Sums of so many int8 values, less their zero point, stay within 32 bits.
constexpr int64_t kMostAveraged = int64_t{1} << 23;

bool is_reduced(const Mean& a, size_t axis) {
  return std::find(a.axes.begin(), a.axes.end(), static_cast<int>(axis)) != a.axes.end();
}

bool keeps_axes(const OpView& v) { return v.out().shape.size() == v.x().size(); }

bool axes_are_sorted(const Graph& graph, const Op& op) {
  const Mean& a = std::get<Mean>(op.attributes);
  const auto rank = static_cast<int>(OpView{graph, op}.x().size());
  int last = -1;
  for (int axis : a.axes) {
    if (axis <= last || axis >= rank) return false;
    last = axis;
  }
  return !a.axes.empty();
}

bool count_is_small(const Graph& graph, const Op& op) {
  int64_t count = 1;
  for (int axis : std::get<Mean>(op.attributes).axes) {
    count *= OpView{graph, op}.x()[static_cast<size_t>(axis)];
  }
  return count < kMostAveraged;
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

}  // namespace

AccessMap access_map_of(const Mean& a, const OpView& v) {
  InputMap map;
  int next = 0;
  for (size_t i = 0; i < v.x().size(); ++i) {
    if (!is_reduced(a, i)) {
      map.axes.push_back(Affine{next++});
    } else {
      map.axes.push_back(Reduced{});
      if (keeps_axes(v)) ++next;
    }
  }
  return {map};
}

int64_t macs_per_element(const Mean&, const OpView&) { return 0; }

Shape output_shape_of(const Mean& a, const OpView& v) {
  Shape shape;
  for (size_t i = 0; i < v.x().size(); ++i) {
    if (!is_reduced(a, i)) {
      shape.push_back(v.x()[i]);
    } else if (keeps_axes(v)) {
      shape.push_back(1);
    }
  }
  return shape;
}

std::vector<Constraint> constraints_of(const Mean&) {
  return {kOneInput,
          {"the input has 1 to 4 axes and the output at most 4", has_at_most_4_axes},
          {"at least one axis is averaged over, and each is an axis of the input", axes_are_sorted},
          {"fewer than 2^23 elements are averaged", count_is_small, true},
          kAllInt8OrFloat32,
          kAllHaveOneScale,
          {"input scale / output scale is within 2^-30 and 2^20", ratio_is_moderate, true},
          kOutputShape};
}

}  // namespace thimble
