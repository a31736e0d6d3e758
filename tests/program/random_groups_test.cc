// SPDX-License-Identifier: Apache-2.0
// Random groups and streamed plans of random networks: verified, exact, with the least rings.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/mutants.h"
#include "tests/support/golden.h"
#include "tests/support/planned.h"
#include "tests/support/random_network.h"
#include "tests/support/shared.h"
#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/moves/resident_first.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/build.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/ports.h"
#include "thimble/planners/registry.h"
#include "thimble/planners/stream.h"
#include "thimble/planners/stream_cuts.h"
#include "thimble/planners/stream_orders.h"
#include "thimble/planners/stream_plan.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/report/note_text.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/random.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

TensorId pick(const std::vector<TensorId>& from, zoo::Random& random) {
  return from[static_cast<size_t>(random.between(0, static_cast<int64_t>(from.size()) - 1))];
}

/// To the size of a tensor made before, or by a factor: whole or not, up or down.
TensorId random_resize(testing::TestGraph& g, TensorId x, const Shape& other, zoo::Random& random) {
  const Shape shape = g.graph().tensor(x).shape;
  Shape size{1, 2 * shape[1], 2 * shape[2], shape[3]};
  if (random.chance(0.6)) size = other;
  if (random.chance(0.15)) size = {1, random.between(1, 20), random.between(1, 12), 1};
  const int64_t kind = random.between(0, 2);
  return random.chance(0.5)
             ? g.resize(x, ResizeNearestNeighbor{kind == 1, kind == 2}, size[1], size[2])
             : g.resize(x, ResizeBilinear{kind == 1, kind == 2}, size[1], size[2]);
}

/// A network of convolutions: strides, upsampling, branches of unequal depth, means, tensors that
/// several operators read, some of them much later.
Graph random_branches(uint64_t seed, zoo::Random& random) {
  testing::TestGraph g(seed);
  const int64_t rows = random.between(4, 14), columns = random.between(3, 7);
  std::vector<TensorId> made = {g.input({1, rows, columns, random.between(1, 4)})};
  const auto shape = [&](TensorId t) { return g.graph().tensor(t).shape; };
  for (int64_t k = random.between(3, 10); k > 0; --k) {
    const TensorId x = random.chance(0.75) ? made.back() : pick(made, random);
    std::vector<TensorId> alike;
    for (const TensorId t : made) {
      if (t != x && shape(t) == shape(x)) alike.push_back(t);
    }
    const int64_t kernel = random.between(1, 5), stride = random.chance(0.2) ? 2 : 1;
    std::vector<TensorId> skipped;  // of the same size and quantisation
    for (const TensorId t : made) {
      const bool fits = shape(t)[1] == shape(x)[1] && shape(t)[2] == shape(x)[2];
      const Graph& graph = g.graph();
      if (fits && graph.tensor(t).quantization == graph.tensor(x).quantization)
        skipped.push_back(t);
    }
    const bool small = shape(x)[1] <= 20 && shape(x)[2] <= 12;
    if (small && random.chance(0.25)) {
      made.push_back(random_resize(g, x, shape(pick(made, random)), random));
    } else if (shape(x)[3] < 12 && random.chance(0.15)) {
      made.push_back(g.concat(x, pick(skipped, random)));
    } else if (!alike.empty() && random.chance(0.5)) {
      made.push_back(g.add(x, pick(alike, random)));
    } else if (random.chance(0.2)) {
      made.push_back(g.mean(x));
    } else if (random.chance(0.5)) {
      made.push_back(g.depthwise(x, kernel, stride));
    } else {
      made.push_back(
          g.conv(x, random.chance(0.5) ? shape(x)[3] : random.between(1, 6), kernel, stride));
    }
  }
  const auto readers = consumers(g.graph());
  for (const TensorId t : made) {
    if (readers[t.index()].empty() || random.chance(0.05)) g.output(t);
  }
  return g.graph();
}

