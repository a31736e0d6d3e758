// SPDX-License-Identifier: Apache-2.0
// Plans to choose from: what is said of each is what compiling it gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/driver/driver.h"
#include "thimble/driver/reports.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNetwork = "zoo:ds_cnn_s";  // with plans on both sides of the latency limit

Compiled compiled_front(const Request& request) { return std::get<Compiled>(compile(request)); }

std::string fault_of(const Request& request) {
  try {
    (void)compile(request);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

TEST(DriverFront, EveryPlanIsWhatPickingItCompiles) {
  for (const char* core : {"", "cortex-m4"}) {
    Request request{.model = kNetwork, .target = generic_target(core)};
    const Front front = compiled_front(request).front.value();
    ASSERT_GT(front.points.size(), 1U);
    for (size_t k = 0; k < front.points.size(); ++k) {
      request.pick = static_cast<int64_t>(k + 1);
      const Compiled picked = compiled_front(request);
      EXPECT_EQ(picked.front->picked, k);
      EXPECT_TRUE(picked.front->by_number);
      EXPECT_EQ(picked.front->points, front.points);
      EXPECT_EQ(front.points[k],
                (FrontFigures{picked.plan.placement.arena_bytes(),
                              estimate_of(picked)->estimate.instructions,
                              picked.cost.recomputed_macs, picked.cost.weight_bytes}));
    }
  }
}

TEST(DriverFront, LimitsChoose) {
  const Compiled usual = compiled_front({.model = kNetwork});
  const Front& front = *usual.front;
  EXPECT_EQ(front.max_latency, 1.25);
  EXPECT_GT(front.picked, 0U);
  EXPECT_LE(front.latency(front.picked), 1.25);
  EXPECT_GT(front.latency(front.picked - 1), 1.25);
  const double any = std::numeric_limits<double>::infinity();
  EXPECT_EQ(compiled_front({.model = kNetwork, .max_latency = any}).front->picked, 0U);
  const Compiled roomy = compiled_front({.model = kNetwork, .sram_bytes = 1 << 20});
  EXPECT_EQ(roomy.front->picked + 1, roomy.front->points.size());
  const int64_t beside = usual.verdict.sram_bytes() - usual.verdict.arena_bytes;
  const int64_t least = front.points.front().arena_bytes + 2 * beside;  // more stack than this one
  const Compiled tight = compiled_front({.model = kNetwork, .sram_bytes = least});
  EXPECT_TRUE(tight.fits()) << "however slow";
  const Compiled fast = compiled_front(
      {.model = kNetwork, .sram_bytes = front.points.front().arena_bytes, .max_latency = 1.25});
  EXPECT_FALSE(fast.fits());
  EXPECT_LE(fast.front->latency(fast.front->picked), 1.25);
}

TEST(DriverFront, PicksThatAreNoneAreRefused) {
  for (const int64_t pick : {-1, 0, 1000}) {
    EXPECT_THAT(fault_of({.model = kNetwork, .pick = pick}),
                HasSubstr("is none of the plans, which are numbered 1 to "));
  }
  EXPECT_THAT(fault_of({.model = kNetwork, .planner = "reorder", .pick = 1}), HasSubstr("--pick"));
}

TEST(DriverFront, OtherPlannersHaveOnePlan) {
  EXPECT_EQ(compiled_front({.model = kNetwork, .planner = "stream"}).front, std::nullopt);
}

}  // namespace
}  // namespace thimble
