// SPDX-License-Identifier: Apache-2.0
// Row streaming: peaks, ports.
#include "thimble/planners/stream.h"

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
#include "thimble/plan/realise.h"
#include "thimble/planners/ports.h"
#include "thimble/planners/registry.h"
#include "thimble/planners/stream_cuts.h"
#include "thimble/program/estimate.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/report/note_text.h"
#include "thimble/report/tensor_text.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/random.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

Planned plan(const Graph& graph, const std::string& granularity = "auto") {
  return std::get<Planned>(
      testing::planned_by(plan_stream, graph, {}, {{"granularity", granularity}}));
}

int64_t verified_arena(const Graph& graph, const std::string& granularity) {
  const Schedule schedule = plan(graph, granularity).schedule();
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
  const auto streamed =
      std::get<Planned>(testing::planned_by(plan_stream, graph, {.ports = ports}, {}));
  const Placement placement = place(graph, streamed.schedule(), {});
  EXPECT_EQ(verify(graph, lower(graph, streamed.schedule(), placement)).fault, "");
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
    auto planned = std::get<Planned>(testing::planned_by(plan_stream, graph,
                                                         {.sram_bytes = sram_bytes, .ports = ports},
                                                         {{"granularity", granularity}}));
    const Placement placement = place(graph, planned.schedule(), {});
    const Program program = lower(graph, planned.schedule(), placement);
    EXPECT_EQ(verify(graph, program).fault, "");
    EXPECT_EQ(macs(graph, planned.schedule()), macs(graph));
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

/// Once its arena is laid out within `sram_bytes`, kernels' scratch included.
double instructions(const Graph& graph, Plan plan, const Core& core, int64_t sram_bytes) {
  plan.kernels.clear();
  const RealisedPlan placed = realised(graph, std::move(plan), core, sram_bytes, {});
  EXPECT_LE(placed.placement.arena_bytes(), sram_bytes);
  const Program program = lower(graph, placed.schedule, placed.placement);
  return estimate_on(program, core, 0).value().estimate.instructions;
}

// The plan of the fewest bytes would do as well.
TEST(Stream, IsFastWithinALimit) {
  const Core core = core_named("cortex-m4");
  for (const char* name :
       {"mobilenet_v1:width=0.25,resolution=96", "mobilenet_v2:width=0.35,resolution=96", "demo"}) {
    const Graph graph = rewrite(build_zoo(name));
    const auto planned = [&](std::optional<int64_t> sram_bytes) {
      return std::get<Planned>(testing::planned_by(plan_stream, graph,
                                                   {.sram_bytes = sram_bytes, .core = core}, {}))
          .best()
          .plan();
    };
    Plan least = planned({});
    least.kernels.clear();
    const int64_t least_bytes = place(graph, build(graph, least), {}).arena_bytes();
    double before = instructions(graph, least, core, least_bytes);
    for (const int64_t percent : {120, 160, 240}) {
      const int64_t sram_bytes = least_bytes * percent / 100;
      const Plan fast = planned(sram_bytes);
      const double now = instructions(graph, fast, core, sram_bytes);
      EXPECT_LE(now, 1.01 * before) << name << " at " << percent << " %";
      EXPECT_LE(now, 1.01 * instructions(graph, least, core, sram_bytes)) << name;
      before = now;
    }
  }
}

TEST(Stream, RefusesOtherGranularities) {
  EXPECT_THROW(plan(build_zoo("demo"), "column"), CompileError);
}

// The mean of squeeze-and-excitation needs all of an image before any of it can be scaled.
TEST(Stream, ComputesAnImageTwiceWhereThatIsAllowed) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = integer_io(
      rewrite(import_tflite(testing::model_path("mcunetv2_large")), ConstantChannels::kKept));
  const auto arena_with = [&](double recompute) {
    const auto planned = std::get<Planned>(testing::planned_by(
        plan_stream, graph, {.max_recompute = recompute}, {{"granularity", "row"}}));
    const Placement placement = place(graph, planned.schedule(), {});
    const Program program = lower(graph, planned.schedule(), placement);
    EXPECT_EQ(verify(graph, program).fault, "");
    EXPECT_LE(static_cast<double>(macs(graph, planned.schedule())),
              (1 + recompute) * static_cast<double>(macs(graph)));
    const std::vector<Bytes> inputs = testing::noise(graph, 1);
    EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    return placement.arena_bytes();
  };
  EXPECT_EQ(arena_with(0), 220'304);
  EXPECT_EQ(arena_with(0.12), 191'744);
}

// Inputs in the caller's memory or streamed, outputs in the caller's memory.
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
    ASSERT_EQ(malformed(graph, planned.schedule()), "");
    const Placement placement = place(graph, planned.schedule(), {});
    const Program program = lower(graph, planned.schedule(), placement);
    ASSERT_EQ(verify(graph, program).fault, "");
    EXPECT_EQ(macs(graph, planned.schedule()), macs(graph));
    if (input == Place::kUser) {
      EXPECT_LE(placement.arena_bytes(), place(graph, plan(graph).schedule(), {}).arena_bytes());
    }
    const std::vector<Bytes> outputs = execute(program, first.input_bytes());
    for (size_t k = 0; k < outputs.size(); ++k) {
      EXPECT_EQ(first_difference(first.outputs[k].data, outputs[k], first.outputs[k].type,
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
    const auto planned = std::get<Planned>(
        testing::planned_by(plan_stream, graph, {.ports = {.input = Place::kStreamed}}, {}));
    const Placement placement = place(graph, planned.schedule(), {});
    EXPECT_EQ(verify(graph, lower(graph, planned.schedule(), placement)).fault, "");
    return placement.arena_bytes();
  };
  EXPECT_LE(streamed_arena("mobilenet_v2"), 132'000);
  EXPECT_LE(streamed_arena("mobilenet_v2:resolution=96"), 38'000);
}

TEST(Streaming, CollectsAnInputThatOperatorsNeedWholeOrThatIsLessThanItsRows) {
  const auto expect_collected = [](const Graph& graph, const std::string& why) {
    const Planner* planner = choose_planner("stream").planner;
    const auto planned =
        std::get<Planned>(planner->plan(graph, {.ports = {.input = Place::kStreamed}}, {}));
    ASSERT_EQ(planned.best().notes.size(), 2U) << sentence(planned.best().notes[0], graph);
    EXPECT_EQ(sentence(planned.best().notes.at(1), graph),
              "the input is collected whole first: " + why);
    ASSERT_EQ(malformed(graph, planned.schedule()), "");
    const Placement placement = place(graph, planned.schedule(), {});
    const Program program = lower(graph, planned.schedule(), placement);
    ASSERT_EQ(verify(graph, program).fault, "");
    EXPECT_TRUE(is_whole(program, program.inputs[0]));
    const std::vector<Bytes> inputs = testing::noise(graph, 3);
    EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    const testing::MutantCount count =
        testing::count_mutants(graph, planned.schedule(), placement, 3);
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
  EXPECT_EQ(
      refusal(whole.graph(), "pex", in),
      "--input: streamed needs a planner that executes row by row: --planner auto or stream (pex "
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
