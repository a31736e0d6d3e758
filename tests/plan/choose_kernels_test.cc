// SPDX-License-Identifier: Apache-2.0
// Kernels of a core in place of the portable ones: where, at what cost in memory, and proved.
#include "thimble/plan/choose_kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/model/error.h"
#include "thimble/plan/build.h"
#include "thimble/plan/realise.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/schedule/first_kernels.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

/// The network in ONNX's arithmetic, whose scales are float32.
Graph with_float_scales(Graph graph) {
  for (Op& op : graph.ops) op.attributes.arithmetic = Arithmetic::kOnnx;
  return graph;
}

/// 1 x 1 convolutions of an image, one with a stride, and a 3 x 3.
Graph pointwise_network() {
  testing::TestGraph net(3);
  const TensorId x = net.input({1, 8, 8, 8});
  const TensorId wide = net.conv(x, 24, 1, 1);
  const TensorId narrow = net.conv(wide, 13, 1, 1);
  const TensorId window = net.conv(narrow, 8, 3, 1);
  net.output(net.conv(window, 6, 1, 2));
  return net.graph();
}

Plan reordered(const Graph& graph) {
  return std::get<Planned>(choose_planner("reorder").planner->plan(graph, {}, {})).best().plan();
}

RealisedPlan placed_with(const Graph& graph, Plan plan, const std::string& core,
                         std::optional<int64_t> arena_bytes, Weights weights = Weights::kFast) {
  Core target = core_named(core);
  target.weights = weights;
  plan.kernels.clear();
  return realised(graph, std::move(plan), target, arena_bytes, {});
}

int fast_steps(const Schedule& schedule) {
  int count = 0;
  for_each_step(schedule, [&](const Step& step, Position) { count += step.kernel.valid(); });
  return count;
}

int steps_with(const Schedule& schedule, const std::string& kernel) {
  int count = 0;
  for_each_step(schedule, [&](const Step& step, Position) {
    count += step.kernel.valid() && info(step.kernel).name == kernel;
  });
  return count;
}

void expect_right(const Graph& graph, const RealisedPlan& placed) {
  ASSERT_EQ(malformed(graph, placed.schedule), "");
  const Program program = lower(graph, placed.schedule, placed.placement);
  ASSERT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs = testing::noise(graph, 1);
  EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
}

/// Windows of 3 x 3 and others with strides 1 to 3, each with outputs from the zero point -128 up
/// where `relu` holds, and one channel of the weights scaled by `other`.
Graph depthwise_network(bool relu, float other) {
  testing::TestGraph net(5);
  TensorId t = net.input({1, 15, 13, 10});
  for (const auto& [kernel, stride] : {std::pair{3, 1}, {3, 2}, {5, 1}, {4, 2}, {3, 3}})
    t = net.depthwise(t, kernel, stride);
  net.output(t);
  Graph graph = net.graph();
  for (Op& op : graph.ops) {
    graph.tensors[static_cast<size_t>(op.inputs[1].index())].quantization.scales[3] *= other;
    if (!relu) continue;
    std::get<DepthwiseConv2D>(op.attributes).activation = Activation::kRelu;
    graph.tensors[static_cast<size_t>(op.outputs[0].index())].quantization.zero_points = {-128};
  }
  return graph;
}

RealisedPlan with_room(const Graph& graph, const char* core = "cortex-m4",
                       Weights weights = Weights::kFast) {
  return placed_with(graph, reordered(graph), core, 64 * 1024, weights);
}

/// Every third word of every constant is damaged, and each time the verifier must say so. How many
/// words.
size_t damaged_words(const Graph& graph, const Program& program) {
  size_t words = 0;
  for (size_t k = 0; k < program.constants.size(); ++k) {
    const size_t bytes = program.constants[k].content.data.size();
    for (size_t byte = k % 4; byte < bytes; byte += 12, ++words) {
      Program damaged = program;
      damaged.constants[k].content.data.own()[byte] ^= 16;
      EXPECT_NE(verify(graph, damaged).fault, "") << "constant " << k << ", byte " << byte;
    }
  }
  return words;
}

