// SPDX-License-Identifier: Apache-2.0
// Weights of 4 bits: which kernels hold them so, and that each byte is read back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "tests/support/nibbles.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/plan/realise.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"

namespace thimble {
namespace {

/// A window, single taps and a fully connected layer; the weights of all of them fit 4 bits, those
/// of the first operator are -8 here and there. That has an odd number of inputs.
Graph network_in_nibbles(Activation activation) {
  testing::TestGraph net(11);
  const TensorId window = net.conv(net.input({1, 7, 6, 5}), 10, 3, 2);
  net.output(net.fully_connected(net.conv(window, 12, 1, 1), 6));
  Graph graph = net.graph();
  for (Op& op : graph.ops) {
    if (auto* a = std::get_if<Conv2D>(&op.attributes)) a->activation = activation;
  }
  return testing::in_nibbles(std::move(graph));
}

RealisedPlan plan_with(const Graph& graph, const char* core_name, Weights weights) {
  Core core = core_named(core_name);
  core.weights = weights;
  Plan plan =
      std::get<Planned>(choose_planner("reorder").planner->plan(graph, {}, {})).best().plan();
  plan.kernels.clear();
  return realised(graph, std::move(plan), core, 64 * 1024, {});
}

/// How many steps name each kernel of convolutions; "" has those that name none.
std::map<std::string, int> kernels_by_name(const Graph& graph, const RealisedPlan& placed) {
  std::map<std::string, int> names;
  for_each_step(placed.schedule, [&](const Step& step, Position) {
    const Attributes& what = graph.op(step.op).attributes;
    if (std::holds_alternative<Conv2D>(what) || std::holds_alternative<FullyConnected>(what))
      ++names[step.kernel.valid() ? info(step.kernel).name : ""];
  });
  return names;
}

Program right_program(const Graph& graph, const RealisedPlan& placed) {
  Program program = lower(graph, placed.schedule, placed.placement);
  EXPECT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs = testing::noise(graph, 1);
  EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
  return program;
}

using Names = std::map<std::string, int>;

TEST(ChooseNibbles, HoldsWeightsSoWhereTheyAreToBeSmall) {
  const Graph graph = network_in_nibbles(Activation::kRelu);
  const auto names = [&](const char* core, Weights weights) {
    const RealisedPlan placed = plan_with(graph, core, weights);
    right_program(graph, placed);
    return kernels_by_name(graph, placed);
  };
  for (const Weights weights : {Weights::kCompact, Weights::kLeast}) {
    EXPECT_EQ(names("cortex-m4", weights), (Names{{"conv_2d_pairs_nibbles_dsp", 3}}));
    EXPECT_EQ(names("cortex-m0", weights), (Names{{"conv_2d_nibbles", 3}}));
    // Those of -8 are no fours.
    EXPECT_EQ(names("cortex-m55", weights),
              (Names{{"conv_2d_pairs_nibbles_dsp", 1}, {"conv_2d_1x1_nibbles_mve", 2}}));
  }
  EXPECT_EQ(names("cortex-m4", Weights::kFast),
            (Names{{"conv_2d_1x1_dsp", 1}, {"conv_2d_pairs_dsp", 2}}));
  EXPECT_EQ(names("cortex-m0", Weights::kFast), (Names{{"", 3}}));
}

// Sums that do not fit 32 bits times 4096.
TEST(ChooseNibbles, LeavesLargeSumsToKernelsInEightBitsUnlessWeightsAreToBeLeast) {
  Graph graph = network_in_nibbles(Activation::kNone);
  const Op& op = graph.ops.front();
  Tensor& bias = graph.tensor(op.inputs[2]);
  Bytes values = *bias.data;
  constexpr int32_t kLarge = 1 << 20;
  std::memcpy(values.data(), &kLarge, sizeof(kLarge));
  bias.data = std::make_shared<const Bytes>(values);
  const auto names = [&](Weights weights) {
    const RealisedPlan placed = plan_with(graph, "cortex-m4", weights);
    right_program(graph, placed);
    return kernels_by_name(graph, placed);
  };
  EXPECT_EQ(names(Weights::kCompact),
            (Names{{"conv_2d_pairs_compact_dsp", 1}, {"conv_2d_pairs_nibbles_dsp", 2}}));
  EXPECT_EQ(names(Weights::kLeast),
            (Names{{"conv_2d_nibbles", 1}, {"conv_2d_pairs_nibbles_dsp", 2}}));
}

// Every third byte of every constant is damaged, and each time the verifier must say so.
TEST(ChooseNibbles, ReadsEachByteBack) {
  for (const Activation activation : {Activation::kNone, Activation::kRelu}) {
    const Graph graph = network_in_nibbles(activation);
    for (const char* core : {"cortex-m0", "cortex-m4", "cortex-m55"}) {
      const RealisedPlan placed = plan_with(graph, core, Weights::kLeast);
      const Program program = right_program(graph, placed);
      for (size_t k = 0; k < program.constants.size(); ++k) {
        const size_t bytes = program.constants[k].content.data.size();
        for (size_t byte = k % 3; byte < bytes; byte += 3) {
          Program damaged = program;
          damaged.constants[k].content.data.own()[byte] ^= 16;
          EXPECT_NE(verify(graph, damaged).fault, "")
              << core << ", constant " << k << ", byte " << byte;
        }
      }
    }
  }
}

TEST(ChooseNibbles, TakesHalfAByteAWeight) {
  const Graph graph = network_in_nibbles(Activation::kNone);
  const auto bytes = [&](size_t op, const char* kernel) {
    std::map<std::string, size_t> result;
    for (const PackedConstant& c : pack(graph, graph.ops[op], kernel_named(kernel)))
      result[c.role] = c.data.size();
    return result;
  };
  // 10 channels of 3 x 3 x 5 inputs: 22 bytes and a half each.
  EXPECT_EQ(bytes(0, "conv_2d_nibbles").at("weights"), 10U * 23);
  EXPECT_EQ(bytes(0, "conv_2d").at("weights"), 10U * 45);
  // 12 channels of 10 inputs: a word that says that scales differ, two words of eight inputs each
  // for each channel, four more; in fours eight words of sixteen inputs and twelve more.
  EXPECT_EQ(bytes(1, "conv_2d_pairs_nibbles_dsp").at("pairs"), (1 + 12 * (2 + 4)) * 4U);
  EXPECT_EQ(bytes(1, "conv_2d_1x1_nibbles_mve").at("fours"), 3 * (8 + 12) * 4U);
}

}  // namespace
}  // namespace thimble
