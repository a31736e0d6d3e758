// SPDX-License-Identifier: Apache-2.0
// What is said of the peak, and of what would lower it.
#include "thimble/report/peak.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/report/reported_plan.h"
#include "tests/support/test_graph.h"
#include "thimble/report/advice.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Peak peak_of_plan(const ReportedPlan& plan) {
  return peak_of(plan.graph, plan.plan, live_bytes(plan.graph, plan.plan.schedule)).value();
}

// 4 x 768 B of floats over the 768 B that they become.
TEST(Peak, NamesTheFloatInputAndWhatItWouldBe) {
  TestGraph g(1);
  g.output(g.conv(g.float_input({1, 16, 16, 3}), 2, 3, 2));
  const ReportedPlan plan = planned(g.graph(), "reorder");
  const Peak peak = peak_of_plan(plan);
  EXPECT_EQ(peak.label, "QUANTIZE #0");
  EXPECT_THAT(hints(plan.graph, plan.plan, peak),
              ElementsAre("the input 't0' is 3.0 KiB (3,072 B) of the peak: 768 B with --io-type "
                          "int8; elsewhere with --input user, or --input streamed"));
  const auto json = peak_json(plan.graph, plan.plan, peak);
  EXPECT_EQ(json.at("step"), 0);
  EXPECT_EQ(json.at("operator"), "QUANTIZE");
  EXPECT_EQ(json.at("buffers").size(), 2U);
  EXPECT_EQ(json.at("hints").size(), 1U);
}

TEST(Peak, NamesOutputs) {
  TestGraph g(2);
  g.output(g.conv(g.input({1, 8, 8, 1}), 16, 1, 1));
  const ReportedPlan plan = planned(g.graph(), "original");
  EXPECT_THAT(hints(plan.graph, plan.plan, peak_of_plan(plan)),
              ElementsAre(HasSubstr("--output user, or --output streamed")))
      << "the input is less than a tenth";
}

TEST(Peak, SaysNothingOfPortsThatAreNotThere) {
  TestGraph g(3);
  const TensorId wide = g.conv(g.conv(g.input({1, 8, 8, 2}), 32, 1, 1), 32, 1, 1);
  g.output(g.conv(wide, 2, 1, 1));
  const ReportedPlan plan = planned(g.graph(), "original");
  const Peak peak = peak_of_plan(plan);
  EXPECT_EQ(peak.label, "CONV_2D #1");
  EXPECT_EQ(peak.buffers.size(), 2U);
  EXPECT_THAT(hints(plan.graph, plan.plan, peak), IsEmpty());
  EXPECT_EQ(peak_of(plan.graph, plan.plan, {}), std::nullopt) << "no steps";
}

TEST(Advice, ListsWhatWasTriedWithItsVerdict) {
  const std::vector<Alternative> tried = {
      {.options = "--a", .instructions = 3e6, .sram_bytes = 2048, .flash_bytes = 9, .fits = true},
      {.options = "--b", .instructions = 1e6, .sram_bytes = 4096, .flash_bytes = 9, .fits = false},
      {.options = "--c"}};
  EXPECT_EQ(alternatives_text(tried),
            "  - --a: SRAM 2.0 KiB (2,048 B), flash 9 B, 3.000 M instructions: fits\n"
            "  - --b: SRAM 4.0 KiB (4,096 B), flash 9 B, 1.000 M instructions\n"
            "  - --c: SRAM 0 B, flash 0 B\n");
  EXPECT_EQ(alternatives_json(tried).at(1).at("fits"), false);
  EXPECT_TRUE(alternatives_json(tried).at(2).at("fits").is_null());
}

TEST(Advice, SaysWhatNoOptionDoes) {
  EXPECT_THAT(advice({.fits_sram = false}, {}),
              HasSubstr("what to try:\n  - a smaller input resolution"));
  EXPECT_THAT(advice({.fits_flash = false}, {}), HasSubstr("fewer or smaller layers"));
  EXPECT_EQ(advice({}, {}), "");
}

}  // namespace
}  // namespace thimble::testing