/// Groups of an order, whether they gain anything or not: rolled, and rolled inside of loops over
/// channels.
std::vector<GroupCandidate> all_groups(ChannelGroups& channels, const RolledGroups& rolls,
                                       const std::vector<int>& order) {
  const Dataflow& flow = channels.dataflow();
  const std::vector<int64_t> incumbents(order.size(), INT64_MAX);
  std::vector<GroupCandidate> result;
  for (const Granularity granularity : {Granularity::kRow, Granularity::kPixel}) {
    std::ranges::move(rolls.all(incumbents, most_in_group(order.size()), granularity),
                      std::back_inserter(result));
    for (const PlacedGroup& sliced :
         channel_candidates(channels, rolls.bytes(), order, incumbents, {})) {
      for (GroupCandidate& piece : rolls.groups(sliced.begin, sliced.end, granularity)) {
        const ChannelGroup& loop = sliced.group->group;
        piece.group = roll_inside(flow, loop, piece);
        piece.channels = loop.channels;
        piece.finalised.clear();
        for (const ValueId v : loop.accumulated)
          piece.finalised.push_back({flow.maker[v.index()], Method::kFinalise});
        if (derive(flow, piece.group)) result.push_back(std::move(piece));
      }
    }
  }
  return result;
}

/// Disjoint ones.
std::vector<GroupCandidate> random_pieces(std::vector<GroupCandidate> all, zoo::Random& random) {
  std::vector<GroupCandidate> result;
  std::ranges::stable_sort(all, {}, &GroupCandidate::begin);
  int from = 0;
  while (true) {
    std::erase_if(all, [&](const GroupCandidate& piece) { return piece.begin < from; });
    if (all.empty()) return result;
    // Not always the first: what lies between is left alone. The last ones are in both.
    const auto most = static_cast<int64_t>(std::min<size_t>(all.size(), 8)) - 1;
    GroupCandidate& piece = result.emplace_back(all[static_cast<size_t>(random.between(0, most))]);
    if (piece.channels > 0) piece.group.loop.step = random.between(1, piece.channels);
    from = piece.end;
  }
}

/// Every ring that is one row or pixel shorter is caught, so none is longer than it must be.
void expect_least_rings(const Graph& graph, const Schedule& schedule) {
  for (size_t b = 0; b < schedule.buffers.size(); ++b) {
    if (!schedule.buffers[b].wrap || schedule.buffers[b].wrap->modulus == 1) continue;
    Schedule shorter = schedule;
    --shorter.buffers[b].wrap->modulus;
    const Program program = lower(graph, shorter, place(graph, shorter, {}));
    EXPECT_NE(verify(graph, program).fault, "") << "ring " << b << " could be shorter";
  }
}

/// Values with more rows than what they are made from, both made in the group.
size_t upsampled(const Dataflow& flow, const std::vector<InstanceCall>& calls) {
  const auto makes = [&](ValueId v) {
    return std::ranges::find(calls, v, [&](const InstanceCall& c) { return flow.made_by(c); }) !=
           calls.end();
  };
  return static_cast<size_t>(std::ranges::count_if(calls, [&](const InstanceCall& c) {
    const ValueId in = flow.read_by(c)[0];
    return makes(in) && c.method == Method::kCompute &&
           flow.shape(flow.made_by(c))[1] > flow.shape(in)[1];
  }));
}

struct GroupCounts {
  size_t groups = 0, operators = 0, rings = 0, sums = 0, turned = 0;  ///< turned: rows before heads
  size_t sliced = 0, sliced_sums = 0;  ///< inside of loops over channels
  size_t upsampled_by_rows = 0, upsampled_by_pixels = 0;
  int caught = 0;

  void add(const Dataflow& flow, const GroupCandidate& piece) {
    const std::vector<InstanceCall> all = calls({{piece.group}});
    const auto sums_rows = [&](const InstanceCall& c) {
      const auto channels = static_cast<int>(flow.shape(flow.read_by(c)[0]).size()) - 1;
      return c.method == Method::kAccumulate &&
             flow.axes.summed_axis(flow.instances.instance(c.instance).op) != channels;
    };
    const auto means = static_cast<size_t>(std::ranges::count_if(all, sums_rows));
    ++groups;
    operators += static_cast<size_t>(piece.end - piece.begin);
    sums += means;
    sliced += piece.channels > 0 ? 1 : 0;
    sliced_sums += piece.channels > 0 ? means : 0;
    (piece.by_pixels ? upsampled_by_pixels : upsampled_by_rows) += upsampled(flow, all);
  }
};

