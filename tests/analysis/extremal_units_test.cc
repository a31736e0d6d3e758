// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/extremal_units.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace thimble {
namespace {

using Visit = std::function<void(const Region&)>;

/// How far the units visited write ahead of what those from them on read: what a lead is made of.
int64_t lead(const InputMap& map, const Shape& in, const Shape& out,
             const std::function<void(const Visit&)>& each_unit) {
  struct Unit {
    int64_t written, read;
  };
  std::vector<Unit> units;
  const auto offset = [](const Shape& shape, const Region& region, bool last) {
    int64_t at = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      at = at * shape[axis] + (last ? region[axis].end - 1 : region[axis].begin);
    return at;
  };
  each_unit([&](const Region& unit) {
    const Region read = input_region(map, in, out, unit);
    units.push_back({offset(out, unit, true) + 1,
                     empty(read) ? std::numeric_limits<int64_t>::max() : offset(in, read, false)});
  });
  int64_t most = std::numeric_limits<int64_t>::min();
  int64_t needed = std::numeric_limits<int64_t>::max();
  for (size_t k = units.size(); k-- > 0;) {
    needed = std::min(needed, units[k].read);
    if (needed != std::numeric_limits<int64_t>::max())
      most = std::max(most, units[k].written - needed);
  }
  return most;
}

TEST(ExtremalUnits, DecideTheLeadOfRandomWindows) {
  std::mt19937 random(1);
  const auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int c = 0; c < 3000; ++c) {
    SCOPED_TRACE(c);
    InputMap map{.axes = {Affine{.out_axis = 0}}};
    Shape in = {draw(1, 2)}, out = {in[0]};
    for (int axis = 1; axis < 3; ++axis) {
      const int64_t stride = draw(1, 3), before = draw(0, 4), window = draw(1, 4);
      map.axes.emplace_back(
          Affine{.out_axis = axis, .num = stride, .lo = -before, .hi = window - 1 - before});
      in.push_back(draw(1, 9));
      out.push_back(draw(1, 9));
    }
    map.axes.emplace_back(Reduced{});
    in.push_back(draw(1, 4));
    out.push_back(draw(1, 4));
    Region region;
    for (const int64_t extent : out) {
      const int64_t begin = draw(0, extent - 1);
      region.push_back({begin, draw(begin + 1, extent)});
    }
    const int64_t all = lead(
        map, in, out, [&](const Visit& visit) { for_each_unit(Progress::kPixel, region, visit); });
    const int64_t extremal = lead(map, in, out, [&](const Visit& visit) {
      for_each_extremal_unit(Progress::kPixel, region, {{map, in}}, visit);
    });
    ASSERT_EQ(extremal, all);
  }
}

TEST(ExtremalUnits, AreAsManyInALargeImageAsInASmallOne) {
  const auto count = [](int64_t side) {
    const InputMap map{.axes = {Affine{.out_axis = 0}, Affine{.out_axis = 1, .lo = -1, .hi = 1},
                                Affine{.out_axis = 2, .lo = -1, .hi = 1}, Reduced{}}};
    const Shape shape = {1, side, side, 3};
    int units = 0;
    for_each_extremal_unit(Progress::kPixel, whole(shape), {{map, shape}},
                           [&](const Region&) { ++units; });
    return units;
  };
  EXPECT_EQ(count(4096), count(64));
  EXPECT_LT(count(4096), 200);
}

}  // namespace
}  // namespace thimble