TEST(ChooseKernels, LimitsScratchOnlyWhereMuchIsLive) {
  const Graph graph = depthwise_network(true, 1);
  const Plan plan = without_kernels(reordered(graph));
  const AxisGraph axes(graph);
  const Dataflow flow(axes, plan.instances);
  const Schedule portable = build(flow, plan);
  const Core core = core_named("cortex-m4");
  const LatencyModel model = latency_model_for(core);
  const LatencyEstimate latency(flow, core, model);
  KernelSelection selection(flow, plan, portable, latency);
  constexpr int64_t kRoom = 64 * 1024;
  const auto all = selection.within({.live_bytes = kRoom, .weight_bytes = {}});
  const std::vector<int64_t> live = live_bytes(graph, portable);
  std::vector<int64_t> sums;  // live with all scratch
  for (size_t step = 0; step < live.size(); ++step)
    sums.push_back(live[step] + all.kernels[step].scratch_bytes);
  std::vector<int64_t> sorted = sums;
  std::ranges::sort(sorted);
  const int64_t free_bytes = sorted[sorted.size() / 2];
  const auto some = selection.within(
      {.live_bytes = kRoom, .weight_bytes = {}, .scratch_bytes = 0, .free_bytes = free_bytes});
  int without = 0;
  for (size_t step = 0; step < live.size(); ++step) {
    if (sums[step] <= free_bytes) {
      EXPECT_EQ(some.kernels[step], all.kernels[step]) << step;
    }
    if (live[step] <= free_bytes) continue;
    EXPECT_EQ(some.kernels[step].scratch_bytes, 0) << step;
    ++without;
  }
  EXPECT_GT(without, 0);
  EXPECT_LT(without, std::ssize(live));
}

// 16 bytes are enough for some: what little is left of the room is worth having.
TEST(ChooseKernels, UsesWhateverRoomThereIs) {
  const Graph graph = depthwise_network(true, 1);
  const Plan plan = reordered(graph);
  const int64_t least = realised(graph, plan, core_of_estimates(), {}, {}).placement.arena_bytes();
  std::vector<double> times;
  double last = std::numeric_limits<double>::infinity();
  for (int64_t extra_bytes = 0; extra_bytes <= 512; extra_bytes += 32) {
    const RealisedPlan placed = placed_with(graph, plan, "cortex-m4", least + extra_bytes);
    EXPECT_LE(placed.placement.arena_bytes(), least + extra_bytes);
    EXPECT_LE(placed.instructions, last * 1.001) << extra_bytes;
    last = placed.instructions;
    times.push_back(last);
  }
  EXPECT_LT(times[4], times[0]);  // 128 bytes
  EXPECT_LT(times.back(), times[4]);
}

TEST(ChooseKernels, TakesDepthwiseKernelsThatAreExact) {
  const auto expect_all = [](const Graph& graph, const char* kernel,
                             Weights weights = Weights::kFast) {
    const RealisedPlan placed = with_room(graph, "cortex-m4", weights);
    int count = 0;
    for_each_step(placed.schedule, [&](const Step& step, Position) {
      if (step.method != Method::kCompute) return;  // in place, by a kernel of its own
      if (!step.kernel.valid()) return;  // of few channels, which the portable one does as soon
      EXPECT_EQ(step.kernel, kernel_named(kernel));
      ++count;
    });
    EXPECT_GE(count, 3);
    expect_right(graph, placed);
  };
  expect_all(depthwise_network(true, 1), "depthwise_conv_2d_dsp");
  expect_all(depthwise_network(true, 0x1p-6F), "depthwise_conv_2d_shifted_dsp");
  expect_all(depthwise_network(false, 1), "depthwise_conv_2d_clamped_dsp");
  expect_all(depthwise_network(true, 1), "depthwise_conv_2d_compact_dsp", Weights::kCompact);
  expect_all(depthwise_network(true, 0x1p-6F), "depthwise_conv_2d_compact_shifted_dsp",
             Weights::kCompact);
  expect_all(depthwise_network(false, 1), "depthwise_conv_2d_compact_clamped_dsp",
             Weights::kCompact);
  const Graph large = depthwise_network(true, 0x1p10F);  // shifts to the left
  EXPECT_EQ(fast_steps(with_room(large).schedule), 0);
}

