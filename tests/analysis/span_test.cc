// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/span.h"

#include <gtest/gtest.h>

#include "tests/support/test_graph.h"

namespace thimble {
namespace {

constexpr int kRows = 1;
constexpr LoopId kTick{0};

Interval at(const Span& span, size_t member, int64_t tick) {
  return evaluate(span.members[member].beat.interval(kTick), {tick});
}

std::vector<int64_t> rings(const Span& span) {
  std::vector<int64_t> result;
  for (const SpanMember& member : span.members) result.push_back(member.ring);
  return result;
}

// The clock is t's: y rests at every second tick. t row 2 i + 2 is the last that row i of y reads.
TEST(Span, BehindAStrideAMemberRests) {
  testing::TestGraph g(1);
  const TensorId t = g.conv(g.input({1, 16, 16, 2}), 3, 3, 2);
  g.output(g.conv(t, 2, 3, 2));
  const Span span = Spans(g.graph()).derive(kRows, {{0}, {1}}).value();
  EXPECT_EQ(span.ticks, 9);  // 8 rows of t, and one below it that is padding
  for (int64_t tick = 0; tick < 9; ++tick) EXPECT_EQ(at(span, 0, tick), (Interval{tick, tick + 1}));
  EXPECT_TRUE(at(span, 1, 1).empty());
  EXPECT_EQ(at(span, 1, 2), (Interval{0, 1}));
  EXPECT_TRUE(at(span, 1, 3).empty());
  EXPECT_EQ(at(span, 1, 8), (Interval{3, 4}));
  EXPECT_EQ(rings(span), (std::vector<int64_t>{3, 0}));
}

// y = t + depthwise 5x5 (t): the short branch waits, so t keeps rows i - 2 .. i + 2.
TEST(Span, UnequalBranchesAreServedByTheDeeperOne) {
  testing::TestGraph g(2);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 1, 1);
  const TensorId u = g.depthwise(t, 5, 1);
  g.output(g.add(t, u));
  const Span span = Spans(g.graph()).derive(kRows, {{0}, {1}, {2}}).value();
  EXPECT_EQ(span.ticks, 10);
  EXPECT_EQ(at(span, 0, 0), (Interval{0, 1}));
  EXPECT_EQ(at(span, 1, 2), (Interval{0, 1}));
  EXPECT_EQ(at(span, 2, 9), (Interval{7, 8}));
  EXPECT_EQ(rings(span), (std::vector<int64_t>{5, 1, 0}));
}

// Two output channels read one input channel: its producer fires at every second tick.
TEST(Span, MultipliersLetAMemberRest) {
  testing::TestGraph g(6);
  const TensorId t = g.depthwise(g.input({1, 4, 4, 3}), 3, 1);
  const TensorId y = g.depthwise(t, 3, 1);
  g.graph().tensor(y).shape[3] = 6;
  std::get<DepthwiseConv2D>(g.graph().ops[1].attributes).multiplier = 2;
  g.output(y);
  const Span span = Spans(g.graph()).derive(3, {{0}, {1}}).value();
  EXPECT_EQ(span.ticks, 6);
  EXPECT_EQ(at(span, 0, 2), (Interval{1, 2}));
  EXPECT_TRUE(at(span, 0, 3).empty());
  EXPECT_EQ(rings(span), (std::vector<int64_t>{1, 0}));
}

// Rows from the last to the first: the first tick needs what the producer makes last.
TEST(Span, HasNoFormForASliceThatRunsBackwards) {
  testing::TestGraph g(7);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 2, 3, 1);
  const TensorId y = g.depthwise(t, 1, 1);
  g.graph().ops[1] = {Slice{{0, 7, 0, 0}, {1, -1, 1, 1}, {}}, {t}, {y}, 1};
  EXPECT_FALSE(Spans(g.graph()).derive(kRows, {{0}, {1}}).has_value());
  std::get<Slice>(g.graph().ops[1].attributes) = {{0, 0, 0, 0}, {1, 1, 1, 1}, {}};
  EXPECT_TRUE(Spans(g.graph()).derive(kRows, {{0}, {1}}).has_value());
}

// A mean adds each row at the tick that makes it; nobody in the span can read what is not complete.
TEST(Span, MeansAddRowsAsTheyAreMade) {
  testing::TestGraph g(1);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 3, 1);
  const TensorId mean = g.mean(t);
  g.output(g.conv(mean, 2, 1, 1));
  g.output(g.depthwise(t, 3, 1));
  const Spans spans(g.graph());
  const Span span = spans.derive(kRows, {{0}, {1}, {3}}).value();
  EXPECT_TRUE(span.members[1].sums);
  for (int64_t tick = 0; tick < span.ticks; ++tick) EXPECT_EQ(at(span, 1, tick), at(span, 0, tick));
  EXPECT_EQ(rings(span), (std::vector<int64_t>{3, 0, 0}));
  EXPECT_FALSE(spans.derive(kRows, {{0}, {1}, {2}}));
}

// u has two rows for each of t: t rests at every second tick, and u is a copy of its row.
TEST(Span, AboveAnUpsamplingAMemberRests) {
  testing::TestGraph g(10);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 3, 1);
  const TensorId u = g.resize(t, ResizeNearestNeighbor{}, 16, 16);
  g.output(g.conv(u, 2, 3, 1));
  const Span span = Spans(g.graph()).derive(kRows, {{0}, {1}, {2}}).value();
  EXPECT_EQ(span.ticks, 17);
  EXPECT_EQ(at(span, 0, 0), (Interval{0, 1}));
  EXPECT_TRUE(at(span, 0, 1).empty());
  EXPECT_EQ(at(span, 0, 2), (Interval{1, 2}));
  for (int64_t tick = 0; tick < 16; ++tick)
    EXPECT_EQ(at(span, 1, tick), (Interval{tick, tick + 1}));
  EXPECT_EQ(at(span, 2, 16), (Interval{15, 16}));
  EXPECT_EQ(rings(span), (std::vector<int64_t>{1, 3, 0}));
}

