// SPDX-License-Identifier: Apache-2.0
// Row streaming: peaks, exactness on the real models, and random groups of random networks.
#include "thimble/planners/stream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/program/mutants.h"
#include "tests/support/golden.h"
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
#include "thimble/planners/stream_cuts.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/report/note_text.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/random.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

Planned plan(const Graph& graph, const std::string& granularity = "auto") {
  return std::get<Planned>(plan_stream(graph, {}, {{"granularity", granularity}}));
}

int64_t verified_arena(const Graph& graph, const std::string& granularity) {
  const Schedule schedule = plan(graph, granularity).schedule;
  const Placement placement = place(graph, schedule, {});
  EXPECT_EQ(verify(graph, lower(graph, schedule, placement)).fault, "");
  EXPECT_EQ(macs(graph, schedule), macs(graph));
  return placement.arena_bytes();
}

// What row streaming should reach by the estimate in the shared published_peaks.md; all are below
// the published peaks of others.
TEST(Stream, KeepsMobileNetV2BelowEveryPublishedPeak) {
  const Graph large = build_zoo("mobilenet_v2");
  EXPECT_EQ(verified_arena(large, "row"), 204'288);
  EXPECT_EQ(verified_arena(large, "pixel"), 179'728);
  const Graph narrow = build_zoo("mobilenet_v2:width=0.35,resolution=144");
  EXPECT_EQ(verified_arena(narrow, "row"), 66'816);
  EXPECT_EQ(verified_arena(narrow, "pixel"), 64'576);
  const Graph small = build_zoo("mobilenet_v2:resolution=96");
  EXPECT_EQ(verified_arena(small, "row"), 50'688);
  EXPECT_EQ(verified_arena(small, "pixel"), 40'464);
}

// Issue: at most 60 % of what whole operators need. DARTS keeps two outputs of cells, 301,056 B.
TEST(Stream, NeedsLittleOfWhatWholeOperatorsNeed) {
  for (const auto& [name, reordered] :
       {std::pair<const char*, int64_t>{"efficientnet_b0", 1'505'280},
        {"res15", 66'150},
        {"resnet18", 1'003'520}}) {
    EXPECT_LE(10 * verified_arena(build_zoo(name), "row"), 6 * reordered) << name;
  }
}

// One span: the image (27,648 B, the output over it) and 18 rings. What the encoder hands over
// waits for the decoder, so the first layer keeps the most: before its row 8 m + 2 is joined to
// what was upsampled three times, its row 8 m + 30 goes down and comes back.
//
//   by rows   encoder   29 x 768 + 13 x 768 + 5 x 576 + 3 x 384                     36,288
//             bottom    384 + 384                                                       768
//             decoder   768 + 3 x 1,344 + 1,344 + 576         24 rows                 6,720
//                       1,152 + 3 x 1,920 + 1,920 + 768       48 rows                 9,600
//                       1,536 + 3 x 2,304 + 2,304 + 768       96 rows                11,520
//                                                               and 27,648: 92,544 in all
TEST(Stream, KeepsOfASegmentationNetworkWhatWaitsForTheDecoder) {
  const Graph graph = build_zoo("unet");
  EXPECT_EQ(verified_arena(graph, "row"), 92'544);
  EXPECT_EQ(verified_arena(graph, "pixel"), 75'552);
  EXPECT_EQ(reorder(order_problem(graph, instances_of(graph, {}), true)).peak_bytes, 442'368);
  // Three rows of the image, one of the output.
  const PortPlaces ports{.input = Place::kStreamed, .output = Place::kStreamed};
  const auto streamed = std::get<Planned>(plan_stream(graph, {.ports = ports}, {}));
  const Placement placement = place(graph, streamed.schedule, {});
  EXPECT_EQ(verify(graph, lower(graph, streamed.schedule, placement)).fault, "");
  EXPECT_EQ(placement.arena_bytes(), 92'544 - 27'648 + 3 * 288 + 192);
}

// T tokens of C channels, H heads. x (y lies over it), keys and values: 3 T C. Rings of one token:
// queries, context, projection: 3 C; scores and what softmax makes of them: 2 H T. Several heads:
// queries as reshaped and as turned, context as turned: 3 C more.
TEST(Stream, KeepsOneTokenOfTheScoresOfAttention) {
  const auto arena = [](const std::string& parameters) {
    return verified_arena(rewrite(build_zoo("transformer:" + parameters)), "row");
  };
  EXPECT_EQ(arena("tokens=128,width=32"), 3 * 128 * 32 + 3 * 32 + 2 * 128);
  EXPECT_EQ(arena("tokens=256,width=64"), 3 * 256 * 64 + 3 * 64 + 2 * 256);
  EXPECT_EQ(arena("tokens=256,width=64,heads=4"), 3 * 256 * 64 + 6 * 64 + 2 * 4 * 256);
}

// The caller keeps x, and what reads d wants all of it. Between them there are of e either 3 rows
// (18,432 B), a channel (and one of d with it: 4,096 + 256 B), or both: 3 rows of a channel.
TEST(Stream, NestsRowsInALoopOverChannelsWhereThatLowersThePeak) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 64, 64, 8});
  const TensorId d = g.depthwise(g.conv(x, 96, 1, 1), 3, 4);
  g.output(g.fully_connected(d, 10));
  const Graph& graph = g.graph();
  const int64_t d_bytes = 16 * 16 * 96;
  const auto arena = [&](const std::string& granularity, std::optional<int64_t> sram_bytes) {
    const PortPlaces ports{.input = Place::kUser};
    auto planned = std::get<Planned>(plan_stream(graph, {.sram_bytes = sram_bytes, .ports = ports},
                                                 {{"granularity", granularity}}));
    place_ports(planned.schedule, ports);
    const Placement placement = place(graph, planned.schedule, {});
    const Program program = lower(graph, planned.schedule, placement);
    EXPECT_EQ(verify(graph, program).fault, "");
    EXPECT_EQ(macs(graph, planned.schedule), macs(graph));
    const std::vector<Bytes> inputs = testing::noise(graph, 1);
    EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    return placement.arena_bytes();
  };
  EXPECT_EQ(arena("row", {}), d_bytes + 3 * 64);
  EXPECT_EQ(arena("pixel", {}), d_bytes + 2 * 64 + 3);
  // With room as many channels at a time as fit, and with more without rows.
  EXPECT_EQ(arena("auto", d_bytes + 4'000), d_bytes + 20 * 3 * 64);
  EXPECT_EQ(arena("auto", d_bytes + 4'400), d_bytes + 4'096);
}

// Rows of FULLY_CONNECTED with more axes of extent 1 at its input than at its output: a reshape
// that is gone. The output goes ahead of the input by what it has more for a row.
TEST(Stream, LiesOverAnInputOfAnotherRank) {
  testing::TestGraph g(2);
  g.output(g.linear(g.reshape(g.input({1, 1, 16, 6}), {1, 16, 6}), 20));
  EXPECT_EQ(verified_arena(rewrite(g.graph()), "row"), 16 * 20 + 6);
}

TEST(Stream, RefusesOtherGranularities) {
  EXPECT_THROW(plan(build_zoo("demo"), "column"), CompileError);
}

/// With the golden inputs of seed 1.
void expect_golden_outputs(const Graph& graph, const Program& program, const std::string& model) {
  for (const std::filesystem::path& file : testing::golden_paths(model)) {
    const testing::Golden golden = testing::load_golden(file);
    const testing::Golden::Inference& first = golden.seeds.at(0);
    const std::vector<Bytes> outputs = execute(program, first.input_bytes());
    ASSERT_EQ(outputs.size(), first.outputs.size());
    for (size_t k = 0; k < outputs.size(); ++k) {
      EXPECT_EQ(testing::first_difference(first.outputs[k].data, outputs[k], first.outputs[k].type,
                                          first.outputs[k].shape),
                "")
          << graph.name << ", " << file;
    }
  }
}

// The mean of squeeze-and-excitation needs all of an image before any of it can be scaled.
TEST(Stream, ComputesAnImageTwiceWhereThatIsAllowed) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = integer_io(rewrite(import_tflite(testing::model_path("mcunetv2_large"))));
  const auto arena_with = [&](double recompute) {
    const auto planned = std::get<Planned>(
        plan_stream(graph, {.max_recompute = recompute}, {{"granularity", "row"}}));
    const Placement placement = place(graph, planned.schedule, {});
    const Program program = lower(graph, planned.schedule, placement);
    EXPECT_EQ(verify(graph, program).fault, "");
    EXPECT_LE(static_cast<double>(macs(graph, planned.schedule)),
              (1 + recompute) * static_cast<double>(macs(graph)));
    const std::vector<Bytes> inputs = testing::noise(graph, 1);
    EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    return placement.arena_bytes();
  };
  EXPECT_EQ(arena_with(0), 220'304);
  EXPECT_EQ(arena_with(0.12), 191'744);
}

class StreamedModels : public ::testing::TestWithParam<std::string> {};

TEST_P(StreamedModels, GiveTheGoldenOutputs) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = rewrite(import_tflite(testing::model_path(GetParam())));
  const Schedule schedule = plan(graph).schedule;
  const Program program = lower(graph, schedule, place(graph, schedule, {}));
  ASSERT_EQ(verify(graph, program).fault, "");
  EXPECT_EQ(macs(graph, schedule), macs(graph));
  expect_golden_outputs(graph, program, GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, StreamedModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& parameter) { return parameter.param; });

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
std::vector<RolledPiece> all_groups(ChannelGroups& channels, const Rolls& rolls,
                                    const std::vector<int>& order) {
  const Dataflow& flow = channels.dataflow();
  const std::vector<int64_t> otherwise(order.size(), INT64_MAX);
  std::vector<RolledPiece> result;
  for (const Granularity granularity : {Granularity::kRow, Granularity::kPixel}) {
    std::ranges::move(rolls.all(otherwise, most_in_group(order.size()), granularity),
                      std::back_inserter(result));
    for (const PlacedGroup& sliced :
         channel_candidates(channels, rolls.bytes(), order, otherwise, {})) {
      for (RolledPiece& piece : rolls.groups(sliced.begin, sliced.end, granularity)) {
        const ChannelGroup& loop = sliced.group->group;
        piece.group = roll_inside(flow, loop, piece);
        piece.channels = loop.channels;
        piece.finalised.clear();
        for (const ValueId v : loop.accumulated)
          piece.finalised.push_back({flow.maker[v.index()], Method::kFinalise, {}});
        if (derive(flow, piece.group)) result.push_back(std::move(piece));
      }
    }
  }
  return result;
}

/// Disjoint ones.
std::vector<RolledPiece> random_pieces(std::vector<RolledPiece> all, zoo::Random& random) {
  std::vector<RolledPiece> result;
  std::ranges::stable_sort(all, {}, &RolledPiece::begin);
  int from = 0;
  while (true) {
    std::erase_if(all, [&](const RolledPiece& piece) { return piece.begin < from; });
    if (all.empty()) return result;
    // Not always the first: what lies between is left alone. The last ones are in both.
    const auto most = static_cast<int64_t>(std::min<size_t>(all.size(), 8)) - 1;
    RolledPiece& piece = result.emplace_back(all[static_cast<size_t>(random.between(0, most))]);
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

  void add(const Dataflow& flow, const RolledPiece& piece) {
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
  const Rolls rolls(flow, problem, order, {.in_place = in_place});
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
  for (const RolledPiece& piece : cut.pieces) counts.add(flow, piece);
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
  const uint64_t graphs = testing::random_cases(700, 10'000);
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
  EXPECT_GT(counts.caught, 100);
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
  EXPECT_GT(counts.caught, 100);
}

// Of all tensors at the edges, in the three places.
class Ports : public ::testing::TestWithParam<std::string> {};

TEST_P(Ports, GiveTheGoldenOutputsFromWhereverTheyAre) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = rewrite(import_tflite(testing::model_path(GetParam())));
  const testing::Golden golden = testing::load_golden(testing::golden_paths(GetParam()).at(0));
  const testing::Golden::Inference& first = golden.seeds.at(0);
  const bool rows = graph.tensor(graph.inputs[0].tensor).shape.size() > 2;
  for (const Place input : {Place::kUser, Place::kStreamed}) {
    if (input == Place::kStreamed && !rows) continue;
    const Planner* planner = choose_planner("stream").planner;
    const auto planned = std::get<Planned>(
        planner->plan(graph, {.ports = {.input = input, .output = Place::kUser}}, {}));
    ASSERT_EQ(malformed(graph, planned.schedule), "");
    const Placement placement = place(graph, planned.schedule, {});
    const Program program = lower(graph, planned.schedule, placement);
    ASSERT_EQ(verify(graph, program).fault, "");
    EXPECT_EQ(macs(graph, planned.schedule), macs(graph));
    if (input == Place::kUser) {
      EXPECT_LE(placement.arena_bytes(), place(graph, plan(graph).schedule, {}).arena_bytes());
    }
    const std::vector<Bytes> outputs = execute(program, first.input_bytes());
    for (size_t k = 0; k < outputs.size(); ++k) {
      EXPECT_EQ(testing::first_difference(first.outputs[k].data, outputs[k], first.outputs[k].type,
                                          first.outputs[k].shape),
                "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Ports, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& parameter) { return parameter.param; });

TEST(Stream, NeedsLessWhereTheInputIsNeverWhole) {
  const auto streamed_arena = [](const std::string& name) {
    const Graph graph = build_zoo(name);
    const auto planned =
        std::get<Planned>(plan_stream(graph, {.ports = {.input = Place::kStreamed}}, {}));
    const Placement placement = place(graph, planned.schedule, {});
    EXPECT_EQ(verify(graph, lower(graph, planned.schedule, placement)).fault, "");
    return placement.arena_bytes();
  };
  EXPECT_LE(streamed_arena("mobilenet_v2"), 132'000);
  EXPECT_LE(streamed_arena("mobilenet_v2:resolution=96"), 38'000);
}

// What a plan needs without a budget is enough for one with it.
TEST(RandomBudgets, AreMetWhereAPlanWithoutOneFits) {
  size_t received = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    const Graph graph = random_branches(seed, random);
    Limits limits{.in_place = random.chance(0.8)};
    if (random.chance(0.3)) limits.ports.input = Place::kStreamed;
    const auto planned = std::get<Planned>(plan_stream(graph, limits, {}));
    limits.sram_bytes = place(graph, planned.schedule, {}).arena_bytes();
    const auto within = std::get<Planned>(plan_stream(graph, limits, {}));
    EXPECT_LE(place(graph, within.schedule, {}).arena_bytes(), *limits.sram_bytes);
    received += limits.ports.input == Place::kStreamed ? 1 : 0;
  }
  EXPECT_GT(received, 50U);
}

TEST(RandomStreams, EqualTheReferenceWithTheLeastRings) {
  const uint64_t graphs = testing::random_cases(300, 5'000);
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
    const Schedule& schedule = planned->schedule;
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
  EXPECT_GT(caught, 100);
}

TEST(Streaming, CollectsAnInputThatOperatorsNeedWholeOrThatIsLessThanItsRows) {
  const auto expect_collected = [](const Graph& graph, const std::string& why) {
    const Planner* planner = choose_planner("stream").planner;
    const auto planned =
        std::get<Planned>(planner->plan(graph, {.ports = {.input = Place::kStreamed}}, {}));
    ASSERT_EQ(planned.notes.size(), 2U) << sentence(planned.notes[0], graph);
    EXPECT_EQ(sentence(planned.notes.at(1), graph), "the input is collected whole first: " + why);
    ASSERT_EQ(malformed(graph, planned.schedule), "");
    const Placement placement = place(graph, planned.schedule, {});
    const Program program = lower(graph, planned.schedule, placement);
    ASSERT_EQ(verify(graph, program).fault, "");
    EXPECT_TRUE(is_whole(program, program.inputs[0]));
    const std::vector<Bytes> inputs = testing::noise(graph, 3);
    EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    const testing::MutantCount count =
        testing::count_mutants(graph, planned.schedule, placement, 3);
    for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
    EXPECT_GT(count.caught, 0);
  };
  testing::TestGraph turned(3);  // and its rows come as columns x channels
  const TensorId a = turned.transpose(turned.input({1, 2, 6, 6}), {0, 2, 3, 1});
  const TensorId b = turned.transpose(turned.conv(a, 2, 3, 1), {0, 2, 1, 3});
  turned.output(turned.add(a, b));
  expect_collected(rewrite(turned.graph()),
                   "TRANSPOSE #2 cannot execute row by row, and stands between CONV_2D #1 and ADD "
                   "#3");
  expect_collected(rewrite(build_zoo("transformer:tokens=16,width=8")),
                   "BATCH_MATMUL #3 cannot execute row by row, and stands between FULLY_CONNECTED "
                   "#0 and ADD #7");
  // What needs the most is behind the rows: all of the convolution's output, which the transpose
  // wants (18,432 B, a channel turned, and the mean), or channel by channel from all of the input.
  testing::TestGraph wanted(4);
  const TensorId c = wanted.conv(wanted.input({1, 24, 24, 3}), 32, 3, 1);
  wanted.output(wanted.mean(wanted.transpose(c, {0, 2, 1, 3})));
  expect_collected(wanted.graph(), "passing by, it would need 19040 B");
  // All of x (48 B) and a channel at a time, or its rows and pixels of all channels (12 + 704 B).
  testing::TestGraph small(5);
  const TensorId wide = small.conv(small.input({1, 12, 4, 1}), 64, 3, 1);
  small.output(small.fully_connected(small.depthwise(wide, 3, 2), 4));
  expect_collected(small.graph(), "passing by, it would need 1484 B");
}

TEST(Streaming, RefusesToStreamWhatDoesNotComeInRows) {
  const auto refusal = [](const Graph& graph, const char* planner, const PortPlaces& ports) {
    try {
      const PlannerChoice choice = choose_planner(planner);
      (void)choice.planner->plan(graph, {.ports = ports}, choice.options);
    } catch (const CompileError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const PortPlaces in{.input = Place::kStreamed}, out{.output = Place::kStreamed};
  testing::TestGraph flat(1);
  flat.output(flat.fully_connected(flat.input({1, 6}), 4));
  EXPECT_EQ(refusal(flat.graph(), "stream", in),
            "--input: streamed is for images and sequences, one by one (1 x rows x columns x "
            "channels, 1 x rows x channels); 't0' is 1x6");
  testing::TestGraph whole(2);
  whole.output(whole.reshape(whole.conv(whole.input({1, 4, 4, 2}), 3, 3, 1), {1, 8, 6}));
  EXPECT_EQ(refusal(whole.graph(), "stream", {Place::kStreamed, Place::kStreamed}),
            "--output: this network's cannot be streamed: RESHAPE #1 cannot execute row by row");
  EXPECT_EQ(refusal(whole.graph(), "pex", in),
            "--input: streamed needs a planner that executes row by row: --planner stream (pex "
            "keeps the tensor whole)");
  testing::TestGraph image(4);
  image.output(image.conv(image.conv(image.input({1, 6, 6, 2}), 3, 3, 1), 2, 3, 1));
  EXPECT_EQ(
      refusal(image.graph(), "stream:granularity=pixel", out),
      "--output: this network's cannot be streamed: rows leave whole, which granularity=row or "
      "auto allows");
  testing::TestGraph two(4);
  two.output(two.add(two.input({1, 4, 4, 2}), two.input({1, 4, 4, 2})));
  EXPECT_EQ(refusal(two.graph(), "stream", in),
            "--input: streamed is for networks with one input, this one has 2");
}

}  // namespace
}  // namespace thimble
