// SPDX-License-Identifier: Apache-2.0
// Compilations in time: sums by hand, and the published table.
#include "thimble/driver/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "thimble/driver/driver.h"
#include "thimble/driver/paper_comparison.h"
#include "thimble/driver/storage.h"
#include "thimble/target/device.h"

namespace thimble {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kTiny = 1e-9;

Request spilled_unet() {
  return {.model = "zoo:unet",
          .graph = {.rewrite = false},
          .storage =
              "card:erase=4K,queue=1,read_speed=2MB,write_speed=1MB,access_time=0.0001,"
              "erase_time=0.01,endurance=1000,stalls=no",
          .planner = "tinyseg"};
}

SimulationRequest by_macs() {
  SimulationRequest wanted;
  wanted.seconds_per_mac = 1e-9;
  return wanted;
}

std::string refusal_of(const Request& request) {
  try {
    (void)storage_figures(request);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

// The first skip tensor, 96 x 96 x 8 = 73,728 B: written in one go, read in 96 rows, in 18 blocks.
//   15,095,808 MACs        15.095808 ms
//   73,728 B at 1 MB/s     73.728
//   73,728 B at 2 MB/s     36.864
//   97 accesses             9.7
//   18 blocks             180
TEST(Simulation, OfASmallUnetIsTheSumByHand) {
  const Request request = spilled_unet();
  const Compiled compiled = std::get<Compiled>(compile(request));
  SimulationRequest wanted = by_macs();
  wanted.driver.polled = true;
  const Simulation polled = simulation_report(request, compiled, wanted).simulation;
  EXPECT_NEAR(polled.seconds, 315.387808e-3, kTiny);
  ASSERT_EQ(polled.storages.size(), 1U);
  EXPECT_THAT(polled.storages[0].work.requests, ElementsAre(96, 1, 1));
  EXPECT_THAT(polled.storages[0].work.amounts, ElementsAre(73'728, 73'728, 18));
  const SimulationReport beside = simulation_report(request, compiled, by_macs());
  EXPECT_LT(beside.simulation.seconds, polled.seconds);
  EXPECT_GE(beside.simulation.seconds, beside.simulation.computed_seconds);
  EXPECT_NEAR(beside.simulation.seconds,
              beside.simulation.computed_seconds + beside.simulation.waited(), kTiny);
}

TEST(Simulation, OfANetworkThatIsNotSpilledIsItsEstimate) {
  Request request{
      .model = "zoo:demo", .target = find_target("nucleo-f446re"), .planner = "reorder"};
  const Compiled compiled = std::get<Compiled>(compile(request));
  const SimulationReport report = simulation_report(request, compiled, {});
  const std::optional<CoreEstimate> estimate =
      estimate_on(compiled.program, core_named("cortex-m4"), compiled.target.clock_hz);
  EXPECT_NEAR(1e3 * report.simulation.seconds, estimate->milliseconds().value(), 1e-6);
  EXPECT_EQ(report.simulation.waited(), 0);
  ASSERT_EQ(report.memories.size(), 1U);
  EXPECT_GT(report.memories[0].bytes, 0);
  EXPECT_GT(report.flash.most_seconds(report.simulation.constant_bytes_read).value(), 0);
}

TEST(Simulation, FlashWaitsNeedBothFigures) {
  EXPECT_FALSE((FlashWaits{.wait_states = 5, .clock_hz = 1000}.most_seconds(100)));
  EXPECT_FALSE((FlashWaits{.line_bytes = 16, .clock_hz = 1000}.most_seconds(100)));
  EXPECT_EQ((FlashWaits{.wait_states = 0, .clock_hz = 1000}.most_seconds(100)), 0.0);
  // 100 B are 7 lines, each of 5 cycles.
  EXPECT_DOUBLE_EQ(
      (FlashWaits{.wait_states = 5, .line_bytes = 16, .clock_hz = 1000}.most_seconds(100).value()),
      0.035);
}

TEST(Simulation, ATargetWithoutClockOrModelIsRefused) {
  EXPECT_NO_THROW(check_speed(find_target("nucleo-f446re"), {}));
  EXPECT_THROW(check_speed(generic_target("cortex-m4"), {}), CompileError);
  EXPECT_THROW(check_speed(find_target("esp32"), {}), CompileError);
  EXPECT_NO_THROW(check_speed(Target(), by_macs()));
}

TEST(Simulation, FiguresOfStorageAreTheRequests) {
  const StorageFigures card = storage_figures(spilled_unet()).at("card");
  EXPECT_EQ(card.read_bytes_per_second, 2'000'000);
  EXPECT_EQ(card.access_seconds, 1e-4);
  EXPECT_EQ(card.erase_block_bytes, 4096);
  EXPECT_EQ(card.endurance_cycles, 1000);
  EXPECT_EQ(card.stalls_core, false);
  const Request device{.model = "", .target = find_target("nucleo-h743zi")};
  EXPECT_EQ(storage_figures(device).at("flash_bank2").erase_seconds, 1.0);
}

TEST(Simulation, FiguresOfStorageThatAreNoneAreNamed) {
  const auto fault = [](const std::string& pair) {
    Request request = spilled_unet();
    request.storage = "card:" + pair;
    return refusal_of(request);
  };
  EXPECT_THAT(fault("read_speed=x"), HasSubstr("read_speed=x is no size"));
  EXPECT_THAT(fault("write_speed=0"), HasSubstr("write_speed must be above 0"));
  EXPECT_THAT(fault("endurance=0"), HasSubstr("endurance must be above 0"));
  for (const char* text : {"-1", "nan", "inf", "4000", "1s", ""})
    EXPECT_THAT(fault(std::string("erase_time=") + text), HasSubstr("is no time in seconds"));
  EXPECT_THAT(fault("read_energy=-1"), HasSubstr("read_energy=-1 is no energy in nanojoules"));
  EXPECT_THAT(fault("stalls=maybe"), HasSubstr("stalls=maybe is neither yes nor no"));
  EXPECT_THAT(fault("speed=1"), HasSubstr("there is no 'speed'; there are: write, erase, "));
}

// It is refused before anything is planned, too, and nothing is destroyed twice.
TEST(Simulation, AStorageThatIsRefusedIsOneMessage) {
  Request request = spilled_unet();
  request.storage = "card:write=x";
  EXPECT_THROW((void)compile(request), CompileError);
}

// Table 5 of TinySeg by the devices that its rows imply: 1 % is the scratch that no plan has.
TEST(Simulation, TableFiveOfTinySegIsNear) {
  Paper paper = find_paper("tinyseg");
  std::erase_if(paper.figures,
                [](const PublishedFigure& figure) { return figure.metric != Metric::kLatency; });
  ASSERT_EQ(paper.figures.size(), 13U);
  const std::vector<ReproducedFigure> results =
      reproduce(paper, [](const std::vector<ComparisonJob>& jobs) {
        std::vector<ComparedModel> models;
        for (const ComparisonJob& job : jobs) models.push_back(compared(job));
        return models;
      });
  for (size_t k = 0; k < results.size(); ++k) {
    const PublishedFigure& figure = paper.figures[k];
    ASSERT_TRUE(results[k].measured) << figure.what << ": " << results[k].not_measured;
    const double published = paper.base_value(figure).value();
    EXPECT_LT(std::abs(*results[k].measured - published), 0.01 * published) << figure.what;
  }
}

}  // namespace
}  // namespace thimble