TEST(ChooseKernels, ReadsEachWordOfADepthwiseConvolutionBack) {
  const Graph relu = depthwise_network(true, 1), clamped = depthwise_network(false, 1);
  for (const Graph& graph : {relu, depthwise_network(true, 0x1p-6F), clamped,
                             with_float_scales(relu), with_float_scales(clamped)}) {
    for (const Weights weights : {Weights::kFast, Weights::kCompact}) {
      const RealisedPlan placed = with_room(graph, "cortex-m4", weights);
      const Program program = lower(graph, placed.schedule, placed.placement);
      EXPECT_GT(damaged_words(graph, program), weights == Weights::kFast ? 250U : 100U);
    }
  }
}

TEST(ChooseKernels, ReadsTheParametersOfADepthwiseConvolutionBack) {
  const Graph graph = depthwise_network(false, 1);
  const RealisedPlan placed = with_room(graph);
  const Program program = lower(graph, placed.schedule, placed.placement);
  const auto expect = [&](const auto& damage, const char* fault) {
    Program damaged = program;
    for (ProgramParams& given : damaged.params) {
      auto* p = std::get_if<runtime::DepthwiseConv2DPackedParams>(&given.params);
      if (p != nullptr) damage(*p);
    }
    EXPECT_THAT(verify(graph, damaged).fault, HasSubstr(fault));
  };
  expect([](auto& p) { p.window.pad_left = 0; }, "pad_left");
  expect([](auto& p) { p.out_channels += 1; }, "out_channels");
  expect([](auto& p) { p.input_zero_point += 1; }, "input_zero_point");
  expect([](auto& p) { p.clamp_add += 1; }, "clamp_add");
  expect([](auto& p) { p.clamp_less += 1; }, "clamp_less");
  expect([](auto& p) { p.scratch_bytes += 4; }, "bytes of scratch");
}

/// Convolutions with an even number of channels; relu: as depthwise_network() has it.
Program paired_program(const Graph& graph, bool wide) {
  Core core = core_named("cortex-m4");
  core.weights = wide ? Weights::kFast : Weights::kCompact;
  const RealisedPlan placed =
      placed_with(graph, reordered(graph), core.name, 64 * 1024, core.weights);
  int pairs = 0;
  for_each_step(placed.schedule, [&](const Step& step, Position) {
    pairs += step.kernel.valid() &&
             info(step.kernel).form == (wide ? WeightForm::kWide : WeightForm::kCompact);
  });
  EXPECT_EQ(pairs, 3);
  expect_right(graph, placed);
  return lower(graph, placed.schedule, placed.placement);
}
Graph paired_network(bool relu) {
  testing::TestGraph net(7);
  const TensorId wide = net.conv(net.input({1, 9, 7, 6}), 8, 3, 2);
  net.output(net.conv(net.conv(wide, 12, 1, 1), 4, 2, 1));
  Graph graph = net.graph();
  for (Op& op : graph.ops) {
    if (!relu) continue;
    std::get<Conv2D>(op.attributes).activation = Activation::kRelu;
    graph.tensors[static_cast<size_t>(op.outputs[0].index())].quantization.zero_points = {-128};
  }
  return graph;
}

TEST(ChooseKernels, ReadsEachWordOfPairsBack) {
  const Graph relu = paired_network(true), clamped = paired_network(false);
  for (const Graph& graph : {relu, clamped, with_float_scales(relu), with_float_scales(clamped)}) {
    EXPECT_GT(damaged_words(graph, paired_program(graph, true)), 100U);
    EXPECT_GT(damaged_words(graph, paired_program(graph, false)), 80U);
  }
}

