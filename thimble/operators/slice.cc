// SPDX-License-Identifier: Apache-2.0
// SLICE and STRIDED_SLICE: every stride-th index from begin, along each axis.
#include <algorithm>
#include <limits>

#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

const Slice& slice(const Op& op) { return std::get<Slice>(op.attributes); }

bool is_dropped(const Slice& a, size_t axis) {
  return std::binary_search(a.dropped.begin(), a.dropped.end(), static_cast<int>(axis));
}

bool one_begin_and_stride_per_axis(const Graph& graph, const Op& op) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  auto in_range = [](int64_t n) { return n >= -kMost && n <= kMost; };
  auto is_stride = [&](int64_t n) { return in_range(n) && n != 0; };
  const Slice& a = slice(op);
  const size_t rank = OpView{graph, op}.x().size();
  return a.begin.size() == rank && a.stride.size() == rank &&
         std::ranges::all_of(a.begin, in_range) && std::ranges::all_of(a.stride, is_stride);
}

bool dropped_axes_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const std::vector<int>& dropped = slice(op).dropped;
  const auto rank = static_cast<int>(v.x().size());
  const bool exist =
      std::ranges::all_of(dropped, [&](int axis) { return axis >= 0 && axis < rank; });
  const bool ascending = std::ranges::adjacent_find(dropped, std::greater_equal()) == dropped.end();
  return exist && ascending && v.out().shape.size() + dropped.size() == v.x().size();
}

bool indices_exist(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const Slice& a = slice(op);
  size_t kept = 0;
  for (size_t axis = 0; axis < a.begin.size(); ++axis) {
    const int64_t count = is_dropped(a, axis) ? 1 : v.out().shape[kept++];
    for (int64_t index : {a.begin[axis], a.begin[axis] + (count - 1) * a.stride[axis]}) {
      if (index < 0 || index >= v.x()[axis]) return false;
    }
  }
  return true;
}

}  // namespace

AccessMap access_map_of(const Slice& a, const OpView& v) {
  InputMap map;
  int kept = 0;
  for (size_t axis = 0; axis < v.x().size(); ++axis) {
    const int64_t begin = a.begin[axis];
    if (is_dropped(a, axis)) {
      map.axes.push_back(Point{begin});
    } else {
      map.axes.push_back(
          Affine{.out_axis = kept++, .num = a.stride[axis], .lo = begin, .hi = begin});
    }
  }
  return {map};
}

int64_t macs_of(const Slice&, const OpView&, const Region&) { return 0; }

Shape output_shape_of(const Slice&, const OpView& v) { return v.out().shape; }

Traits traits_of(const Slice&) { return {}; }

std::vector<Constraint> constraints_of(const Slice&) {
  return {kOneInput,
          kRank1To6,
          {"begins and strides are constants, one for each axis; no stride is 0",
           one_begin_and_stride_per_axis},
          {"the output has the input's axes, without those that are dropped", dropped_axes_fit},
          {"every index is within the input", indices_exist},
          kAllOneCopiedType,
          kAllSameQuantization};
}

}  // namespace thimble
