// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/strips.h"

#include <gtest/gtest.h>

#include "tests/plan/hand_plans.h"
#include "tests/support/test_graph.h"

namespace thimble {
namespace {

using testing::computed;
using testing::group;
using testing::tiles;
using testing::value_of;

/// x > conv 3x3 > a > depthwise 3x3 > y, 16 columns; a pixel of y at a time.
struct TwoLayers {
  testing::TestGraph g{1};
  TensorId a, y;
  TwoLayers() {
    a = g.conv(g.input({1, 16, 16, 4}), 8, 3, 1);
    y = g.depthwise(a, 3, 1);
    g.output(y);
  }
  [[nodiscard]] Group loops(int64_t columns) const {
    return std::get<Group>(
        group(tiles(value_of(y), 1, 1), {group(tiles(value_of(y), 2, columns), computed(0, 2))})
            .what);
  }
};

TEST(Strips, KeepRowsOfTheirWidth) {
  const TwoLayers net;
  const AxisGraph axes(net.g.graph());
  const Instances instances = instances_of(net.g.graph(), {});
  const Dataflow flow(axes, instances);
  const auto inner_bytes = [&](const Group& loops) {
    return group_bytes(flow, derive(flow, loops).value()).inner;
  };
  EXPECT_EQ(inner_bytes(net.loops(1)), (2 * 16 + 3) * 8);
  EXPECT_EQ(inner_bytes(in_strips(flow, net.loops(1), 2).value()), (2 * 9 + 3) * 8);
  // 4 columns and one at both sides
  EXPECT_EQ(inner_bytes(in_strips(flow, net.loops(1), 4).value()), (2 * 6 + 3) * 8);
}

TEST(Strips, AreWholeTilesOfTheColumns) {
  const TwoLayers net;
  const AxisGraph axes(net.g.graph());
  const Instances instances = instances_of(net.g.graph(), {});
  const Dataflow flow(axes, instances);
  EXPECT_EQ(in_strips(flow, net.loops(3), 2).value().loop.step, 9);
  EXPECT_FALSE(in_strips(flow, net.loops(16), 2).has_value());
  EXPECT_FALSE(in_strips(flow, {.loop = tiles(value_of(net.y), 1, 1), .members = computed(0, 2)}, 2)
                   .has_value());
}

}  // namespace
}  // namespace thimble