TEST(ChooseKernels, HoldsTheScaleOfALayerOnceInCompactWeights) {
  for (const bool relu : {false, true}) {
    const Graph each = paired_network(relu);
    Graph one = each;
    for (const Op& op : one.ops) {
      std::vector<float>& scales =
          one.tensors[static_cast<size_t>(op.inputs[1].index())].quantization.scales;
      std::ranges::fill(scales, scales.front());
    }
    const auto bytes = [](const Program& program) {
      size_t sum = 0;
      for (const ProgramConstant& c : program.constants) sum += c.content.data.size();
      return sum;
    };
    const Program shared = paired_program(one, false);
    constexpr size_t kPairs = 4 + 6 + 2, kLayers = 3, kWords = 6;
    EXPECT_EQ(bytes(paired_program(each, false)) - bytes(shared),
              (kPairs - kLayers) * kWords * sizeof(int32_t));
    EXPECT_GT(damaged_words(one, shared), 60U);
  }
}

// Weights of -128 that have no halfword, in the first channel and in the last.
TEST(ChooseKernels, ListsWhatCompactWeightsLack) {
  for (const bool relu : {false, true}) {
    Graph graph = paired_network(relu);
    for (Op& op : graph.ops) {
      Tensor& tensor = graph.tensors[static_cast<size_t>(op.inputs[1].index())];
      Bytes weights = *tensor.data;
      for (const size_t k : {size_t{0}, weights.size() - 4}) {
        weights[k] = 0xff;
        weights[k + 1] = 0x80;
      }
      tensor.data = std::make_shared<const Bytes>(weights);
    }
    const Program program = paired_program(graph, false);
    const std::vector<Bytes> inputs = testing::noise(graph, 1);
    EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    for (size_t k = 0; k < program.constants.size(); ++k) {
      const size_t bytes = program.constants[k].content.data.size();
      for (size_t byte = bytes - 20; byte < bytes; ++byte) {
        Program damaged = program;
        damaged.constants[k].content.data.own()[byte] ^= 3;
        EXPECT_NE(verify(graph, damaged).fault, "") << "constant " << k << ", byte " << byte;
      }
    }
  }
}

TEST(ChooseKernels, ReadsTheParametersOfPairsBack) {
  for (const bool relu : {false, true}) {
    const Graph graph = paired_network(relu);
    const Program program = paired_program(graph, true);
    const auto expect = [&](const auto& damage, const char* fault) {
      Program damaged = program;
      for (ProgramParams& given : damaged.params)
        damage(std::get<runtime::Conv2DPairsParams>(given.params));
      EXPECT_THAT(verify(graph, damaged).fault, HasSubstr(fault));
    };
    expect([](auto& p) { p.window.pad_left += 1; }, "pad_left");
    expect([](auto& p) { p.in_channels += 1; }, "in_channels");
    expect([](auto& p) { p.out_channels += 1; }, "out_channels");
    expect([](auto& p) { p.input_zero_point += 1; }, "input_zero_point");
    expect([](auto& p) { p.output_zero_point += 1; }, "output_zero_point");
    expect([](auto& p) { p.clamp_max -= 1; }, "clamp_max");
    using runtime::Tail;
    const int32_t taken = std::get<runtime::Conv2DPairsParams>(program.params.front().params).tail;
    EXPECT_EQ(taken, static_cast<int32_t>(relu ? Tail::kReluBy11 : Tail::kSigned));
    for (int32_t tail = 0; tail <= static_cast<int32_t>(Tail::kSums); ++tail) {
      // Clamps that are not in the way do the same.
      const bool same = !relu && tail == static_cast<int32_t>(Tail::kSignedClamps);
      if (tail != taken && !same) expect([=](auto& p) { p.tail = tail; }, "its ");
    }
    for (const int32_t tail : {-1, static_cast<int32_t>(Tail::kSums) + 1})
      expect([=](auto& p) { p.tail = tail; }, "no such tail");
  }
}

/// The program of the network's convolutions in fours.
Program program_in_fours(const Graph& graph) {
  const RealisedPlan placed = with_room(graph, "cortex-m55");
  int fours = 0;
  for_each_step(placed.schedule, [&](const Step& step, Position) {
    fours += step.kernel == kernel_named("conv_2d_mve") ||
             step.kernel == kernel_named("conv_2d_1x1_mve");
  });
  EXPECT_EQ(fours, 3);
  expect_right(graph, placed);
  return lower(graph, placed.schedule, placed.placement);
}

