// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/least_rings.h"

#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/plan/order_problem.h"

namespace thimble {
namespace {

TEST(LeastRings, AreWhatOnePositionOfAReaderNeeds) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 32, 32, 3});
  const TensorId t = g.conv(x, 4, 1, 1);
  g.output(g.depthwise(t, 3, 1));
  const Graph graph = g.graph();
  const AxisGraph axes(graph);
  const Instances instances = instances_of(graph, PortPlaces{});
  const Dataflow flow(axes, instances);
  const OrderProblem problem = order_problem(graph, instances, false);
  const std::vector<LeastRing> rings = least_rings(flow, problem.size_bytes);
  const ValueId made = instances.instance({0}).makes;
  EXPECT_EQ(rings[made.index()].by_rows, 3 * 32 * 4);
  EXPECT_EQ(rings[made.index()].by_pixels, (2 * 32 + 3) * 4);
  EXPECT_TRUE(follows_rows(flow, {0}));
}

}  // namespace
}  // namespace thimble
