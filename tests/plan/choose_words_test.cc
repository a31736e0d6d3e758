// SPDX-License-Identifier: Apache-2.0
// Convolutions of int16 by kernels of DSP cores: plans are right, and each word of theirs is read
// back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/schedule/first_kernels.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

/// One operator on a core with the DSP extension.
struct OperatorOnDsp {
  Graph graph;
  Program program;
  std::string kernel;
};

OperatorOnDsp on_dsp(const Graph& graph, Weights weights) {
  Core core = core_named("cortex-m4");
  core.weights = weights;
  const auto planned = std::get<Planned>(choose_planner("reorder").planner->plan(graph, {}, {}));
  const Schedule schedule = with_first_kernels(graph, planned.schedule(), core);
  OperatorOnDsp result{graph, lower(graph, schedule, place(graph, schedule, {})), ""};
  for_each_step(schedule, [&](const Step& step, Position) {
    if (step.kernel.valid()) result.kernel = info(step.kernel).name;
  });
  return result;
}

/// `count` random ones on int16 (or `type`).
template <class Kind>
std::vector<OperatorOnDsp> operators(Weights weights, int count, DType type = DType::kInt16) {
  std::vector<OperatorOnDsp> result;
  for (uint64_t seed = Attributes(Kind{}).index(); count > 0;
       seed += std::variant_size_v<AnyOperator>) {
    const Graph graph = testing::random_op_graph(seed);
    if (graph.tensor(graph.ops.front().inputs[0]).type != type) continue;
    result.push_back(on_dsp(graph, weights));
    --count;
  }
  return result;
}

std::vector<OperatorOnDsp> convolutions(int count) {
  std::vector<OperatorOnDsp> result;
  for (const Weights weights : {Weights::kFast, Weights::kLeast}) {
    for (auto&& some :
         {operators<Conv2D>(weights, count), operators<DepthwiseConv2D>(weights, count),
          operators<FullyConnected>(weights, count), operators<TransposeConv>(weights, count)})
      result.insert(result.end(), some.begin(), some.end());
  }
  return result;
}

TEST(ChooseWords, ComputesWhatTheReferenceDoes) {
  std::set<std::string> kernels;
  for (const OperatorOnDsp& of : convolutions(40)) {
    EXPECT_EQ(verify(of.graph, of.program).fault, "");
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      const std::vector<Bytes> inputs = testing::noise(of.graph, seed);
      EXPECT_EQ(execute(of.program, inputs), testing::expected_outputs(of.graph, inputs));
    }
    kernels.insert(of.kernel);
  }
  EXPECT_THAT(kernels,
              ::testing::IsSupersetOf({"conv_2d_i16_dsp", "conv_2d_i16_compact_dsp",
                                       "conv_2d_i16_depthwise_dsp", "transpose_conv_i16_dsp",
                                       "transpose_conv_i16_compact_dsp"}));
}

TEST(ChooseWords, ReadsEachWordBack) {
  for (const OperatorOnDsp& of : convolutions(3)) {
    if (of.kernel.empty()) continue;
    for (size_t k = 0; k < of.program.constants.size(); ++k) {
      const size_t bytes = of.program.constants[k].content.data.size();
      for (size_t byte = 0; byte < bytes; byte += 1 + bytes / 400) {
        Program damaged = of.program;
        damaged.constants[k].content.data.own()[byte] ^= 3;
        EXPECT_NE(verify(of.graph, damaged).fault, "") << of.kernel << ", byte " << byte;
      }
    }
  }
}

TEST(ChooseWords, ReadsTheirParametersBack) {
  for (const OperatorOnDsp& of : convolutions(2)) {
    if (of.kernel.empty()) continue;
    const auto expect = [&](const auto& damage, const char* fault) {
      Program damaged = of.program;
      for (ProgramParams& given : damaged.params)
        damage(std::get<runtime::Conv2DWordsParams>(given.params));
      EXPECT_THAT(verify(of.graph, damaged).fault, HasSubstr(fault)) << of.kernel;
    };
    expect([](auto& p) { p.window.pad_left += 1; }, "pad_left");
    expect([](auto& p) { p.in_channels += 1; }, "in_channels");
    expect([](auto& p) { p.out_channels += 1; }, "out_channels");
    expect([](auto& p) { p.clamp_min += 1; }, "clamp_min");
    expect([](auto& p) { p.clamp_max -= 1; }, "clamp_max");
    expect([](auto& p) { p.rounds_once = 1 - p.rounds_once; }, "rounds_once");
  }
}

TEST(ChooseWords, ReadsTheExponentialsOfSoftmaxBack) {
  for (const OperatorOnDsp& of : operators<Softmax>(Weights::kFast, 3, DType::kInt8)) {
    ASSERT_THAT(of.kernel, HasSubstr("softmax_i8_i"));
    EXPECT_EQ(verify(of.graph, of.program).fault, "");
    for (size_t byte = 0; byte < 1024; byte += 3) {
      Program damaged = of.program;
      damaged.constants.front().content.data.own()[byte] ^= 3;
      EXPECT_THAT(verify(of.graph, damaged).fault, HasSubstr("its exponential of -"));
    }
  }
}

}  // namespace
}  // namespace thimble
