// SPDX-License-Identifier: Apache-2.0
// Which instances execute a few channels at a time, and the group that they are.
#include "thimble/moves/slice_channels.h"

#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/plan/evaluate.h"

namespace thimble {
namespace {

struct Sliced {
  explicit Sliced(const Graph& graph)
      : instances(instances_of(graph, {})), axes(graph), flow(axes, instances), rules(flow) {}

  [[nodiscard]] std::optional<ChannelGroup> group_of(const std::vector<int>& list) const {
    std::vector<InstanceId> ids;
    for (const int i : list) ids.push_back({i});
    return rules.group_of(ids);
  }

  Instances instances;
  AxisGraph axes;
  Dataflow flow;
  ChannelSlicing rules;
};

ValueId slice_of(TensorId tensor) { return {tensor.value}; }

// Pex's Figure 1.
TEST(SliceChannels, ExpandsContinuesAndAccumulates) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 13, 13, 24});
  const TensorId e = g.conv(x, 144, 1, 1);
  const TensorId d = g.depthwise(e, 3, 1);
  const TensorId y = g.conv(d, 24, 1, 1);
  g.output(y);
  const Sliced net(g.graph());
  const std::optional<ChannelGroup> group = net.group_of({0, 1, 2});
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->channels, 144);
  EXPECT_TRUE(group->is_pair);
  EXPECT_EQ(group->slices, (std::vector{slice_of(e), slice_of(d)}));
  EXPECT_EQ(group->accumulated, std::vector{slice_of(y)});
  EXPECT_EQ(group->context, std::vector{slice_of(x)});
  EXPECT_EQ(group->group.loop.alongside.size(), 0U);
  const std::vector<InstanceCall> steps = calls(group->members(4));
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[2].method, Method::kAccumulate);
  EXPECT_EQ(steps[3], (InstanceCall{.instance = {2}, .method = Method::kFinalise}));
  const GroupBytes bytes = group_bytes(net.flow, derive(net.flow, group->group).value());
  EXPECT_EQ(bytes, (GroupBytes{.made = 4 * 13 * 13 * 24, .inner = 2 * 13 * 13}));
}

TEST(SliceChannels, TilesAlongsideWhatNothingConnects) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 8, 8, 4});
  const TensorId a = g.conv(x, 16, 1, 1);
  const TensorId b = g.conv(x, 16, 3, 1);
  const TensorId y = g.conv(a, 4, 1, 1), z = g.conv(b, 4, 1, 1);
  g.output(g.add(y, z));
  const Sliced net(g.graph());
  const std::optional<ChannelGroup> group = net.group_of({0, 1, 2, 3});
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->group.loop.alongside, (std::vector{std::pair(slice_of(b), 3)}));
  EXPECT_TRUE(derive(net.flow, group->group).has_value());
  EXPECT_FALSE(net.group_of({0, 1, 2, 3, 4}).has_value());  // adds what is not finished
}

TEST(SliceChannels, RefusesOtherNumbersOfChannelsAndGroupsWithoutASlice) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 8, 8, 4});
  const TensorId a = g.conv(x, 16, 1, 1);
  const TensorId b = g.conv(x, 12, 1, 1);
  g.output(g.conv(a, 4, 1, 1));
  g.output(g.conv(b, 4, 1, 1));
  const Sliced net(g.graph());
  EXPECT_TRUE(net.group_of({0, 2}).has_value());
  EXPECT_FALSE(net.group_of({0, 1, 2, 3}).has_value());
  EXPECT_FALSE(net.group_of({0}).has_value());
  EXPECT_FALSE(net.group_of({2}).has_value());
  EXPECT_EQ(net.rules.most_slices(slice_of(a)), 16);
  EXPECT_EQ(net.rules.most_slices(slice_of(x)), 1);
}

}  // namespace
}  // namespace thimble
