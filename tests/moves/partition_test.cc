// SPDX-License-Identifier: Apache-2.0
// Partition schemes: all steps are those that planners try, and more.
#include "thimble/moves/partition.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/random_network.h"
#include "thimble/plan/order_problem.h"
#include "zoo/builder.h"

namespace thimble {
namespace {

/// A network in its own order.
struct Case {
  explicit Case(Graph network) : graph(std::move(network)) {}

  Graph graph;
  AxisGraph axes{graph};
  Instances instances = instances_of(graph, {});
  Dataflow flow{axes, instances};
  OrderProblem problem = order_problem(graph, instances, true);
  std::vector<int> order = original_order(problem).ops;
  RolledGroups rolls{flow, problem, order, {}};
};

std::vector<Group> groups(const Case& c, PartCounts steps, int begin, int end) {
  const Partitions partitions(c.flow, c.rolls, c.order, steps);
  std::vector<Group> result;
  const auto add = [&](const std::vector<GroupCandidate>& parts) {
    for (const GroupCandidate& part : parts) result.push_back(part.group);
  };
  add(partitions.along_channels(begin, end));
  add(partitions.along_rows(begin, end, 4, Windows::kBlocks));
  add(partitions.along_rows(begin, end, 100, Windows::kRings));
  add(partitions.along_columns_of_rows(begin, end));
  return result;
}

TEST(Partitions, OfAllStepsHaveThoseOfSome) {
  size_t some_groups = 0, all_groups = 0;
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    const Case c(testing::random_chain(seed));
    const auto count = static_cast<int>(c.order.size());
    for (int begin = 0; begin < count; ++begin) {
      for (int end = begin + 1; end <= count; ++end) {
        const std::vector<Group> all = groups(c, PartCounts::kAll, begin, end);
        for (const Group& group : groups(c, PartCounts::kSome, begin, end)) {
          ASSERT_NE(std::ranges::find(all, group), all.end())
              << seed << ": " << begin << " " << end;
          ++some_groups;
        }
        all_groups += all.size();
      }
    }
  }
  EXPECT_GT(some_groups, 100);
  EXPECT_GT(all_groups, some_groups);
}

TEST(Partitions, OfAllStepsAreEveryNumberOfPositions) {
  zoo::Builder net("windows", 1);
  const TensorId image = net.input({1, 9, 9, 4});
  const Case c(net.finish({net.depthwise(net.depthwise(image, {.kernel = 3}), {.kernel = 3})}));
  const auto steps = [&](Windows windows, int64_t most) {
    std::vector<int64_t> result;
    for (const GroupCandidate& part :
         Partitions(c.flow, c.rolls, c.order, PartCounts::kAll).along_rows(0, 2, most, windows))
      result.push_back(part.group.loop.step);
    return result;
  };
  EXPECT_EQ(steps(Windows::kRings, 100), (std::vector<int64_t>{8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(steps(Windows::kBlocks, 3), (std::vector<int64_t>{8, 7, 6, 5, 4, 3}));
}

}  // namespace
}  // namespace thimble
