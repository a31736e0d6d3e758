// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/overlaps.h"

#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "tests/support/test_graph.h"

namespace thimble {
namespace {

constexpr BufferId kX{0}, kY{1};

/// y = op(x), y over x; more operators may follow.
Schedule whole_step(const Graph& graph, const Step& step) {
  Schedule schedule;
  const Op& op = graph.op(step.op);
  schedule.buffers = {whole_buffer(graph, op.inputs[0]), whole_buffer(graph, op.outputs[0])};
  schedule.nodes = {{step}};
  schedule.shares = {{kY, kX}};
  return schedule;
}

Schedule whole_step(const Graph& graph, Method method = Method::kCompute) {
  const Shape& out = graph.tensor(graph.ops[0].outputs[0]).shape;
  std::vector<Operand> in(graph.ops[0].inputs.size());
  for (size_t k = 0; k < in.size(); ++k) {
    if (!graph.tensor(graph.ops[0].inputs[k]).is_constant()) in[k] = kX;
  }
  return whole_step(graph, {.op = {0},
                            .method = method,
                            .region = region_expr(whole(out)),
                            .chunk = {},
                            .in = in,
                            .out = kY});
}

std::vector<Overlap> lead(int64_t bytes) { return {{kY, kX, bytes, false}}; }

Graph quantize_graph(const Shape& shape, DType in, DType out) {
  testing::TestGraph g(1);
  const TensorId x = g.input(shape);
  g.add(x, x);
  g.graph().tensor(x).type = in;
  g.graph().tensors.back().type = out;
  g.graph().ops[0] = {Quantize{}, {x}, g.graph().ops[0].outputs, 0};
  return g.graph();
}

TEST(Overlaps, ElementwiseMayTakeTheVeryBytes) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 8});
  g.add(x, x);
  EXPECT_EQ(overlaps(g.graph(), whole_step(g.graph())), lead(0));
}

// One element: all is read before anything is written.
TEST(Overlaps, ScalarsToo) {
  testing::TestGraph g(1);
  const TensorId x = g.input({});
  g.add(x, x);
  EXPECT_EQ(overlaps(g.graph(), whole_step(g.graph())), lead(-1));
}

// A cache and its new row: what lies in the row's place is not read any more.
TEST(Overlaps, UpdatedSlicesMayTakeTheVeryBytes) {
  testing::TestGraph g(1);
  const TensorId x = g.input({2, 8, 4}), row = g.input({2, 1, 4}), begins = g.input({3});
  g.add(x, x);
  Graph& graph = g.graph();
  graph.tensor(begins).type = DType::kInt32;
  graph.ops[0] = {UpdateSlice{}, {x, row, begins}, graph.ops[0].outputs, 0};
  Schedule schedule = whole_step(graph);
  schedule.buffers.push_back(whole_buffer(graph, row));
  schedule.buffers.push_back(whole_buffer(graph, begins));
  std::get<Step>(schedule.nodes[0].what).in = {kX, BufferId{2}, BufferId{3}};
  EXPECT_EQ(overlaps(graph, schedule), lead(0));
}

// Pixel (y, x) is written while pixel (y - 1, x - 1) is still read: 6 + 2 pixels of 4 bytes.
TEST(Overlaps, ConvolutionIsAheadByItsWindow) {
  testing::TestGraph g(1);
  g.conv(g.input({1, 6, 6, 4}), 4, 3, 1);
  EXPECT_EQ(overlaps(g.graph(), whole_step(g.graph())), lead(32));
}

// As above with 4096 columns; found at the borders of the image, not pixel by pixel.
TEST(Overlaps, LargeImagesTakeNoLonger) {
  testing::TestGraph g(1);
  g.conv(g.input({1, 4096, 4096, 1}), 1, 3, 1);
  EXPECT_EQ(overlaps(g.graph(), whole_step(g.graph())), lead(4096 + 2));
}

TEST(Overlaps, WideningRunsAheadAndNarrowingFallsBehind) {
  const Graph wider = quantize_graph({2, 3}, DType::kInt8, DType::kInt16);
  EXPECT_EQ(overlaps(wider, whole_step(wider)), lead(5)) << "when element 4 is written";
  const Graph narrower = quantize_graph({2, 3}, DType::kFloat32, DType::kInt8);
  EXPECT_EQ(overlaps(narrower, whole_step(narrower)), lead(-3)) << "before element 1";
}

TEST(Overlaps, FinalisingFallsBehindItsAccumulators) {
  const testing::HandWritten plan = testing::channel_loop();
  const auto shared = overlaps(plan.graph, plan.schedule);
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0].lead_bytes, -3);
  EXPECT_EQ(shared[1].lead_bytes, 0);
}

TEST(Overlaps, InPlaceKernelsWantTheSameAddressAndTheLastRead) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 2});
  g.depthwise(x, 3, 1);
  Schedule schedule = whole_step(g.graph(), Method::kInPlace);
  EXPECT_EQ(overlaps(g.graph(), schedule), (std::vector<Overlap>{{kY, kX, std::nullopt, true}}));
  g.add(x, x);  // reads x afterwards
  schedule.buffers.push_back(whole_buffer(g.graph(), g.graph().ops[1].outputs[0]));
  schedule.nodes.push_back({Step{.op = {1},
                                 .region = region_expr(whole({1, 4, 4, 2})),
                                 .chunk = {},
                                 .in = {kX, kX},
                                 .out = {2}}});
  EXPECT_TRUE(overlaps(g.graph(), schedule).empty());
}

TEST(Overlaps, ACopyInPlaceWantsTheSameAddressAndTheLastRead) {
  testing::HandWritten plan = testing::turned_input();
  const std::vector<Overlap> shared = overlaps(plan.graph, plan.schedule);
  ASSERT_EQ(shared.size(), 2U);
  EXPECT_EQ(shared[0], (Overlap{{1}, {0}, std::nullopt, true}));
  EXPECT_EQ(shared[1], (Overlap{{2}, {1}, 5, false}));
  std::get<Step>(plan.schedule.nodes[1].what).in[0] = BufferId{0};  // reads the planes afterwards
  plan.schedule.shares.pop_back();
  EXPECT_TRUE(overlaps(plan.graph, plan.schedule).empty());
}

// An ordinary copy between orders of axes says nothing about which bytes are needed when.
TEST(Overlaps, ACopyBetweenOrdersOfAxesSharesNothing) {
  testing::HandWritten plan = testing::turned_input();
  std::get<Step>(plan.schedule.nodes[0].what).method = Method::kCompute;
  plan.schedule.shares = {{{1}, {0}}};
  EXPECT_TRUE(overlaps(plan.graph, plan.schedule).empty());
}

TEST(Overlaps, OutputsOfTheNetworkKeepTheirBytes) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 4, 8});
  g.add(x, x);
  Schedule schedule = whole_step(g.graph());
  schedule.outputs = {kX};
  EXPECT_TRUE(overlaps(g.graph(), schedule).empty());
}

}  // namespace
}  // namespace thimble