// e waits for what became of it at half its height: rows 2 i and 2 i + 1 of u need row i of d,
// which needs row 2 i + 2 of e.
TEST(Span, AnEncoderTensorWaitsForTheDecoder) {
  testing::TestGraph g(11);
  const TensorId e = g.conv(g.input({1, 16, 16, 2}), 3, 1, 1);
  const TensorId d = g.depthwise(e, 3, 2);
  const TensorId u = g.resize(d, ResizeBilinear{}, 16, 16);
  g.output(g.add(e, u));
  const Span span = Spans(g.graph()).derive(kRows, {{0}, {1}, {2}, {3}}).value();
  EXPECT_EQ(at(span, 1, 2), (Interval{0, 1}));
  EXPECT_EQ(at(span, 2, 3), (Interval{0, 1})) << "row 1 of u lies between rows 0 and 1 of d";
  EXPECT_EQ(rings(span), (std::vector<int64_t>{4, 2, 1, 0}));
}

// A clock of many thousand ticks for a row helps nobody.
TEST(Span, HasNoFormForRatiosOfLargeNumbers) {
  testing::TestGraph g(12);
  const TensorId t = g.conv(g.input({1, 4999, 1, 1}), 1, 1, 1);
  g.output(g.resize(t, ResizeNearestNeighbor{}, 5003, 1));
  EXPECT_FALSE(Spans(g.graph()).derive(kRows, {{0}, {1}}).has_value());
}

TEST(Span, RingsAreNeverLargerThanTheTensor) {
  testing::TestGraph g(3);
  const TensorId t = g.conv(g.input({1, 3, 3, 2}), 3, 1, 1);
  g.output(g.depthwise(t, 5, 1));
  EXPECT_EQ(rings(Spans(g.graph()).derive(kRows, {{0}, {1}}).value()),
            (std::vector<int64_t>{3, 0}));
}

TEST(Span, EndsWhereAnAxisIsNotFollowed) {
  testing::TestGraph g(4);
  const TensorId t = g.conv(g.input({1, 4, 4, 2}), 3, 1, 1);
  g.output(g.transpose(t, {0, 3, 1, 2}));
  g.output(g.conv(t, 3, 1, 1));
  EXPECT_FALSE(Spans(g.graph()).derive(3, {{0}, {2}}).has_value()) << "channels are reduced";
}

// y = t + t transposed would need both the rows and the columns of t.
TEST(Span, HasRowsAlongOneAxisOfEachTensor) {
  testing::TestGraph g(10);
  const TensorId t = g.conv(g.input({1, 4, 4, 2}), 3, 3, 1);
  const TensorId turned = g.transpose(t, {0, 2, 1, 3});
  g.output(g.depthwise(turned, 3, 1));
  const Span span = Spans(g.graph()).derive(kRows, {{0}, {1}, {2}}).value();
  EXPECT_EQ(span.members[0].axis, 2) << "columns of t are rows of what is made of it";
  EXPECT_EQ(span.members[1].axis, kRows);
  EXPECT_EQ(rings(span), (std::vector<int64_t>{1, 3, 0}));
  g.output(g.add(t, turned));
  EXPECT_FALSE(Spans(g.graph()).derive(kRows, {{0}, {1}, {3}}).has_value());
}

// What is read outside, too, is kept whole; a row of it is there when the deeper branch needs it,
// and the other branch goes on as early as that allows.
TEST(Span, TensorsThatOthersReadAreWhole) {
  testing::TestGraph g(5);
  const TensorId t = g.conv(g.input({1, 8, 8, 2}), 3, 1, 1);
  const TensorId u = g.depthwise(t, 3, 1);
  const TensorId v = g.depthwise(t, 5, 1);
  g.output(g.add(u, v));
  g.output(t);
  const Span span = Spans(g.graph()).derive(kRows, {{0}, {1}, {2}}).value();
  EXPECT_EQ(rings(span), (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(span.ticks, 10);
  EXPECT_EQ(at(span, 0, 2), (Interval{2, 3}));
  EXPECT_EQ(at(span, 1, 1), (Interval{0, 1})) << "the 3x3 needs row 1";
  EXPECT_EQ(at(span, 2, 2), (Interval{0, 1})) << "the 5x5 needs row 2";
}

// The camera's rows: one a tick, and the ring keeps what the window reads.
TEST(Span, ReceivesRows) {
  testing::TestGraph g(8);
  const TensorId x = g.input({1, 16, 16, 3});
  g.output(g.conv(x, 4, 3, 2));
  const Span span = Spans(g.graph()).derive(kRows, {{0}}, {x}).value();
  EXPECT_FALSE(span.members[0].op.valid());
  EXPECT_EQ(span.ticks, 17);
  EXPECT_EQ(at(span, 0, 4), (Interval{4, 5}));
  EXPECT_EQ(at(span, 1, 4), (Interval{1, 2}));
  EXPECT_EQ(rings(span), (std::vector<int64_t>{3, 0}));
}

TEST(Span, ClocksThatHaveNothingToDoWithEachOtherMakeNone) {
  testing::TestGraph g(9);
  g.output(g.conv(g.input({1, 4, 4, 2}), 2, 1, 1));
  g.output(g.conv(g.input({1, 4, 4, 2}), 2, 1, 1));
  EXPECT_FALSE(Spans(g.graph()).derive(kRows, {{0}, {1}}).has_value());
}

}  // namespace
}  // namespace thimble
