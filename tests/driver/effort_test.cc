// SPDX-License-Identifier: Apache-2.0
// How much a search does: what a quick answer costs.
#include <gtest/gtest.h>

#include <limits>

#include "thimble/driver/driver.h"

namespace thimble {
namespace {

Compiled smallest(const char* network, const std::string& planner, int64_t effort) {
  Request request{.model = network, .planner = planner, .effort = effort};
  if (planner == "auto") request.max_latency = std::numeric_limits<double>::infinity();
  return std::get<Compiled>(compile(request));
}

TEST(Effort, OfNoughtHasFewerPlansThatAreNearlyAsSmall) {
  for (const char* network : {"zoo:ds_cnn_s", "zoo:resnet8", "zoo:mobilenet_v2:width=0.35"}) {
    const Compiled quick = smallest(network, "auto", 0), usual = smallest(network, "auto", 1);
    EXPECT_LT(quick.front.value().points.size(), usual.front.value().points.size()) << network;
    EXPECT_LE(quick.program.arena_bytes(), usual.program.arena_bytes() * 5 / 4) << network;
    EXPECT_LT(quick.program.arena_bytes(), smallest(network, "reorder", 1).program.arena_bytes())
        << network;
  }
}

TEST(Effort, OfNoughtKeepsToABudgetThatCanBeMet) {
  for (const int64_t bytes : {12'000, 14'000, 20'000}) {
    const Request request{
        .model = "zoo:resnet8", .sram_bytes = bytes, .planner = "auto", .effort = 0};
    EXPECT_TRUE(std::get<Compiled>(compile(request)).fits()) << bytes;
  }
}

}  // namespace
}  // namespace thimble
