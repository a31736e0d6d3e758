// SPDX-License-Identifier: Apache-2.0
// What is said to fit by estimate, and what the compiler makes of it.
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/shared.h"
#include "tests/support/workload.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/run.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

constexpr const char* kCores[] = {"cortex-m4",  "cortex-m0",  "cortex-m7", "cortex-m3",
                                  "cortex-m33", "cortex-m55", "rv32imc"};
constexpr const char* kModels[] = {"zoo:demo", "zoo:ds_cnn_s", "zoo:resnet8"};
constexpr const char* kPlanners[] = {"reorder", "stream", "pex"};

std::optional<Compiled> within(const Request& request) {
  Answer answer = compile(request);
  if (auto* compiled = std::get_if<Compiled>(&answer)) return std::move(*compiled);
  return std::nullopt;
}

// Budgets about what the model needs: some are too small, some are just enough.
TEST(VerdictOnBoard, NothingThatFitsIsDeniedByMeasurement) {
  const int budgets = workload().nightly ? 500 : 8;
  int said_to_fit = 0;
  for (int k = 0; k < budgets; ++k) {
    zoo::Random random(static_cast<uint64_t>(k));
    const auto pick = [&](const auto& list) { return list[random.next() % std::size(list)]; };
    Request request{.model = std::string(pick(kModels)), .target = generic_target(pick(kCores))};
    request.planner = pick(kPlanners);
    const std::optional<Compiled> free = within(request);
    ASSERT_TRUE(free);
    const auto about = [&](int64_t bytes) {
      return bytes * static_cast<int64_t>(950 + random.next() % 150) / 1000;
    };
    request.sram_bytes = about(free->verdict.sram_bytes());
    request.flash_bytes = about(free->verdict.flash_bytes());
    const std::optional<Compiled> tight = within(request);
    if (!tight || !tight->fits()) continue;
    ++said_to_fit;
    const Verdict measured =
        measured_verdict(tight->verdict, measured_cost(*tight, request.target.core.name));
    EXPECT_TRUE(measured.fits()) << k << ": " << request.target.core.name << " "
                                 << std::get<std::string>(request.model) << " " << request.planner
                                 << "\n"
                                 << verdict_text(tight->verdict) << verdict_text(measured);
  }
  EXPECT_GT(said_to_fit, budgets / 8);
}

}  // namespace
}  // namespace thimble::testing
