// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/span.h"

#include <gtest/gtest.h>

#include "tests/support/test_graph.h"

namespace thimble {
namespace {

constexpr int kRows = 1;
constexpr LoopId kTick{0};

Interval at(const Span& span, size_t member, int64_t tick) {
  return evaluate(span.members[member].interval, {tick});
}

// t row 2 i + 2 is the last that row i of y reads.
TEST(Span, StrideTwoMakesTwoRowsATick) {
  testing::TestGraph g(1);
  const TensorId t = g.conv(g.input({1, 16, 16, 2}), 3, 3, 2);
  g.output(g.conv(t, 2, 3, 2));
  const Span span = derive_span(g.graph(), {{0}, {1}}, kRows, kTick).value();
  EXPECT_EQ(span.ticks, 5);  // one before the first row of y
  EXPECT_EQ(at(span, 0, 0), (Interval{-1, 1}));
  EXPECT_EQ(at(span, 0, 1), (Interval{1, 3}));
  EXPECT_EQ(at(span, 1, 1), (Interval{0, 1}));
  EXPECT_EQ(span.rings, (std::vector<SpanRing>{{t, 3}}));
}

// y = t + depthwise 5x5 (t): the short branch waits, so t keeps rows i - 2 .. i + 2.
TEST(Span, UnequalBranchesAreServedByTheDeeperOne) {
  testing::TestGraph g(2);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 1, 1);
  const TensorId u = g.depthwise(t, 5, 1);
  g.output(g.add(t, u));
  const Span span = derive_span(g.graph(), {{0}, {1}, {2}}, kRows, kTick).value();
  EXPECT_EQ(span.ticks, 10);
  EXPECT_EQ(at(span, 0, 0), (Interval{0, 1}));
  EXPECT_EQ(at(span, 1, 2), (Interval{0, 1}));
  EXPECT_EQ(at(span, 2, 9), (Interval{7, 8}));
  EXPECT_EQ(span.rings, (std::vector<SpanRing>{{t, 5}, {u, 1}}));
}

// Two output channels read one input channel: its producer fires at every second tick.
TEST(Span, MultipliersLetAMemberRest) {
  testing::TestGraph g(6);
  const TensorId t = g.depthwise(g.input({1, 4, 4, 3}), 3, 1);
  const TensorId y = g.depthwise(t, 3, 1);
  g.graph().tensor(y).shape[3] = 6;
  std::get<DepthwiseConv2D>(g.graph().ops[1].attributes).multiplier = 2;
  const Span span = derive_span(g.graph(), {{0}, {1}}, 3, kTick).value();
  EXPECT_EQ(span.ticks, 6);
  EXPECT_EQ(at(span, 0, 2), (Interval{1, 2}));
  EXPECT_TRUE(at(span, 0, 3).empty());
  EXPECT_EQ(span.rings, (std::vector<SpanRing>{{t, 1}}));
}

// Rows from the last to the first: the first tick needs what the producer makes last.
TEST(Span, HasNoFormForASliceThatRunsBackwards) {
  testing::TestGraph g(7);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 2, 3, 1);
  const TensorId y = g.depthwise(t, 1, 1);
  g.graph().ops[1] = {Slice{{0, 7, 0, 0}, {1, -1, 1, 1}, {}}, {t}, {y}, 1};
  EXPECT_FALSE(derive_span(g.graph(), {{0}, {1}}, kRows, kTick).has_value());
  std::get<Slice>(g.graph().ops[1].attributes) = {{0, 0, 0, 0}, {1, 1, 1, 1}, {}};
  EXPECT_TRUE(derive_span(g.graph(), {{0}, {1}}, kRows, kTick).has_value());
}

TEST(Span, RingsAreNeverLargerThanTheTensor) {
  testing::TestGraph g(3);
  const TensorId t = g.conv(g.input({1, 3, 3, 2}), 3, 1, 1);
  g.output(g.depthwise(t, 5, 1));
  EXPECT_EQ(derive_span(g.graph(), {{0}, {1}}, kRows, kTick).value().rings,
            (std::vector<SpanRing>{{t, 3}}));
}

TEST(Span, EndsWhereAnAxisIsNotFollowed) {
  testing::TestGraph g(4);
  const TensorId t = g.conv(g.input({1, 4, 4, 2}), 3, 1, 1);
  g.output(g.transpose(t, {0, 2, 1, 3}));
  EXPECT_FALSE(derive_span(g.graph(), {{0}, {1}}, kRows, kTick).has_value());
  EXPECT_FALSE(derive_span(g.graph(), {{0}}, 3, kTick).has_value()) << "channels are reduced";
}

TEST(Span, RefusesMembersThatNothingInsideReads) {
  testing::TestGraph g(5);
  const TensorId x = g.input({1, 4, 4, 2});
  g.output(g.conv(x, 2, 1, 1));
  g.output(g.conv(x, 2, 1, 1));
  EXPECT_FALSE(derive_span(g.graph(), {{0}, {1}}, kRows, kTick).has_value());
}

}  // namespace
}  // namespace thimble
