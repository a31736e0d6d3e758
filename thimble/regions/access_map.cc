// SPDX-License-Identifier: Apache-2.0
// From a region of the output to the region of an input that it needs.
#include "thimble/regions/access_map.h"

#include <algorithm>

#include "thimble/model/division.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

Interval cut(int64_t begin, int64_t end, int64_t extent) {
  const int64_t first = std::clamp<int64_t>(begin, 0, extent);
  return {first, std::clamp(end, first, extent)};
}

/// The interval of one input axis of `extent` elements. The output region is not empty.
struct AxisInterval {
  int64_t extent;
  const Region& out;

  const Interval& on(int axis) const {
    check(axis >= 0 && static_cast<size_t>(axis) < out.size(), "access map: no such output axis");
    return out[static_cast<size_t>(axis)];
  }
  Interval operator()(const Affine& map) const {
    const Interval& o = on(map.out_axis);
    const auto [low, high] = std::minmax({o.begin * map.num, (o.end - 1) * map.num});
    return cut(floor_div(low + map.lo, map.den), floor_div(high + map.hi, map.den) + 1, extent);
  }
  Interval operator()(const Grouped& map) const {
    const Interval& o = on(map.out_axis);
    return cut(o.begin / map.out_per_group * map.in_per_group,
               ((o.end - 1) / map.out_per_group + 1) * map.in_per_group, extent);
  }
  Interval operator()(const Scan& map) const { return cut(0, on(map.out_axis).end, extent); }
  Interval operator()(const Point& map) const { return cut(map.index, map.index + 1, extent); }
  Interval operator()(const Broadcast&) const { return {0, extent}; }
  Interval operator()(const Reduced&) const { return {0, extent}; }
  Interval operator()(const Whole&) const { return {0, extent}; }
};

/// Box of `shape` around the elements first .. last (inclusive) in row-major order.
Region box_around(int64_t first, int64_t last, const Shape& shape) {
  Region region(shape.size());
  int64_t pitch = elements(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (first / pitch != last / pitch) {  // an axis further out differs: this one wraps around
      region[i] = {0, shape[i]};
      continue;
    }
    pitch /= shape[i];
    region[i] = {first / pitch % shape[i], last / pitch % shape[i] + 1};
  }
  return region;
}

Region linear_region(const Shape& in, const Shape& out, const Region& out_region) {
  check(elements(in) == elements(out), "access map: a linear map between different sizes");
  int64_t first = 0;
  int64_t last = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    first = first * out[i] + out_region[i].begin;
    last = last * out[i] + out_region[i].end - 1;
  }
  return box_around(first, last, in);
}

}  // namespace

Region input_region(const InputMap& map, const Shape& in, const Shape& out,
                    const Region& out_region) {
  check(out_region.size() == out.size(), "access map: region of another rank than the output");
  if (empty(out_region)) return Region(in.size());
  if (map.linear) return linear_region(in, out, out_region);
  check(map.axes.size() == in.size(), "access map: not one entry per axis of the input");
  Region region;
  region.reserve(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    region.push_back(input_interval(map.axes[i], in[i], out_region));
  }
  return region;
}

Interval input_interval(const AxisMap& map, int64_t extent, const Region& out_region) {
  return std::visit(AxisInterval{extent, out_region}, map);
}

}  // namespace thimble
