// SPDX-License-Identifier: Apache-2.0
// Which part of a step each of an operand's buffers serves, and what is copied where none does.
#include "thimble/schedule/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "tests/support/test_graph.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

constexpr BufferId kY{0};

/// Operator 0 of the graph from blocks of its first input, cut at `cuts` along `axis`.
struct Blocked {
  Graph graph;
  Schedule schedule;

  Blocked(const testing::TestGraph& g, size_t axis, const std::vector<int64_t>& cuts)
      : graph(g.graph()) {
    const Op& op = graph.ops[0];
    const Shape& out = graph.tensor(op.outputs[0]).shape;
    schedule.buffers = {whole_buffer(graph, op.outputs[0])};
    std::vector<BufferId> blocks;
    for (size_t k = 0; k + 1 < cuts.size(); ++k) blocks.push_back(add(axis, cuts[k], cuts[k + 1]));
    Step step{.op = {0}, .region = region_expr(whole(out)), .out = kY};
    for (TensorId t : op.inputs) {
      step.in.push_back(graph.tensor(t).is_constant() ? Operand() : Operand(blocks));
    }
    schedule.nodes = {{step}};
    graph.inputs.clear();  // ports would have to be whole
  }

  BufferId add(size_t axis, int64_t begin, int64_t end) {
    Buffer block = whole_buffer(graph, graph.ops[0].inputs[0]);
    block.origin[axis] = index(begin);
    block.extents[axis] = end - begin;
    schedule.buffers.push_back(block);
    return {static_cast<int32_t>(schedule.buffers.size()) - 1};
  }
  Step& step() { return std::get<Step>(schedule.nodes.back().what); }

  /// "[0,5) b1, [5,8) b2" along an axis of the output; or why there are none.
  std::string pieces(size_t out_axis) {
    const auto found = Gathers(graph, schedule).pieces(step());
    if (const auto* why = std::get_if<std::string>(&found)) return *why;
    std::string text;
    for (const Piece& piece : std::get<std::vector<Piece>>(found)) {
      const Region region =
          piece_region(piece, {0, 0}, graph.tensor(graph.ops[0].outputs[0]).shape);
      text += (text.empty() ? "" : ", ") + to_string({region[out_axis]}) + " b" +
              std::to_string(piece.step.in[0].buffer().value);
    }
    return text;
  }
};

testing::TestGraph conv(int64_t kernel, int64_t stride) {
  testing::TestGraph g(1);
  g.conv(g.input({1, 12, 6, 4}), 4, kernel, stride);
  return g;
}

TEST(Gather, ElementwiseAndPointwiseTakeEachBlockAsItIs) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 12, 6, 4});
  g.add(x, x);
  EXPECT_EQ(Blocked(g, 1, {0, 5, 6, 12}).pieces(1), "[0,5) b1, [5,6) b2, [6,12) b3");
  EXPECT_EQ(Blocked(g, 3, {0, 3, 4}).pieces(3), "[0,3) b1, [3,4) b2");
  EXPECT_EQ(Blocked(conv(1, 1), 1, {0, 5, 12}).pieces(1), "[0,5) b1, [5,12) b2");
}

TEST(Gather, StridesDecideWhereAWindowStillFits) {
  EXPECT_EQ(Blocked(conv(1, 2), 1, {0, 5, 12}).pieces(1), "[0,3) b1, [3,6) b2");
  EXPECT_EQ(Blocked(conv(2, 2), 1, {0, 6, 12}).pieces(1), "[0,3) b1, [3,6) b2");
}

TEST(Gather, WindowsAcrossABorderNeedACopy) {
  Blocked plan(conv(3, 1), 1, {0, 6, 12});
  EXPECT_THAT(plan.pieces(1), HasSubstr("operand 0: no one of its buffers has what [5, 7) of axis "
                                        "1 of the output need"));
  const BufferId seam = plan.add(1, 4, 8);  // rows that both of them need
  plan.step().in[0].from.insert(plan.step().in[0].from.begin() + 1, seam);
  EXPECT_EQ(plan.pieces(1), "[0,5) b1, [5,7) b3, [7,12) b2");
}

