// SPDX-License-Identifier: Apache-2.0
// What the word "fits" is said of: arena, stack, what the caller brings; weights and code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/driver/driver.h"
#include "thimble/driver/quick_no.h"
#include "thimble/driver/weight_formats.h"
#include "thimble/target/device.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

Compiled planned_here(const Request& request) { return std::get<Compiled>(compile(request)); }

Request demo() {
  return {.model = "zoo:demo", .target = generic_target("cortex-m4"), .planner = "reorder"};
}

TEST(VerdictOfPlans, LeavesRoomForTheStack) {
  Request request = demo();
  const Verdict free = planned_here(request).verdict;
  ASSERT_TRUE(free.code);
  EXPECT_GT(free.code->stack.bytes, 0);
  EXPECT_EQ(free.sram_bytes(), free.arena_bytes + free.code->stack.most());
  request.sram_bytes = free.sram_bytes();
  EXPECT_TRUE(planned_here(request).fits());
  request.sram_bytes = free.arena_bytes;  // as much as the arena alone
  EXPECT_FALSE(planned_here(request).fits());
}

TEST(VerdictOfPlans, CountsWhatTheCallerBrings) {
  Request request = demo();
  request.ports.input = Place::kUser;
  const Compiled result = planned_here(request);
  EXPECT_EQ(result.verdict.caller_bytes,
            result.graph.tensor(result.graph.inputs[0].tensor).size_bytes());
}

TEST(VerdictOfPlans, CountsCodeWhenItChoosesAFormatOfWeights) {
  Request request = demo();
  const Compiled fast = planned_here(request);
  ASSERT_GT(fast.verdict.code->code.bytes, 1000);
  request.flash_bytes = fast.cost.weight_bytes;  // enough for the weights alone
  const Compiled smaller = planned_here(request);
  EXPECT_LT(smaller.cost.weight_bytes, fast.cost.weight_bytes);
}

TEST(VerdictOfPlans, ShowsTheOtherFormatsOfWeights) {
  const std::vector<WeightFormat> formats = weight_formats(planned_here(demo()));
  ASSERT_GE(formats.size(), 2U);
  EXPECT_EQ(formats[0].weights, Weights::kFast);
  EXPECT_LT(formats[1].flash_bytes, formats[0].flash_bytes);
  Request compact = demo();
  compact.weights = formats[1].weights;
  const Compiled result = planned_here(compact);
  const int64_t taken = result.cost.weight_bytes + result.verdict.code->code.bytes;
  EXPECT_NEAR(static_cast<double>(formats[1].flash_bytes), static_cast<double>(taken),
              0.05 * static_cast<double>(taken))
      << "chosen anew, a step may get another kernel";
}

TEST(VerdictOfPlans, SaysNoBeforePlanningWhereWeightsAloneAreTooLarge) {
  Request request = demo();
  const Graph demo = build_zoo("demo");
  const int64_t least = least_weight_bytes({&demo, 1});
  EXPECT_EQ(least_weight_bytes(std::vector{demo, demo}), least) << "equal weights are there once";
  request.flash_bytes = least - 1;
  const Answer answer = compile(request);
  ASSERT_TRUE(std::holds_alternative<Infeasible>(answer));
  EXPECT_EQ(std::get<Infeasible>(answer).flash_lower_bound_bytes, least);
  EXPECT_THAT(std::get<Infeasible>(answer).reason, HasSubstr("its weights take"));
}

TEST(VerdictOfPlans, TakesWhatIsStoredInFlashOffThatOfCode) {
  Request request{.model = "zoo:unet",
                  .target = find_target("nucleo-f446re"),
                  .storage = "flash_upper",
                  .planner = "tinyseg"};
  const Compiled stored = planned_here(request);
  constexpr int64_t kBlock = 128 << 10;  // 72 KiB are stored
  EXPECT_EQ(stored.verdict.flash_limit_bytes, request.target.flash_bytes - kBlock);
  EXPECT_EQ(stored.flash_limit_bytes, stored.verdict.flash_limit_bytes);
  request.storage = "card:write=4,erase=128K";
  EXPECT_EQ(planned_here(request).verdict.flash_limit_bytes, request.target.flash_bytes);
  request.storage = "flash_upper";
  request.flash_bytes = 300 << 10;  // for code and weights
  EXPECT_EQ(planned_here(request).verdict.flash_limit_bytes, request.flash_bytes);
}

TEST(VerdictOfPlans, PutsTheStackIntoAnotherBankWhereThereIsOne) {
  Request request = demo();
  request.target = find_target("nucleo-h743zi");
  request.beside_arena_bytes = 1000;
  EXPECT_EQ(request.arena_limit_bytes(), request.sram_limit_bytes());
  request.target = find_target("nucleo-f446re");
  EXPECT_EQ(request.arena_limit_bytes(), *request.sram_limit_bytes() - 1000);
}

}  // namespace
}  // namespace thimble
