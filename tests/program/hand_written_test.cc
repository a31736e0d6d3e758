// SPDX-License-Identifier: Apache-2.0
// The design proved: schedules finer than an operator go through layout, verifier and host
// execution.
#include "tests/support/hand_written.h"

#include <gtest/gtest.h>

#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/import/tensor_file.h"
#include "thimble/operators/operators.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

void expect_exact_at_peak(const testing::HandWritten& plan) {
  ASSERT_EQ(malformed(plan.graph, plan.schedule), "");
  const Placement placement = place(plan.graph, plan.schedule, {});
  EXPECT_EQ(placement.arena().peak_bytes, plan.peak_bytes);
  EXPECT_EQ(placement.arena_bytes(), plan.peak_bytes);
  EXPECT_TRUE(placement.arena().proven_optimal);
  const Program program = lower(plan.graph, plan.schedule, placement);
  EXPECT_EQ(verify(plan.graph, program).fault, "");
  EXPECT_EQ(macs(plan.graph, plan.schedule), macs(plan.graph));
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Tensor& in = plan.graph.tensor(plan.graph.inputs[0].tensor);
    const std::vector<Bytes> inputs{random_bytes(in.type, elements(in.shape), seed)};
    const Bytes expected = interpret(plan.graph, inputs)[plan.graph.outputs[0].tensor.index()];
    EXPECT_EQ(execute(program, inputs)[0], expected) << "seed " << seed;
  }
}

TEST(HandWritten, ChannelLoopWithAccumulatorsIsExactAtItsPeak) {
  expect_exact_at_peak(testing::channel_loop());
}

