// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/extremal_units.h"

#include <algorithm>

#include "thimble/model/division.h"

namespace thimble {
namespace {

/// Last indices before a bend, per axis of the output.
using Bends = std::vector<std::vector<int64_t>>;

/// Adds the bends of one axis of an operand; false if it has more than a few.
struct AddBends {
  int64_t extent;
  int unit_axes;  ///< axes of the output from here on lie whole in each unit
  Bends& bends;

  bool operator()(const Affine& map) const {
    if (map.out_axis >= unit_axes) return true;
    if (map.num < 1 || map.den != 1) return false;
    std::vector<int64_t>& at = bends[static_cast<size_t>(map.out_axis)];
    at.push_back(floor_div(-map.lo, map.num));          // the first that is read leaves 0
    at.push_back(floor_div(-map.hi, map.num));          // anything is read at all
    at.push_back(floor_div(extent - map.lo, map.num));  // nothing is read any more
    return true;
  }
  bool operator()(const Grouped& map) const { return map.out_axis >= unit_axes; }
  bool operator()(const Broadcast&) const { return true; }
  bool operator()(const Point&) const { return true; }
  bool operator()(const Reduced&) const { return true; }
  bool operator()(const Scan& map) const { return map.out_axis >= unit_axes; }
  bool operator()(const Whole&) const { return true; }
};

bool add_bends(const std::vector<WholeRead>& reads, int unit_axes, Bends& bends) {
  for (const WholeRead& read : reads) {
    if (read.map.linear) return false;
    for (size_t axis = 0; axis < read.map.axes.size(); ++axis) {
      if (!std::visit(AddBends{read.shape[axis], unit_axes, bends}, read.map.axes[axis]))
        return false;
    }
  }
  return true;
}

/// Indices within `all`: its ends, two by two, and both sides of each bend.
std::vector<int64_t> extremal(const Interval& all, const std::vector<int64_t>& bends) {
  std::vector<int64_t> result = {all.begin, all.begin + 1, all.end - 2, all.end - 1};
  for (const int64_t bend : bends) {
    for (int64_t near = bend - 2; near <= bend + 2; ++near) result.push_back(near);
  }
  std::erase_if(result, [&](int64_t at) { return at < all.begin || at >= all.end; });
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

void visit_grid(Region& unit, const std::vector<std::vector<int64_t>>& indices, size_t axis,
                const std::function<void(const Region&)>& visit) {
  if (axis == indices.size()) {
    visit(unit);
    return;
  }
  for (const int64_t at : indices[axis]) {
    unit[axis] = {at, at + 1};
    visit_grid(unit, indices, axis + 1, visit);
  }
}

}  // namespace

void for_each_extremal_unit(Progress progress, const Region& region,
                            const std::vector<WholeRead>& reads,
                            const std::function<void(const Region&)>& visit) {
  if (empty(region)) return;
  const bool runs = progress == Progress::kElement || progress == Progress::kPixel;
  const size_t unit_axes = region.empty() ? 0 : region.size() - 1;
  Bends bends(unit_axes);
  // A few units are as quick to visit.
  if (!runs || !add_bends(reads, static_cast<int>(unit_axes), bends)) {
    for_each_unit(progress, region, visit);
    return;
  }
  std::vector<std::vector<int64_t>> indices;
  for (size_t axis = 0; axis < unit_axes; ++axis)
    indices.push_back(extremal(region[axis], bends[axis]));
  Region unit = region;
  visit_grid(unit, indices, 0, visit);
}

}  // namespace thimble
