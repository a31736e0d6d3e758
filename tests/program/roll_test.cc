// SPDX-License-Identifier: Apache-2.0
// Plans unrolled and rolled again: the same steps of the same regions, verified, as short as they
// were.
#include "thimble/schedule/roll.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/support/golden.h"
#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/shared.h"
#include "tests/support/test_graph.h"
#include "thimble/import/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/planner.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"
#include "thimble/schedule/reads.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

std::string held(const Schedule& schedule, BufferId id, const Counters& counters) {
  if (!id.valid()) return "-";
  const Buffer& b = schedule.buffer(id);
  std::string text = fmt::format("t{} {}", b.tensor.value, to_string(b.extents));
  for (const IndexExpr& expr : b.origin) text += fmt::format(" {}", evaluate(expr, counters));
  return text;
}

/// A line per step as executed: what it computes, from and into which parts of which tensors.
std::vector<std::string> executed(const Graph& graph, const Schedule& schedule) {
  std::vector<std::string> lines;
  execute_steps(schedule, [&](const Step& step, Position, const Counters& counters) {
    const Shape& out = graph.tensor(written_tensor(graph, schedule, step)).shape;
    std::string line =
        fmt::format("{} {} {} {}", step.op.value, static_cast<int>(step.method), step.recomputes,
                    to_string(evaluate(step.region, counters, out)));
    if (step.chunk) {
      const int64_t channels = graph.tensor(graph.op(step.op).inputs[0]).shape.back();
      line += to_string(clip({evaluate(*step.chunk, counters)}, {channels}));
    }
    for (BufferId id : read_buffers(step)) line += " < " + held(schedule, id, counters);
    lines.push_back(line + " > " + held(schedule, step.out, counters));
  });
  return lines;
}

size_t nodes(const std::vector<Node>& list) {
  size_t count = 0;
  for (const Node& node : list) {
    const auto* loop = std::get_if<Loop>(&node.what);
    count += 1 + (loop == nullptr ? 0 : nodes(loop->body));
  }
  return count;
}

/// What comes back. Where unrolling frees memory earlier, rolling may not take it back: then only
/// the peak counts.
Schedule expect_comes_back(const Graph& graph, const Schedule& schedule, const std::string& name) {
  const Schedule flat = unroll(schedule);
  const auto start = std::chrono::steady_clock::now();
  Schedule back = roll(graph, flat);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(malformed(graph, back), "");
  const std::vector<std::string> steps = executed(graph, schedule);
  EXPECT_TRUE(executed(graph, flat) == steps);
  EXPECT_TRUE(executed(graph, back) == steps);
  EXPECT_LE(live_peak_bytes(flat), live_peak_bytes(schedule));
  EXPECT_LE(live_peak_bytes(back), live_peak_bytes(flat));
  fmt::print("{}: {} nodes, {} flat, {} rolled in {:.2f} s\n", name, nodes(schedule.nodes),
             nodes(flat.nodes), nodes(back.nodes), seconds.count());
  if (live_peak_bytes(flat) == live_peak_bytes(schedule)) {
    EXPECT_LE(nodes(back.nodes), nodes(schedule.nodes));
  }
  return back;
}

void expect_verified(const Graph& graph, const Schedule& schedule) {
  const Placement placement = place(graph, schedule, {});
  EXPECT_EQ(verify(graph, lower(graph, schedule, placement)).fault, "");
}

TEST(Roll, BringsBackTheHandWrittenSchedules) {
  for (const testing::HandWritten& hand : {testing::channel_loop(), testing::row_span()}) {
    expect_verified(hand.graph, unroll(hand.schedule));
    const Schedule back = expect_comes_back(hand.graph, hand.schedule, "by hand");
    expect_verified(hand.graph, back);
    EXPECT_EQ(place(hand.graph, back, {}).arena_bytes(), hand.peak_bytes);
  }
}

TEST(Roll, LeavesAloneWhatDoesNotRepeat) {
  const testing::HandWritten halves = testing::residual_in_halves(true);
  const Schedule back = roll(halves.graph, halves.schedule);
  EXPECT_EQ(executed(halves.graph, back), executed(halves.graph, halves.schedule));
  EXPECT_LE(live_peak_bytes(back), live_peak_bytes(halves.schedule));
  expect_verified(halves.graph, back);
}

