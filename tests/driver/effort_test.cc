// SPDX-License-Identifier: Apache-2.0
// How much a search does: what a quick answer costs.
#include <gtest/gtest.h>

#include <limits>

#include "thimble/driver/driver.h"

namespace thimble {
namespace {

int64_t smallest_arena(const char* network, const std::string& planner, int64_t effort) {
  Request request{.model = network, .planner = planner, .effort = effort};
  if (planner == "auto") request.max_latency = std::numeric_limits<double>::infinity();
  const auto compiled = std::get<Compiled>(compile(request));
  EXPECT_TRUE(compiled.verification.ok());
  return compiled.program.arena_bytes();
}

TEST(Effort, OfNoughtHasPlansThatAreNearlyAsSmall) {
  for (const char* network :
       {"zoo:demo", "zoo:ds_cnn_s", "zoo:resnet8", "zoo:mobilenet_v2:width=0.35"}) {
    const int64_t quick = smallest_arena(network, "auto", 0);
    EXPECT_LE(quick, smallest_arena(network, "auto", 1) * 5 / 4) << network;
    EXPECT_LT(quick, smallest_arena(network, "reorder", 1)) << network;
    EXPECT_EQ(quick, smallest_arena(network, "auto", 0)) << network;
  }
}

TEST(Effort, OfNoughtKeepsToABudgetThatCanBeMet) {
  for (const int64_t bytes : {12'000, 14'000, 20'000}) {
    const Request request{
        .model = "zoo:resnet8", .sram_bytes = bytes, .planner = "auto", .effort = 0};
    const auto compiled = std::get<Compiled>(compile(request));
    EXPECT_TRUE(compiled.fits());
    EXPECT_LE(compiled.program.arena_bytes(), bytes);
  }
}

}  // namespace
}  // namespace thimble