/// Executes random groups of an order of the network.
void check_random_groups(const Graph& graph, uint64_t seed, const std::vector<int>& order,
                         zoo::Random& random, GroupCounts& counts) {
  const bool in_place = random.chance(0.5);
  const Instances instances = instances_of(graph, {});
  const AxisGraph axes(graph);
  const Dataflow flow(axes, instances);
  const OrderProblem problem = order_problem(graph, instances, in_place);
  const RolledGroups rolls(flow, problem, order, {.in_place = in_place});
  ChannelGroups channels(flow, DType::kInt32);
  const StreamCut cut{.order = order,
                      .pieces = random_pieces(all_groups(channels, rolls, order), random),
                      .over_input = {},
                      .peak_bytes = INT64_MAX};
  if (cut.pieces.empty()) return;
  const Schedule schedule = build(flow, stream_plan(flow, problem, cut, in_place));
  ASSERT_EQ(malformed(graph, schedule), "");
  const Placement placement = place(graph, schedule, {});
  const Program program = lower(graph, schedule, placement);
  ASSERT_EQ(verify(graph, program).fault, "");
  EXPECT_EQ(macs(graph, schedule), macs(graph));
  const std::vector<Bytes> inputs = testing::noise(graph, seed);
  ASSERT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
  expect_least_rings(graph, schedule);
  for (const GroupCandidate& piece : cut.pieces) counts.add(flow, piece);
  for (const Buffer& b : schedule.buffers) {
    counts.rings += b.wrap ? 1 : 0;
    counts.turned += b.wrap && !b.order.empty() ? 1 : 0;
  }
  if (seed % 10 != 0) return;
  const testing::MutantCount count = testing::count_mutants(graph, schedule, placement, 3);
  counts.caught += count.caught;
  for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
}

void print(const GroupCounts& counts) {
  fmt::print(
      "{} groups of {} operators, {} in loops over channels with {} sums, {} sums in all, {} "
      "rings, "
      "{} of them turned, "
      "upsampled {} by rows, {} by "
      "pixels; {} mutants caught\n",
      counts.groups, counts.operators, counts.sliced, counts.sliced_sums, counts.sums, counts.rings,
      counts.turned, counts.upsampled_by_rows, counts.upsampled_by_pixels, counts.caught);
}