TEST(HandWritten, ChannelLoopWithNarrowSumsIsTheReferenceWithThem) {
  expect_exact_at_peak(testing::channel_loop(DType::kInt16));
  expect_exact_at_peak(testing::channel_loop(DType::kInt8));
  EXPECT_EQ(testing::channel_loop(DType::kInt8).peak_bytes, 8'450);  // as Pex prints it
}

TEST(HandWritten, RowSpanOverConsumedRowsIsExactAtItsPeak) {
  expect_exact_at_peak(testing::row_span());
}

TEST(HandWritten, RowsFromAndToTheCallerAreExactAtTheirPeak) {
  expect_exact_at_peak(testing::row_stream());
}

TEST(HandWritten, TensorsOfTheCallersCostNothing) {
  expect_exact_at_peak(testing::row_span_of_user());
}

TEST(HandWritten, ASkipTensorInFlashCostsATableOfTags) {
  expect_exact_at_peak(testing::spilled_residual());
  // And a passage, which there is while the depthwise convolution executes.
  expect_exact_at_peak(testing::spilled_residual(64));
  EXPECT_EQ(testing::spilled_residual(64).peak_bytes,
            testing::spilled_residual().peak_bytes + 20 + 64);
}

TEST(HandWritten, HalvesOfASkipTensorFreedOneByOneAreExactAtTheirPeak) {
  const testing::HandWritten blocks = testing::residual_in_halves(true);
  const testing::HandWritten whole = testing::residual_in_halves(false);
  expect_exact_at_peak(blocks);
  expect_exact_at_peak(whole);
  EXPECT_LT(blocks.peak_bytes, whole.peak_bytes);
}

// Rows 1, 3, 5, 7 of t out of a ring of one row, columns and channels backwards.
TEST(HandWritten, SliceOutOfARowRingIsExact) {
  testing::TestGraph g(3);
  const TensorId x = g.input({1, 9, 5, 2});
  const TensorId t = g.conv(x, 4, 3, 1);
  const TensorId y{static_cast<int32_t>(g.graph().tensors.size())};
  g.graph().tensors.push_back(g.graph().tensor(t));
  g.graph().tensor(y).shape = {1, 4, 5, 2};
  g.graph().ops.push_back({Slice{{0, 1, 4, 3}, {1, 2, -1, -2}, {}}, {t}, {y}, 1});
  g.output(y);
  const Graph& graph = g.graph();
  const Clock clock = testing::rolled(graph, {0, 1}, 1).value();
  ASSERT_EQ(clock.calls[0].held, 1);
  auto step = [&](int op, TensorId out, std::vector<Operand> from, BufferId to) {
    const Beat& beat = clock.calls[static_cast<size_t>(op)].beat;
    return Step{.op = {op},
                .region = along(graph.tensor(out).shape, 1, beat.interval(LoopId{0})),
                .in = std::move(from),
                .out = to};
  };
  Buffer ring = whole_buffer(graph, t);
  ring.extents[1] = 1;
  ring.wrap = Wrap{1, 1};
  Schedule schedule;
  schedule.buffers = {whole_buffer(graph, x), ring, whole_buffer(graph, y)};
  schedule.loop_count = 1;
  schedule.nodes = {
      {Loop{LoopId{0},
            clock.tiles,
            {{step(0, t, {BufferId{0}, {}, {}}, {1})}, {step(1, y, {BufferId{1}}, {2})}}}}};
  schedule.inputs = {{0}};
  schedule.outputs = {{2}};
  ASSERT_EQ(malformed(graph, schedule), "");
  const Program program = lower(graph, schedule, place(graph, schedule, {}));
  EXPECT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs{random_bytes(DType::kInt8, 90, 1)};
  EXPECT_EQ(execute(program, inputs)[0], interpret(graph, inputs)[y.index()]);
}

// Two loops, one in the other: two channels at a time, and of those a ring of three rows.
TEST(HandWritten, RingsOfAFewChannelsAreExact) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 6, 4, 5});
  const TensorId t = g.add(x, x), y = g.depthwise(t, 3, 1);
  g.output(y);
  const Graph& graph = g.graph();
  constexpr LoopId kChannels{0}, kTick{1};
  constexpr BufferId kX{0}, kT{1}, kY{2};
  const Clock clock = testing::rolled(graph, {0, 1}, 1).value();
  ASSERT_EQ(clock.calls[0].held, 3);
  const IntervalExpr channels{index(kChannels, 2), index(kChannels, 2, 2)};
  Buffer ring = whole_buffer(graph, t);
  ring.extents = {1, 3, 4, 2};
  ring.origin[3] = channels.begin;
  ring.wrap = Wrap{1, 3};
  const auto region = [&](size_t call) {
    RegionExpr result = along(graph.tensor(x).shape, 1, clock.calls[call].beat.interval(kTick));
    result[3] = channels;
    return result;
  };
  Schedule schedule;
  schedule.buffers = {whole_buffer(graph, x), ring, whole_buffer(graph, y)};
  schedule.loop_count = 2;
  schedule.nodes = {
      {Loop{kChannels,
            3,
            {{Loop{kTick,
                   clock.tiles,
                   {{Step{.op = {0}, .region = region(0), .in = {kX, kX}, .out = kT}},
                    {Step{.op = {1}, .region = region(1), .in = {kT, {}, {}}, .out = kY}}}}}}}}};
  schedule.inputs = {kX};
  schedule.outputs = {kY};
  ASSERT_EQ(malformed(graph, schedule), "");
  const Program program = lower(graph, schedule, place(graph, schedule, {}));
  EXPECT_EQ(program.arena_bytes(), 120 + 120 + 3 * 4 * 2);
  EXPECT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs{random_bytes(DType::kInt8, 120, 1)};
  EXPECT_EQ(execute(program, inputs)[0], interpret(graph, inputs)[y.index()]);
}

TEST(HandWritten, RingOneRowTooShortIsCaught) {
  testing::HandWritten plan = testing::row_span();
  Buffer& ring = plan.schedule.buffers[1];
  ASSERT_EQ(ring.wrap->modulus, 3);
  ring.wrap->modulus = ring.extents[1] = 2;
  const Program program = lower(plan.graph, plan.schedule, place(plan.graph, plan.schedule, {}));
  EXPECT_NE(verify(plan.graph, program).fault, "");
}

TEST(HandWritten, ChunkMissingIsCaught) {
  testing::HandWritten plan = testing::channel_loop();
  std::get<Loop>(plan.schedule.nodes[0].what).count = 143;
  const Program program = lower(plan.graph, plan.schedule, place(plan.graph, plan.schedule, {}));
  EXPECT_NE(verify(plan.graph, program).fault.find("accumulator"), std::string::npos);
}

}  // namespace
}  // namespace thimble
