// SPDX-License-Identifier: Apache-2.0
// Networks some of whose operators stand twice.
#include "thimble/planners/second_pass.h"

#include <gtest/gtest.h>

#include "tests/support/test_graph.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/stream.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

TEST(SecondPass, IsOfImagesThatWaitForAMeanOfThemselves) {
  const Graph graph = build_zoo("efficientnet_b0:resolution=32");
  const std::vector<SecondPass> passes = second_passes(graph);
  ASSERT_FALSE(passes.empty());
  for (const SecondPass& pass : passes) {
    const TensorId image = graph.op(pass.ops.back()).outputs[0];
    EXPECT_EQ(pass.bytes, graph.tensor(image).size_bytes());
    int64_t sum = 0;
    for (const OpId op : pass.ops) sum += macs(graph, graph.op(op));
    EXPECT_EQ(pass.macs, sum);
    // The gate, or a residual behind it.
    for (const OpId reader : pass.readers) {
      const Attributes& a = graph.op(reader).attributes;
      EXPECT_TRUE(std::holds_alternative<Mul>(a) || std::holds_alternative<Add>(a))
          << label(graph.op(reader));
    }
  }
}

TEST(SecondPass, IsNotOfResidualsThatStream) {
  testing::TestGraph g(1);
  const TensorId x = g.conv(g.input({1, 8, 8, 2}), 4, 3, 1);
  g.output(g.add(x, g.conv(x, 4, 3, 1)));
  EXPECT_TRUE(second_passes(g.graph()).empty());
}

TEST(SecondPass, DoublesOperatorsAndTurnsSchedulesBack) {
  const Graph graph = build_zoo("efficientnet_b0:resolution=32");
  std::vector<SecondPass> passes = second_passes(graph);
  passes.resize(2);
  const Doubled twice = doubled(graph, passes);
  EXPECT_EQ(twice.graph.ops.size(), graph.ops.size() + passes[0].ops.size() + passes[1].ops.size());
  for (size_t k = 0; k < twice.op_of.size(); ++k)
    EXPECT_EQ(twice.graph.ops[k].attributes, graph.op(twice.op_of[k]).attributes);
  const auto planned = std::get<Planned>(plan_stream(twice.graph, {}, {{"granularity", "row"}}));
  const Schedule back = undoubled(twice, planned.schedule);
  EXPECT_EQ(malformed(graph, back), "");
  EXPECT_EQ(macs(graph, back), macs(graph) + passes[0].macs + passes[1].macs);
}

}  // namespace
}  // namespace thimble