TEST(ChooseKernels, ReadsEachWordOfFoursBack) {
  const Graph relu = paired_network(true), clamped = paired_network(false);
  for (const Graph& graph : {relu, clamped, with_float_scales(relu), with_float_scales(clamped)}) {
    EXPECT_GT(damaged_words(graph, program_in_fours(graph)), 90U);
  }
}

TEST(ChooseKernels, ScalesOfOneKindAreNoneOfTheOther) {
  const Graph graph = paired_network(true);
  const Graph other = with_float_scales(graph);
  EXPECT_NE(verify(other, paired_program(graph, true)).fault, "");
  EXPECT_NE(verify(graph, paired_program(other, true)).fault, "");
  EXPECT_NE(verify(other, program_in_fours(graph)).fault, "");
}

TEST(ChooseKernels, ReadsTheParametersOfFoursBack) {
  const auto expect = [](const Graph& graph, const auto& damage, const char* fault) {
    Program damaged = program_in_fours(graph);
    for (ProgramParams& given : damaged.params)
      damage(std::get<runtime::Conv2DFoursParams>(given.params));
    EXPECT_THAT(verify(graph, damaged).fault, HasSubstr(fault));
  };
  Graph graph = paired_network(true);
  expect(
      graph, [](auto& p) { p.window.pad_left += 1; }, "pad_left");
  expect(
      graph, [](auto& p) { p.in_channels += 1; }, "in_channels");
  expect(
      graph, [](auto& p) { p.out_channels += 1; }, "out_channels");
  expect(
      graph, [](auto& p) { p.input_zero_point += 1; }, "input_zero_point");
  expect(
      graph, [](auto& p) { p.output_zero_point += 1; }, "output_zero_point");
  expect(
      graph, [](auto& p) { p.clamp_max -= 1; }, "clamp_max");
  expect(
      graph, [](auto& p) { p.rounding = 3; }, "its scale is of another kind");  // to even
  expect(
      graph, [](auto& p) { p.rounding = 4; }, "it has no such rounding");
  expect(
      graph, [](auto& p) { p.rounding = -1; }, "it has no such rounding");
  const auto round_up = [](auto& p) { p.rounding = 0; };
  const auto round_away = [](auto& p) { p.rounding = 1; };
  expect(paired_network(false), round_up, "its ties round away from zero");
  for (const Op& op : graph.ops)  // shifts to the left
    graph.tensors[static_cast<size_t>(op.inputs[1].index())].quantization.scales[1] *= 0x1p12F;
  expect(graph, round_up, "its ties round away from zero");
  expect(graph, round_away, "its shift has no ties");
}

TEST(ChooseKernels, TakesVectorsWhereTheyAreExact) {
  const auto expect_all = [](const Graph& graph, const char* kernel, int wanted) {
    const RealisedPlan placed = with_room(graph, "cortex-m55");
    int count = 0;
    for_each_step(placed.schedule, [&](const Step& step, Position) {
      count += step.kernel.valid() && step.kernel == kernel_named(kernel);
    });
    EXPECT_GE(count, wanted);
    expect_right(graph, placed);
  };
  expect_all(depthwise_network(true, 1), "depthwise_conv_2d_mve", 4);
  expect_all(depthwise_network(false, 1), "depthwise_conv_2d_mve", 4);
  const Graph large = depthwise_network(true, 0x1p10F);  // shifts to the left
  EXPECT_EQ(fast_steps(with_room(large, "cortex-m55").schedule), 0);
}

TEST(ChooseKernels, TakesTheCoresWhereThereIsRoom) {
  const Graph graph = pointwise_network();
  const Plan plan = reordered(graph);
  const RealisedPlan roomy = placed_with(graph, plan, "cortex-m4", 64 * 1024);
  EXPECT_EQ(fast_steps(roomy.schedule), 4);
  expect_right(graph, roomy);
}