TEST(Gather, BlocksMayHoldTheHaloThemselves) {
  Blocked plan(conv(3, 1), 1, {0, 7});
  plan.step().in[0].from.push_back(plan.add(1, 5, 12));
  EXPECT_EQ(plan.pieces(1), "[0,6) b1, [6,12) b2");
}

TEST(Gather, TakesNoMoreBuffersThanTheRegionNeeds) {
  Blocked plan(conv(3, 1), 1, {0, 4, 12});
  plan.step().region[1] = {index(0), index(3)};
  EXPECT_EQ(plan.pieces(1), "[0,3) b1");
  plan.step().region[1] = {index(5), index(9)};
  EXPECT_EQ(plan.pieces(1), "[5,9) b2");
}

TEST(Gather, ReducedAxesNeedAllOfIt) {
  Blocked plan(conv(1, 1), 3, {0, 2, 4});
  EXPECT_THAT(plan.pieces(1), HasSubstr("each output needs all of axis 3"));
}

TEST(Gather, AccumulatedChunksComeFromOneBlockAfterTheOther) {
  Blocked plan(conv(1, 1), 3, {0, 1, 4});
  plan.schedule.buffers[0].type = DType::kInt32;
  plan.schedule.buffers[0].sums = true;
  plan.step().method = Method::kAccumulate;
  plan.step().chunk = {index(0), index(4)};
  const auto found = Gathers(plan.graph, plan.schedule).pieces(plan.step());
  const auto& pieces = std::get<std::vector<Piece>>(found);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[0].step.chunk, (IntervalExpr{index(0), index(1)}));
  EXPECT_EQ(pieces[1].step.chunk, (IntervalExpr{index(1), index(4)}));
}

TEST(Gather, SlicesThatRunBackwardsTakeTheBlocksBackwards) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 12, 6, 4});
  const TensorId y{static_cast<int32_t>(g.graph().tensors.size())};
  g.graph().tensors.push_back(g.graph().tensor(x));
  g.graph().tensor(y).shape = {1, 6, 6, 4};
  g.graph().ops.push_back({Slice{{0, 11, 0, 0}, {1, -2, 1, 1}, {}}, {x}, {y}, 0});
  // Rows 11, 9, 7, 5, 3, 1.
  EXPECT_EQ(Blocked(g, 1, {0, 5, 12}).pieces(1), "[0,4) b2, [4,6) b1");
}

// A loop over four rows at a time: its region is cut to each piece while it runs.
TEST(Gather, RegionsThatFollowALoopAreCutToTheirPieces) {
  Blocked plan(conv(1, 1), 1, {0, 6, 12});
  plan.schedule.loop_count = 1;
  plan.step().region[1] = {index(LoopId{0}, 4), index(LoopId{0}, 4, 4)};
  const Step step = plan.step();
  plan.schedule.nodes = {{Loop{{0}, 3, {{step}}}}};
  const auto found = Gathers(plan.graph, plan.schedule).pieces(step);
  const auto& pieces = std::get<std::vector<Piece>>(found);
  ASSERT_EQ(pieces.size(), 2U);
  const Shape out{1, 12, 6, 4};
  EXPECT_EQ(piece_region(pieces[0], {1}, out)[1], (Interval{4, 6}));
  EXPECT_EQ(piece_region(pieces[1], {1}, out)[1], (Interval{6, 8}));
  EXPECT_TRUE(piece_region(pieces[0], {2}, out)[1].empty());
}

