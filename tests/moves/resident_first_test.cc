// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/resident_first.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/test_graph.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;

Graph attention() {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 6, 4});
  const TensorId queries = g.linear(x, 4);  // 0
  const TensorId keys = g.linear(x, 4);
  const TensorId values = g.linear(x, 4);  // 2
  const TensorId shares = g.softmax(g.batch_matmul(queries, keys, true));
  g.output(g.add(x, g.batch_matmul(shares, values, false)));
  return g.graph();
}

TEST(ResidentFirst, MakesKeysAndValuesBeforeTheQueries) {
  const Graph graph = attention();
  EXPECT_THAT(resident_first_order(AxisGraph(graph), instances_of(graph, {})),
              ElementsAre(2, 1, 0, 3, 4, 5, 6));
}

TEST(ResidentFirst, ReceivesBeforeAndDeliversBehindEverythingElse) {
  const Graph graph = attention();
  const Instances instances =
      instances_of(graph, {.input = Place::kStreamed, .output = Place::kStreamed});
  EXPECT_THAT(resident_first_order(AxisGraph(graph), instances),
              ElementsAre(0, 3, 2, 1, 4, 5, 6, 7, 8));
}

TEST(ResidentFirst, IsTheOrderAsItIsWhereAllOperandsFollowAlike) {
  testing::TestGraph g(2);
  const TensorId x = g.input({1, 6, 6, 4});
  const TensorId unused = g.conv(x, 2, 1, 1);
  g.output(g.add(g.conv(x, 4, 1, 1), g.depthwise(x, 3, 1)));
  g.output(unused);
  EXPECT_THAT(resident_first_order(AxisGraph(g.graph()), instances_of(g.graph(), {})),
              ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace thimble
