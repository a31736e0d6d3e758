// SPDX-License-Identifier: Apache-2.0
// Kernels in MVE as they ship, assembly included, on the emulated Cortex-M55: many small operators
// beside the reference.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/measure.h"
#include "zoo/random.h"

namespace thimble {
namespace {

constexpr const char* kMveCore = "cortex-m55";

// Ties that round up, in every other operator with a clamp.
void clamp_outputs(Graph& graph) {
  for (size_t k = 0; k < graph.ops.size(); k += 2) {
    Op& op = graph.ops[k];
    if (auto* a = std::get_if<Conv2D>(&op.attributes)) a->activation = Activation::kRelu;
    if (auto* a = std::get_if<DepthwiseConv2D>(&op.attributes)) a->activation = Activation::kRelu;
  }
}

// A shift to the left, as weights with a large scale have it.
void enlarge_weights(Graph& graph) {
  for (Op& op : graph.ops) {
    if (!std::holds_alternative<Conv2D>(op.attributes)) continue;
    std::vector<float>& scales =
        graph.tensors[static_cast<size_t>(op.inputs[1].index())].quantization.scales;
    scales.back() *= 4096.0F;
  }
}

/// Operators on one image, whose extents and channels the seed draws.
Graph small_operators(uint64_t seed) {
  zoo::Random random(seed);
  const auto between = [&](int64_t low, int64_t high) { return random.between(low, high); };
  testing::TestGraph net(seed);
  const TensorId x = net.input({1, between(1, 13), between(1, 13), between(1, 40)});
  for (int64_t k = 0; k < 4; ++k) net.output(net.conv(x, between(1, 17), 1, between(1, 3)));
  for (int64_t k = 0; k < 3; ++k)
    net.output(net.conv(x, between(1, 17), between(2, 7), between(1, 3)));
  for (int64_t k = 0; k < 6; ++k) net.output(net.depthwise(x, between(1, 7), between(1, 3)));
  net.output(net.depthwise(x, 3, 1));
  net.output(net.fully_connected(x, between(1, 17)));
  net.output(net.mean(x));
  net.output(net.add(x, net.conv(x, net.graph().tensor(x).shape[3], 1, 1)));
  Graph graph = net.graph();
  graph.name = fmt::format("operators_{}", seed);
  clamp_outputs(graph);
  if (seed % 3 == 0) enlarge_weights(graph);
  return graph;
}

TEST(MveFirmware, ComputesWhatTheReferenceDoes) {
  constexpr uint64_t kNetworks = 24;
  std::vector<Compiled> compiled;
  std::vector<std::vector<EmittedFile>> files;
  std::vector<InputSet> sets(1);
  std::set<std::string> kernels;
  std::set<int32_t> roundings;
  for (uint64_t seed = 1; seed <= kNetworks; ++seed) {
    const Graph graph = small_operators(seed);
    compiled.push_back(std::get<Compiled>(compile({.model = Source{graph, graph.name, ""},
                                                   .graph = {.rewrite = false},
                                                   .target = generic_target(kMveCore),
                                                   .sram_bytes = 1 << 20,
                                                   .planner = "reorder"})));
    for (const ProgramParams& given : compiled.back().program.params) {
      const auto* p = std::get_if<runtime::Conv2DFoursParams>(&given.params);
      if (p != nullptr) roundings.insert(p->rounding);
    }
    files.push_back(emitted_files(compiled.back(), {.name = graph.name, .command = "a test"}));
    sets[0].push_back(testing::noise(graph, static_cast<uint32_t>(seed)));
    for_each_step(compiled.back().plan.schedule, [&](const Step& step, Position) {
      if (step.kernel.valid()) kernels.insert(info(step.kernel).name);
    });
  }
  for (const char* kernel :
       {"add_mve", "conv_2d_1x1_mve", "conv_2d_mve", "depthwise_conv_2d_mve", "mean_mve"})
    EXPECT_TRUE(kernels.contains(kernel)) << kernel;
  EXPECT_EQ(roundings.size(), 3U);
  std::vector<FirmwareModel> models;
  for (size_t k = 0; k < compiled.size(); ++k)
    models.push_back({compiled[k].graph.name, files[k], &compiled[k].program});
  const Measured measured = measure(models, kMveCore, sets);
  for (size_t k = 0; k < compiled.size(); ++k) {
    const EmulatedRun& run = measured.sets[0][k];
    EXPECT_TRUE(run.guards_intact()) << run.name << ": " << run.guards;
    const std::vector<Bytes> expected = testing::expected_outputs(compiled[k].graph, sets[0][k]);
    ASSERT_EQ(run.outputs.size(), expected.size());
    for (size_t o = 0; o < expected.size(); ++o)
      EXPECT_TRUE(run.outputs[o] == expected[o]) << run.name << ", output " << o;
  }
}

}  // namespace
}  // namespace thimble