/// What a planner without loops would write: a 3x3 convolution and a depthwise one, four rows of
/// the result at a time, regions cut to the tensors.
Schedule tiles(const Graph& graph, TensorId x, TensorId t, TensorId u) {
  constexpr int kRows = 1;
  const Shape& shape = graph.tensor(u).shape;
  const int64_t rows = shape[kRows];
  Schedule schedule;
  schedule.buffers = {whole_buffer(graph, x), whole_buffer(graph, u)};
  schedule.inputs = {{0}};
  schedule.outputs = {{1}};
  for (int64_t at = 0; at < rows; at += 4) {
    const auto tile = BufferId{static_cast<int32_t>(schedule.buffers.size())};
    Buffer buffer = whole_buffer(graph, t);
    buffer.origin[kRows] = index(at - 1);
    buffer.extents[kRows] = 6;
    schedule.buffers.push_back(buffer);
    const IntervalExpr halo{index(std::max<int64_t>(at - 1, 0)), index(std::min(at + 5, rows))};
    const IntervalExpr part{index(at), index(std::min(at + 4, rows))};
    schedule.nodes.push_back({Step{.op = {0},
                                   .region = along(shape, kRows, halo),
                                   .in = {BufferId{0}, {}, {}},
                                   .out = tile,
                                   .recomputes = true}});
    schedule.nodes.push_back(
        {Step{.op = {1}, .region = along(shape, kRows, part), .in = {tile, {}, {}}, .out = {1}}});
  }
  return schedule;
}

TEST(Roll, TilesOfAFlatPlanBecomeALoopBordersIncluded) {
  testing::TestGraph g(4);
  const TensorId x = g.input({1, 22, 6, 3});
  const TensorId t = g.conv(x, 5, 3, 1);
  const TensorId u = g.depthwise(t, 3, 1);
  g.output(u);
  const Schedule flat = tiles(g.graph(), x, t, u);
  expect_verified(g.graph(), flat);
  const Schedule rolled = roll(g.graph(), flat);
  ASSERT_EQ(rolled.nodes.size(), 1U);
  const Loop& loop = std::get<Loop>(rolled.nodes[0].what);
  EXPECT_EQ(loop.count, 6);
  ASSERT_EQ(loop.body.size(), 2U);
  // [0, 5), [3, 9), ... [19, 22): cut where they are evaluated.
  EXPECT_EQ(std::get<Step>(loop.body[0].what).region[1],
            (IntervalExpr{index(loop.id, 4, -1), index(loop.id, 4, 5)}));
  EXPECT_EQ(rolled.buffers.size(), 3U);
  EXPECT_EQ(rolled.buffers[2].origin[1], index(loop.id, 4, -1));
  EXPECT_EQ(executed(g.graph(), rolled), executed(g.graph(), flat));
  EXPECT_EQ(live_peak_bytes(rolled), live_peak_bytes(flat));
  expect_verified(g.graph(), rolled);
}

// With two tiles the input would have to live through all of the second one, whose last step does
// not read it: more than now.
TEST(Roll, KeepsThePeak) {
  testing::TestGraph g(4);
  const TensorId x = g.input({1, 8, 6, 3});
  const TensorId t = g.conv(x, 5, 3, 1);
  const TensorId u = g.depthwise(t, 3, 1);
  g.output(u);
  const Schedule flat = tiles(g.graph(), x, t, u);
  EXPECT_EQ(nodes(flat.nodes), 4U);
  const Schedule rolled = roll(g.graph(), flat);
  EXPECT_LE(live_peak_bytes(rolled), live_peak_bytes(flat));
}

void expect_plans_come_back(const Graph& graph, const std::string& name) {
  // The patches of the largest networks, where nobody says how many, are thousands.
  const bool large = macs(graph) > 100'000'000;
  for (const char* spec : {"pex", "depthwise_tiling", large ? "patch:patches=5" : "patch"}) {
    SCOPED_TRACE(fmt::format("{} {}", name, spec));
    const PlannerChoice choice = choose_planner(spec);
    const PlannerAnswer answer = choice.planner->plan(graph, {}, choice.options);
    const Schedule& schedule = std::get<Planned>(answer).schedule;
    const Schedule back = expect_comes_back(graph, schedule, name + " " + spec);
    if (!large) expect_verified(graph, back);
  }
}

class RolledNetworks : public ::testing::TestWithParam<const char*> {};

TEST_P(RolledNetworks, ComeBackAsShortAsTheyWere) {
  expect_plans_come_back(rewrite(build_zoo(GetParam())), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Zoo, RolledNetworks,
                         ::testing::Values("demo", "resnet8", "micronet_vww_2", "mobilenet_v2"),
                         [](const auto& network) { return std::string(network.param); });

class RolledModels : public ::testing::TestWithParam<std::string> {};

TEST_P(RolledModels, ComeBackAsShortAsTheyWere) {
  THIMBLE_NEEDS_SHARED();
  expect_plans_come_back(rewrite(import_tflite(testing::model_path(GetParam()))), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Shared, RolledModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& model) { return model.param; });

}  // namespace
}  // namespace thimble