TEST(ChooseKernels, TakesNoMoreThanABudget) {
  const Graph graph = pointwise_network();
  const Plan plan = reordered(graph);
  const int64_t portable = place(graph, build(graph, plan), {}).arena_bytes();
  const RealisedPlan placed = placed_with(graph, plan, "cortex-m4", portable);
  EXPECT_EQ(fast_steps(placed.schedule), 4);
  const int pairs = steps_with(placed.schedule, "conv_2d_pairs_dsp");
  EXPECT_GT(pairs, 0);  // not at the peak, but behind it
  EXPECT_EQ(pairs + steps_with(placed.schedule, "conv_2d_1x1_dsp"), 4);
  EXPECT_LT(pairs, 4);
  EXPECT_LE(placed.placement.arena_bytes(), portable);
  expect_right(graph, placed);
}

TEST(ChooseKernels, TakesAnEighthMoreWithoutABudget) {
  const Graph graph = pointwise_network();
  const Plan plan = reordered(graph);
  const int64_t portable = place(graph, build(graph, plan), {}).arena_bytes();
  const RealisedPlan placed = placed_with(graph, plan, "cortex-m4", std::nullopt);
  EXPECT_EQ(fast_steps(placed.schedule), 4);
  EXPECT_GT(placed.placement.arena_bytes(), portable);
  EXPECT_LE(placed.placement.arena_bytes(), portable + portable / 8);
  expect_right(graph, placed);
}

// Each depthwise convolution of the network takes what there is, down to a pixel of padding.
TEST(ChooseKernels, MakesDoWithLittleScratch) {
  testing::TestGraph net(5);
  TensorId t = net.input({1, 15, 13, 40});
  for (const int stride : {1, 2, 1}) t = net.depthwise(t, 3, stride);
  net.output(t);
  const Graph graph = net.graph();
  const Plan plan = reordered(graph);
  const int64_t portable = place(graph, build(graph, plan), {}).arena_bytes();
  std::set<int64_t> sizes;
  for (const int64_t more : {40, 1000, 2000, 5000, 9000}) {
    const RealisedPlan placed = placed_with(graph, plan, "cortex-m4", portable + more);
    for_each_step(placed.schedule, [&](const Step& step, Position) {
      if (step.kernel.valid()) sizes.insert(placed.schedule.buffer(step.scratch).size_bytes());
    });
    expect_right(graph, placed);
  }
  EXPECT_GE(sizes.size(), 5U);
}

TEST(ChooseKernels, LeavesOtherCoresThePortableOnes) {
  const Graph graph = pointwise_network();
  for (const char* core : {"cortex-m0", "cortex-m3", "cortex-m23"}) {
    const RealisedPlan placed = placed_with(graph, reordered(graph), core, 64 * 1024);
    EXPECT_EQ(fast_steps(placed.schedule), 0) << core;
  }
}

// Slices of few channels and channels first.
TEST(ChooseKernels, LeavesThePiecesThatAFastKernelRefuses) {
  const testing::HandWritten rows = testing::row_span();
  const testing::HandWritten slices = testing::channel_loop();
  const testing::HandWritten turned = testing::turned_input();
  for (const testing::HandWritten* hand : {&rows, &slices, &turned}) {
    const Schedule schedule =
        with_first_kernels(hand->graph, hand->schedule, core_named("cortex-m4"));
    expect_right(hand->graph,
                 {.plan = {}, .schedule = schedule, .placement = place(hand->graph, schedule, {})});
  }
}

