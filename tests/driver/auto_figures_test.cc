// SPDX-License-Identifier: Apache-2.0
// What the default planner reaches, as placed and verified: figures of
// bench/results/auto_fronts.csv.
#include <gtest/gtest.h>

#include <limits>

#include "thimble/driver/driver.h"

namespace thimble {
namespace {

Compiled smallest(const char* model, double max_recompute, Place input) {
  Request request{.model = model,
                  .max_recompute = max_recompute,
                  .max_latency = std::numeric_limits<double>::infinity(),
                  .ports = {.input = input}};
  return std::get<Compiled>(compile(request));
}

void expect_at_most(const Compiled& compiled, int64_t bytes, double max_recompute) {
  EXPECT_TRUE(compiled.verification.ok());
  EXPECT_LE(compiled.plan.placement.arena_bytes(), bytes);
  const int64_t once = compiled.cost.macs - compiled.cost.recomputed_macs;
  EXPECT_LE(static_cast<double>(compiled.cost.recomputed_macs),
            max_recompute * static_cast<double>(once));
}

TEST(AutoFigures, MobileNetV2WithItsInputResident) {
  expect_at_most(smallest("zoo:mobilenet_v2", 0, Place::kResident), 169'888, 0);
  expect_at_most(smallest("zoo:mobilenet_v2", 0.1, Place::kResident), 154'412, 0.1);
}

TEST(AutoFigures, MobileNetV2WithItsInputStreamed) {
  expect_at_most(smallest("zoo:mobilenet_v2", 0, Place::kStreamed), 80'688, 0);
  expect_at_most(smallest("zoo:mobilenet_v2", 0.1, Place::kStreamed), 45'832, 0.1);
}

// One overlap after the other: the arena is the peak that was promised.
TEST(AutoFigures, ArenasArePeaksWhereTensorsLieOverOneAnother) {
  const Compiled compiled = smallest("zoo:mobilenet_v2", 0.05, Place::kResident);
  expect_at_most(compiled, 156'716, 0.05);
  EXPECT_EQ(compiled.plan.placement.arena().peak_bytes, compiled.plan.placement.arena_bytes());
}

}  // namespace
}  // namespace thimble