TEST(RandomGroups, AreVerifiedAndEqualTheReferenceWithTheLeastRings) {
  const uint64_t graphs = testing::random_cases(700 / testing::kOneIn, 10'000);
  GroupCounts counts;
  for (uint64_t seed = 1; seed <= graphs && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    const Graph graph =
        seed % 4 != 0 ? random_branches(seed, random) : rewrite(testing::random_network(seed));
    check_random_groups(graph, seed,
                        original_order(order_problem(graph, instances_of(graph, {}), false)).ops,
                        random, counts);
  }
  print(counts);
  EXPECT_GT(counts.groups, graphs / 2);
  EXPECT_GT(counts.rings, graphs);
  EXPECT_GT(counts.sums, graphs / 20);
  EXPECT_GT(counts.sliced, graphs / 20);
  EXPECT_GT(counts.sliced_sums, 0U);
  EXPECT_GT(counts.upsampled_by_rows, graphs / 50);
  EXPECT_GT(counts.upsampled_by_pixels, graphs / 50);
  EXPECT_GT(counts.caught, 100 / testing::kOneIn);
}

TEST(RandomGroups, OfAttentionAreVerifiedAndEqualTheReferenceWithTheLeastRings) {
  const uint64_t graphs = testing::random_cases(500 / testing::kOneIn, 10'000);
  GroupCounts counts;
  for (uint64_t seed = 1; seed <= graphs && !::testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    const Graph graph = testing::random_attention(seed);
    const std::vector<int> order = resident_first_order(AxisGraph(graph), instances_of(graph, {}));
    check_random_groups(graph, seed, order, random, counts);
  }
  print(counts);
  EXPECT_GT(counts.groups, graphs / 2);
  EXPECT_GT(counts.rings, graphs);
  EXPECT_GT(counts.turned, graphs / 10);
  EXPECT_GT(counts.caught, 100 / testing::kOneIn);
}

/// Groups over rows or pixels, not channels, with several positions per tile.
size_t in_large_tiles(const std::vector<Member>& members) {
  size_t count = 0;
  for (const Member& member : members) {
    const auto* group = std::get_if<Group>(&member.what);
    if (group == nullptr) continue;
    count += group->loop.step > 1 && group->loop.border == Border::kRoll ? 1 : 0;
    count += in_large_tiles(group->members);
  }
  return count;
}

// What a plan needs without a budget is enough for one with it.
TEST(RandomBudgets, AreMetWhereAPlanWithoutOneFits) {
  size_t received = 0, large_tiles = 0;
  for (uint64_t seed = 1; seed <= 300 / testing::kOneIn; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    const Graph graph = random_branches(seed, random);
    Limits limits{.in_place = random.chance(0.8)};
    if (random.chance(0.3)) limits.ports.input = Place::kStreamed;
    const auto planned = std::get<Planned>(testing::planned_by(plan_stream, graph, limits, {}));
    const int64_t least_bytes = place(graph, planned.schedule(), {}).arena_bytes();
    for (const int64_t percent : {100, 115, 140}) {
      limits.sram_bytes = least_bytes * percent / 100;
      auto within = std::get<Planned>(testing::planned_by(plan_stream, graph, limits, {}));
      const Placement placement = place(graph, within.schedule(), {});
      EXPECT_LE(placement.arena_bytes(), *limits.sram_bytes);
      const Program program = lower(graph, within.schedule(), placement);
      ASSERT_EQ(verify(graph, program).fault, "");
      const std::vector<Bytes> inputs = testing::noise(graph, seed);
      ASSERT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
      large_tiles += in_large_tiles(within.best().plan().members);
    }
    received += limits.ports.input == Place::kStreamed ? 1 : 0;
  }
  EXPECT_GT(received, 50U / testing::kOneIn);
  EXPECT_GT(large_tiles, 20U / testing::kOneIn);
}

TEST(RandomStreams, EqualTheReferenceWithTheLeastRings) {
  const uint64_t graphs = testing::random_cases(300 / testing::kOneIn, 5'000);
  size_t received = 0, delivered = 0;
  int caught = 0;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    const Graph graph = random_branches(seed, random);
    Limits limits{.in_place = random.chance(0.5), .ports = {.input = Place::kStreamed}};
    if (graph.outputs.size() == 1 && random.chance(0.5)) limits.ports.output = Place::kStreamed;
    std::optional<Planned> planned;
    try {
      planned = std::get<Planned>(choose_planner("stream").planner->plan(graph, limits, {}));
    } catch (const CompileError&) {  // rows of branches that never run together
      const PlannerChoice row = choose_planner("stream:granularity=row");
      EXPECT_THROW(row.planner->plan(graph, limits, row.options), CompileError);
      continue;
    }
    const Schedule& schedule = planned->schedule();
    ASSERT_EQ(malformed(graph, schedule), "");
    const auto over_sums = [&](const Share& s) { return schedule.buffer(s.in).sums; };
    EXPECT_TRUE(limits.in_place || std::ranges::all_of(schedule.shares, over_sums));
    const Placement placement = place(graph, schedule, {});
    const Program program = lower(graph, schedule, placement);
    ASSERT_EQ(verify(graph, program).fault, "");
    const std::vector<Bytes> inputs = testing::noise(graph, seed);
    ASSERT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    expect_least_rings(graph, schedule);
    ++received;
    delivered += limits.ports.output == Place::kStreamed ? 1 : 0;
    if (seed % 10 != 0) continue;
    const testing::MutantCount count = testing::count_mutants(graph, schedule, placement, 3);
    caught += count.caught;
    for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
  }
  fmt::print("{} networks with streamed inputs, {} with streamed outputs, {} mutants caught\n",
             received, delivered, caught);
  EXPECT_GT(received, graphs / 2);
  EXPECT_GT(delivered, graphs / 20);
  EXPECT_GT(caught, 100 / testing::kOneIn);
}

}  // namespace
}  // namespace thimble
