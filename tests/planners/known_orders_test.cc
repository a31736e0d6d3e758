// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/stream_orders.h"

namespace thimble {
namespace {

TEST(KnownOrders, AreThoseOfTheInstancesAndSearchedOnce) {
  testing::TestGraph g(1);
  const TensorId x = g.conv(g.input({1, 8, 8, 3}), 16, 3, 1);
  const TensorId narrow = g.conv(x, 2, 1, 1), wide = g.conv(x, 32, 1, 1);
  g.output(g.concat(g.conv(g.depthwise(wide, 3, 1), 2, 1, 1), narrow));
  const AxisGraph axes(g.graph());
  const Instances instances = instances_of(g.graph(), {});
  const Dataflow flow(axes, instances);
  KnownOrders known;
  const OrderProblem in_place = order_problem(g.graph(), instances, true);
  const auto& first = known.orders_of(flow, in_place, nullptr);
  EXPECT_EQ(first, stream_orders(flow, in_place, nullptr));
  const OrderProblem apart = order_problem(g.graph(), instances, false);
  EXPECT_EQ(known.orders_of(flow, apart, nullptr), stream_orders(flow, apart, nullptr));
  EXPECT_EQ(&known.orders_of(flow, in_place, nullptr), &first);
  EXPECT_NE(&known.orders_of(flow, apart, nullptr), &first);
}

}  // namespace
}  // namespace thimble
