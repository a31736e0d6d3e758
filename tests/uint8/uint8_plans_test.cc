// SPDX-License-Identifier: Apache-2.0
// Models of uint8 under all planners, on cores with other kernels, and as emitted code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/workload.h"
#include "tests/trace/traced.h"
#include "tests/uint8/uint8_interpreter.h"
#include "tests/uint8/uint8_network.h"
#include "thimble/driver/driver.h"
#include "thimble/export/tflite.h"
#include "thimble/program/host.h"

namespace thimble {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;

Compiled compiled(const Graph& uint8, const std::string& planner, const char* core = "") {
  Request request{
      .model = ModelBytes{"net", export_tflite(uint8)}, .planner = planner, .emission = Emission{}};
  if (core[0] != 0) {
    request.target = generic_target(core);
    request.sram_bytes = 1 << 20;
  }
  Answer answer = compile(request);
  return std::get<Compiled>(std::move(answer));
}

TEST(Uint8Plans, PlansOfAllPlannersComputeTheSameOnAllCores) {
  static constexpr const char* kPlanners[] = {
      "original", "reorder", "pex", "patch", "stream:granularity=row", "stream:granularity=pixel",
      "motes",    "auto"};
  static constexpr const char* kCores[] = {"", "cortex-m4", "cortex-m55"};
  const uint64_t count = testing::random_cases(60, 2'000);
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const char* const planner = kPlanners[seed % std::size(kPlanners)];
    const char* const core = kCores[seed / std::size(kPlanners) % std::size(kCores)];
    SCOPED_TRACE(fmt::format("seed {}, {}, {}", seed, planner, core));
    const Graph uint8 = testing::random_uint8_network(1000 + seed);
    const std::vector<Bytes> inputs = testing::random_uint8_inputs(uint8, seed);
    ASSERT_EQ(execute(compiled(uint8, planner, core).program, inputs),
              testing::interpret_uint8(uint8, inputs));
  }
}

TEST(Uint8Plans, EmittedCodeComputesTheSame) {
  std::vector<Compiled> plans;
  std::vector<std::vector<Bytes>> inputs, wanted;
  for (const char* core : {"", "cortex-m4", "cortex-m55"}) {
    const Graph uint8 = testing::random_uint8_network(7 + plans.size());
    inputs.push_back(testing::random_uint8_inputs(uint8, 7));
    wanted.push_back(testing::interpret_uint8(uint8, inputs.back()));
    plans.push_back(compiled(uint8, "auto", core));
  }
  for (size_t k = 0; k < plans.size(); ++k) {
    testing::HostBuild build;
    const testing::EmittedProject project{&plans[k].graph, &plans[k].program, "net",
                                          plans[k].files};
    EXPECT_EQ(build.outputs({project}, {inputs[k]}).at(0), wanted[k]) << build.complaint();
    size_t lines = 0;
    EXPECT_THAT(build.trace_differences({project}, lines), Each(IsEmpty()));
  }
}

void expect_a_kernel(const std::string& of, const Graph& uint8) {
  const Compiled found = compiled(uint8, "original", "cortex-m4");
  EXPECT_TRUE(std::ranges::any_of(found.files, [&](const EmittedFile& file) {
    return file.path.find(of) != std::string::npos && file.path.ends_with("_dsp.cc");
  }));
  const std::vector<Bytes> inputs = testing::random_uint8_inputs(uint8, 1);
  EXPECT_EQ(execute(found.program, inputs), testing::interpret_uint8(uint8, inputs));
}

// What they hold is less its zero point.
TEST(Uint8Plans, WeightsWithAZeroPointTakeTheFastKernelsOfWords) {
  for (const int64_t kernel : {1, 3, 5}) {
    SCOPED_TRACE(kernel);
    testing::Uint8Network net(11);
    const TensorId x = net.input({1, 6, 6, 8});
    expect_a_kernel("conv_2d_pairs",
                    net.finish({net.conv(x, 8, net.window(x, kernel, 1, true), 255)}));
    for (int64_t multiplier = 1; multiplier <= 2; ++multiplier) {
      testing::Uint8Network other(12);
      const TensorId y = other.input({1, 6, 6, 8});
      expect_a_kernel(
          "depthwise_conv_2d",
          other.finish({other.depthwise(y, multiplier, other.window(y, kernel, 1, true), 255)}));
    }
  }
}

}  // namespace
}  // namespace thimble