// Blocks that move with a loop: their borders are known beside the region, which moves alike.
TEST(Gather, BlocksMayFollowTheLoopOfTheRegion) {
  Blocked plan(conv(1, 1), 1, {0, 2, 4});
  plan.schedule.loop_count = 1;
  plan.schedule.buffers[1].origin[1] = index(LoopId{0}, 4);
  plan.schedule.buffers[2].origin[1] = index(LoopId{0}, 4, 2);
  plan.step().region[1] = {index(LoopId{0}, 4), index(LoopId{0}, 4, 4)};
  const Step step = plan.step();
  plan.schedule.nodes = {{Loop{{0}, 3, {{step}}}}};
  const auto found = Gathers(plan.graph, plan.schedule).pieces(step);
  const auto& pieces = std::get<std::vector<Piece>>(found);
  ASSERT_EQ(pieces.size(), 2U);
  EXPECT_EQ(pieces[1].step.region[1],
            (IntervalExpr{index(LoopId{0}, 4, 2), index(LoopId{0}, 4, 4)}));
  Step other = step;
  other.region[1] = {index(0), index(12)};
  EXPECT_TRUE(
      std::holds_alternative<std::string>(Gathers(plan.graph, plan.schedule).pieces(other)));
}

TEST(Gather, RefusesWhatAreNoBlocks) {
  Blocked same(conv(1, 1), 1, {0, 6, 12});
  same.step().in[0].from[1] = same.step().in[0].from[0];
  EXPECT_THAT(same.pieces(1), HasSubstr("do not differ along one axis"));
  Blocked descending(conv(1, 1), 1, {0, 6, 12});
  std::swap(descending.step().in[0].from[0], descending.step().in[0].from[1]);
  EXPECT_THAT(descending.pieces(1), HasSubstr("not in ascending order"));
  Blocked missing(conv(1, 1), 1, {0, 4, 8});
  EXPECT_THAT(missing.pieces(1), HasSubstr("has what [8, 12) of axis 1"));
  Blocked hole(conv(1, 1), 1, {0, 4, 8, 12});
  hole.step().in[0].from.erase(hole.step().in[0].from.begin() + 1);
  EXPECT_THAT(hole.pieces(1), HasSubstr("has what [4, 8) of axis 1"));
  Blocked ring(conv(1, 1), 1, {0, 6, 12});
  ring.schedule.buffers[1].wrap = Wrap{1, 3};
  EXPECT_THAT(ring.pieces(1), HasSubstr("no blocks of one tensor"));
}

TEST(Gather, MalformedNamesTheStep) {
  testing::HandWritten plan = testing::residual_in_halves(true);
  for (Node& node : plan.schedule.nodes) {
    Step& step = std::get<Step>(node.what);
    if (step.op == OpId{1}) step.in[0].from.erase(step.in[0].from.begin() + 1);
  }
  EXPECT_THAT(malformed(plan.graph, plan.schedule), HasSubstr("step 3: operand 0: no one of its"));
}

TEST(Gathered, CopiesTheBordersThatWindowsCross) {
  Blocked plan(conv(3, 1), 1, {0, 4, 8, 12});
  const Schedule done = gathered(plan.graph, plan.schedule);
  ASSERT_EQ(done.nodes.size(), 3U);
  EXPECT_EQ(done.buffers.size(), plan.schedule.buffers.size() + 2);
  plan.schedule = done;
  EXPECT_EQ(plan.pieces(1), "[0,3) b1, [3,5) b4, [5,7) b2, [7,9) b5, [9,12) b3");
  EXPECT_EQ(gathered(plan.graph, done), done);
}

TEST(Gathered, CopiesAllWhereEachOutputNeedsAll) {
  Blocked plan(conv(1, 1), 3, {0, 2, 4});
  plan.schedule = gathered(plan.graph, plan.schedule);
  ASSERT_EQ(plan.schedule.nodes.size(), 2U);
  EXPECT_EQ(plan.pieces(1), "[0,12) b3");
  EXPECT_EQ(plan.schedule.buffers[3], whole_buffer(plan.graph, plan.graph.ops[0].inputs[0]));
}

}  // namespace
}  // namespace thimble
