// SPDX-License-Identifier: Apache-2.0
// Kernels, formats of weights and threads, as whoever asks for a plan meets them.
#include <gtest/gtest.h>

#include "tests/support/nibbles.h"
#include "tests/support/test_graph.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/zoo_report.h"
#include "thimble/program/explain.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

Compiled compiled_by(const Request& request) {
  Answer answer = compile(request);
  if (const auto* no = std::get_if<Infeasible>(&answer)) throw std::runtime_error(no->reason);
  return std::get<Compiled>(std::move(answer));
}

double instructions_of(const Compiled& compiled) {
  return estimate_of(compiled)->estimate.instructions;
}

/// How its convolutions hold weights.
std::set<WeightForm> weight_forms(const Compiled& compiled) {
  std::set<WeightForm> forms;
  for_each_step(compiled.plan.schedule, [&](const Step& step, Position) {
    if (!step.kernel.valid() || info(step.kernel).family != Family::kConv2D) return;
    if (const std::optional<WeightForm> form = info(step.kernel).form) forms.insert(*form);
  });
  return forms;
}

// Between the smallest format and the largest every size of flash has its plan, no slower with
// more.
TEST(MixedWeights, FillTheFlash) {
  Request request{.model = std::string("zoo:ds_cnn_s"),
                  .target = generic_target("cortex-m4"),
                  .sram_bytes = 256 * 1024};
  request.weights = Weights::kFast;
  const Compiled fast = compiled_by(request);
  request.weights = Weights::kCompact;
  const Compiled compact = compiled_by(request);
  request.weights.reset();
  const int64_t least = compact.verdict.flash_bytes(), most = fast.verdict.flash_bytes();
  ASSERT_LT(least + 10'000, most);
  double before = 1.001 * instructions_of(compact);
  int mixed = 0;
  for (int part = 1; part <= 4; ++part) {
    request.flash_bytes = least + 6'000 + (most - least - 6'000) * part / 4;
    const Compiled found = compiled_by(request);
    EXPECT_TRUE(found.fits()) << part;
    EXPECT_EQ(found.mixed_weights, part < 4) << part;
    EXPECT_LE(instructions_of(found), before) << part;
    before = instructions_of(found);
    mixed += weight_forms(found) == std::set{WeightForm::kWide, WeightForm::kCompact};
  }
  EXPECT_EQ(before, instructions_of(fast));
  EXPECT_GT(mixed, 0);
}

// A flash that only 4 bits a weight meet, on a core whose other kernels have 8 or 16, and on one
// whose other kernel has 8.
TEST(MixedWeights, TakeFourBitsWhereFlashIsShort) {
  testing::TestGraph net(5);
  TensorId x = net.input({1, 6, 6, 16});
  for (const int64_t channels : {96, 64, 48}) x = net.conv(x, channels, 3, 1);
  net.output(x);
  const Graph graph = testing::in_nibbles(net.graph());
  for (const char* core : {"cortex-m4", "cortex-m0", "cortex-m55"}) {
    Request request{.model = Source{graph, "nibbles", ""}, .target = generic_target(core)};
    request.sram_bytes = 128 * 1024;
    request.weights = Weights::kLeast;
    const Compiled least = compiled_by(request);
    EXPECT_EQ(weight_forms(least), std::set{WeightForm::kNibbles}) << core;
    request.weights.reset();
    const Compiled fast = compiled_by(request);
    EXPECT_FALSE(weight_forms(fast).contains(WeightForm::kNibbles)) << core;
    EXPECT_GT(fast.cost.weight_bytes, 7 * least.cost.weight_bytes / 4) << core;
    request.flash_bytes = least.verdict.flash_bytes() + 2'000;
    const Compiled found = compiled_by(request);
    EXPECT_TRUE(found.fits()) << core;
    EXPECT_TRUE(found.mixed_weights) << core;
    EXPECT_TRUE(weight_forms(found).contains(WeightForm::kNibbles)) << core;
  }
}

TEST(Jobs, MakeNoDifference) {
  for (const char* model : {"zoo:demo", "zoo:ds_cnn_s", "zoo:motes_figure2"}) {
    Request request{.model = std::string(model), .target = generic_target("cortex-m4")};
    const Compiled one = compiled_by(request);
    for (const int jobs : {2, 5, 0}) {
      request.jobs = jobs;
      const Compiled several = compiled_by(request);
      EXPECT_EQ(several.plan.schedule, one.plan.schedule) << model << ' ' << jobs;
      EXPECT_EQ(several.plan.placement.addresses, one.plan.placement.addresses);
      EXPECT_EQ(several.front->points, one.front->points);
    }
  }
}

}  // namespace
}  // namespace thimble
