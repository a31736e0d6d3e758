// SPDX-License-Identifier: Apache-2.0
// What the default planner reaches, as placed and verified: figures of
// bench/results/auto_fronts.csv.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/test_graph.h"
#include "thimble/driver/driver.h"

namespace thimble {
namespace {

Compiled smallest(const char* model, double max_recompute, const PortPlaces& ports) {
  Request request{.model = model,
                  .max_recompute = max_recompute,
                  .max_latency = std::numeric_limits<double>::infinity(),
                  .ports = ports};
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
  expect_at_most(smallest("zoo:mobilenet_v2", 0, {.input = Place::kResident}), 169'888, 0);
  expect_at_most(smallest("zoo:mobilenet_v2", 0.1, {.input = Place::kResident}), 154'412, 0.1);
}

TEST(AutoFigures, MobileNetV2WithItsInputStreamed) {
  expect_at_most(smallest("zoo:mobilenet_v2", 0, {.input = Place::kStreamed}), 80'688, 0);
  expect_at_most(smallest("zoo:mobilenet_v2", 0.1, {.input = Place::kStreamed}), 45'832, 0.1);
}

/// The arena of a small encoder and decoder for images of this size.
int64_t unet_bytes(int64_t height, int64_t width) {
  testing::TestGraph g(1);
  const TensorId wide = g.conv(g.input({1, height, width, 3}), 16, 3, 1);
  const TensorId half = g.conv(wide, 24, 3, 2);
  const TensorId quarter = g.conv(g.depthwise(g.conv(half, 32, 3, 2), 3, 1), 24, 1, 1);
  const TensorId up = g.resize(quarter, ResizeNearestNeighbor{}, height / 2, width / 2);
  g.output(g.conv(g.depthwise(g.concat(up, half), 3, 1), 2, 1, 1));
  Request request{.model = Source{.graph = g.graph()},
                  .max_recompute = 0,
                  .max_latency = std::numeric_limits<double>::infinity(),
                  .ports = {.input = Place::kUser, .output = Place::kUser}};
  const auto compiled = std::get<Compiled>(compile(request));
  EXPECT_TRUE(compiled.verification.ok());
  return compiled.plan.placement.arena_bytes();
}

// 18,512 B if only rows roll.
TEST(AutoFigures, WideImagesNeedNoMoreThanHighOnes) {
  const int64_t high = unet_bytes(120, 80), wide = unet_bytes(80, 120);
  EXPECT_LE(static_cast<double>(wide), 1.05 * static_cast<double>(high));
}

// Two strips, with a sweep in each: 7,825 B without them.
TEST(AutoFigures, ShortRowsInStrips) {
  const PortPlaces user{.input = Place::kUser, .output = Place::kUser};
  expect_at_most(smallest("zoo:msf_cnn_mbv2", 0.097, user), 7'150, 0.097);
}

// One overlap after the other: the arena is the peak that was promised.
TEST(AutoFigures, ArenasArePeaksWhereTensorsLieOverOneAnother) {
  const Compiled compiled = smallest("zoo:mobilenet_v2", 0.05, {});
  expect_at_most(compiled, 156'716, 0.05);
  EXPECT_EQ(compiled.plan.placement.arena().peak_bytes, compiled.plan.placement.arena_bytes());
}

// A depthwise convolution in place takes longer than apart, for which there is room: 10.724 M if
// both are taken to be as fast.
TEST(AutoFigures, WithinABudgetNothingIsInPlaceThatIsSlowerSo) {
  const auto compiled =
      std::get<Compiled>(compile({.model = "zoo:pex_figure3", .sram_bytes = 22'579}));
  EXPECT_TRUE(compiled.fits());
  EXPECT_LE(compiled.front->points[compiled.front->picked].instructions, 10.7e6);
}

}  // namespace
}  // namespace thimble