TEST(ChooseKernels, EveryPlanOfRandomNetworksStaysRight) {
  // With the sanitizers forty networks, of which some have such kernels.
  const uint64_t first = testing::kSanitized ? 121 : 1, last = testing::kSanitized ? 160 : 500;
  int chosen = 0;
  for (uint64_t seed = first; seed <= last; ++seed) {
    const Graph graph = testing::random_network(seed);
    for (const Planner& planner : planners()) {
      const auto planned = std::get<Planned>(planner.plan(graph, {}, {}));
      for (const char* core : {"cortex-m4", "cortex-m55"}) {
        const RealisedPlan placed = placed_with(graph, planned.best().plan(), core, 1 << 20);
        chosen += fast_steps(placed.schedule);
        expect_right(graph, placed);
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(chosen, testing::kSanitized ? 2 : 20);
}

TEST(ChooseKernels, TakesTheFastestAsEstimated) {
  const Graph graph = pointwise_network();
  const AxisGraph axes(graph);
  const Plan plan = reordered(graph);
  const Dataflow flow(axes, plan.instances);
  const Core core = core_named("cortex-m4");
  const auto with = [&](const LatencyModel& model) {
    LatencyEstimate latency(flow, core, model);
    return Realisation(flow, latency, plan, {}).arena_within(1 << 20);
  };
  LatencyModel model = *latency_model("cortex-m4");
  EXPECT_EQ(steps_with(with(model).schedule, "conv_2d_pairs_dsp"), 4);
  for (double& coefficient : model.kernels.at("conv_2d_pairs_dsp")) coefficient *= 100;
  const RealisedPlan without = with(model);
  EXPECT_EQ(steps_with(without.schedule, "conv_2d_pairs_dsp"), 0);
  EXPECT_GT(fast_steps(without.schedule), 0) << "1 x 1 without scratch";
  expect_right(graph, without);
  // What nobody counted is taken to be no slower than the portable kernel.
  LatencyModel unknown = model;
  unknown.kernels.erase("conv_2d_pairs_dsp");
  EXPECT_GT(steps_with(with(unknown).schedule, "conv_2d_pairs_dsp"), 0);
}

// Its kernels of the DSP extension are not fitted there, those in MVE are.
TEST(ChooseKernels, DoesNotJudgeByThoseOfAnotherInstructionSetThatNobodyFitted) {
  for (const Graph& graph : {pointwise_network(), depthwise_network(true, 1)}) {
    const RealisedPlan placed = placed_with(graph, reordered(graph), "cortex-m55", 1 << 20);
    EXPECT_GT(fast_steps(placed.schedule), 3);
    expect_right(graph, placed);
  }
}

TEST(NamedKernels, AreMalformedWhereTheyDoNotDoTheOperator) {
  const Graph graph = pointwise_network();
  Schedule schedule = build(graph, reordered(graph));
  std::get<Step>(schedule.nodes[2].what).kernel = kernel_named("conv_2d_1x1_mve");  // 3 x 3
  EXPECT_EQ(malformed(graph, schedule), "step 2: conv_2d_1x1_mve does not do its operator");
  std::get<Step>(schedule.nodes[2].what).kernel = kernel_named("add");
  EXPECT_EQ(malformed(graph, schedule), "step 2: add does not do its operator");
}

TEST(NamedKernels, WantTheirScratchAligned) {
  const Graph graph = pointwise_network();
  Schedule schedule = with_room(graph).schedule;
  Buffer& scratch = schedule.buffers[std::get<Step>(schedule.nodes[0].what).scratch.index()];
  EXPECT_EQ(scratch.extents, Shape{8});  // words: two pixels of 8 channels in 16 bits
  EXPECT_EQ(scratch.type, DType::kInt32);
  const RealisedPlan right{
      .plan = {}, .schedule = schedule, .placement = place(graph, schedule, {})};
  expect_right(graph, right);
  Program program = lower(graph, right.schedule, right.placement);
  for (PlacedBuffer& buffer : program.buffers) {
    if (buffer.memory == kArena && !buffer.tensor.valid()) ++buffer.address;
  }
  program.memories[kArena.index()].size_bytes += 4;
  EXPECT_THAT(verify(graph, program).fault, HasSubstr("of scratch, aligned to 4"));
  scratch.type = DType::kInt8;
  scratch.extents = {32};
  EXPECT_EQ(malformed(graph, schedule),
            "step 0: it needs 32 bytes of scratch in the arena, of int32");
}

TEST(NamedKernels, AreKeptInSavedPlans) {
  const Graph graph = pointwise_network();
  const Schedule schedule = with_room(graph).schedule;
  const PlacedPlan plan{.planner = "reorder",
                        .schedule = schedule,
                        .placement = place(graph, schedule, {}),
                        .accumulators = {},
                        .scale_source = ""};
  std::string json = to_json(plan, {});
  EXPECT_EQ(plan_from_json(json, "plan.json").plan.schedule, schedule);
  json.replace(json.find("conv_2d_pairs_dsp"), 17, "conv_2d_pairs_xyz");
  EXPECT_THROW((void)plan_from_json(json, "plan.json"), CompileError);
}

}  // namespace
}  // namespace thimble
