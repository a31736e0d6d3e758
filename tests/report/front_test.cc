// SPDX-License-Identifier: Apache-2.0
// Which plan of a front limits choose, and how the front is shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/report/xml.h"
#include "thimble/report/front_words.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// 1.6, 1.2 and 1 times the fastest's instructions.
Front three_plans() {
  return {.points = {{1024, 16e6, 500'000}, {2048, 12e6, 0}, {4096, 10e6, -3}},
          .core = "cortex-m4"};
}

size_t chosen_with(std::optional<int64_t> sram_bytes, double most_latency) {
  Front front = three_plans();
  front.sram_limit_bytes = sram_bytes;
  front.max_latency = most_latency;
  return front.chosen();
}

constexpr double kAnyLatency = std::numeric_limits<double>::infinity();

TEST(Front, WithoutABudgetTheSmallestWithinTheLatency) {
  EXPECT_EQ(chosen_with({}, kAnyLatency), 0U);
  EXPECT_EQ(chosen_with({}, 1.6), 0U);
  EXPECT_EQ(chosen_with({}, 1.59), 1U);
  EXPECT_EQ(chosen_with({}, 1), 2U);
}

TEST(Front, WithABudgetTheFastestThatFits) {
  EXPECT_EQ(chosen_with(1 << 20, kAnyLatency), 2U);
  EXPECT_EQ(chosen_with(4095, kAnyLatency), 1U);
  EXPECT_EQ(chosen_with(2047, kAnyLatency), 0U);
  EXPECT_EQ(chosen_with(1, kAnyLatency), 0U) << "nothing fits: the smallest";
  EXPECT_EQ(chosen_with(1024, 1.25), 1U) << "the smallest is too slow";
}

TEST(Front, WhatAnotherPlanBeatsIsLeftOut) {
  EXPECT_THAT(undominated({{300, 5}, {100, 9}, {200, 9}, {100, 8}, {300, 4}, {400, 4}}),
              ElementsAre(3, 4));
  EXPECT_THAT(undominated({{1, 1e6}, {2, 999'001}, {3, 998'999}, {4, 998'001}, {5, 997'000}}),
              ElementsAre(0, 2, 4))
      << "a thousandth";
  EXPECT_THAT(undominated({{7, 7}, {7, 7}}), ElementsAre(0)) << "the first of two that are alike";
}

TEST(Front, TableMarksThePlanThatIsTaken) {
  Front front = three_plans();
  front.picked = 1;
  front.max_latency = 1.25;
  EXPECT_EQ(
      front_text(front, "kws"),
      R"(kws: 3 plans, none better than another in all respects; instructions are estimated on cortex-m4

   plan               SRAM  weights  instructions  of the fastest's  recomputed MACs
      1  1.0 KiB (1,024 B)      0 B      16.000 M             1.600          500,000
>     2  2.0 KiB (2,048 B)      0 B      12.000 M             1.200                0
      3  4.0 KiB (4,096 B)      0 B      10.000 M             1.000               -3

choice: plan 2 of 3, the smallest within --max-latency 1.25: 12.000 M instead of 16.000 M instructions for 1.0 KiB (1,024 B) more than the smallest (--pick 1)
)");
  front.clock_hz = 100'000'000;
  EXPECT_THAT(front_text(front, "kws"), HasSubstr(", ms at 100 MHz if each takes a cycle\n"));
  EXPECT_THAT(front_text(front, "kws"), HasSubstr("      12.000 M  120.0  "));
}

TEST(Front, SaysWhyAPlanIsTaken) {
  Front front = three_plans();
  EXPECT_THAT(choice_text(front), HasSubstr("plan 1 of 3, the smallest: 16.000 M instructions; the "
                                            "fastest has 10.000 M for 3.0 KiB (3,072 B) more "
                                            "(--pick 3)"));
  EXPECT_EQ(front.bound_by(), "");
  front.sram_limit_bytes = 2048;
  front.picked = 1;
  EXPECT_EQ(front.bound_by(), "--sram");
  EXPECT_THAT(choice_text(front),
              HasSubstr("plan 2 of 3, the fastest that fits (the next needs 4.0 KiB (4,096 B)): "
                        "12.000 M instead of 16.000 M instructions for 1.0 KiB (1,024 B) more "));
  front.picked = 2;
  front.sram_limit_bytes = 1 << 20;
  EXPECT_EQ(front.bound_by(), "");
  EXPECT_THAT(choice_text(front), HasSubstr("plan 3 of 3, the fastest: 10.000 M instead of "));
  front.sram_limit_bytes = 1;
  front.picked = 0;
  EXPECT_THAT(choice_text(front), HasSubstr("plan 1 of 3, the smallest: "));
  EXPECT_EQ(front.bound_by(), "");
  front.by_number = true;
  EXPECT_EQ(front.bound_by(), "--pick");
  EXPECT_THAT(choice_text(front), HasSubstr("plan 1 of 3, named by --pick: "));
  front.points.resize(1);
  EXPECT_EQ(choice_text(front), "no other plan is smaller, or faster by a thousandth");
}

TEST(Front, JsonNumbersPlansAsPeopleDo) {
  Front front = three_plans();
  front.picked = 2;
  const nlohmann::ordered_json json = front_json(front);
  EXPECT_EQ(json.at("picked"), 3);
  EXPECT_EQ(json.at("bound_by"), "--max-latency");
  EXPECT_TRUE(json.at("max_latency").is_null());
  EXPECT_EQ(json.at("points").at(0).at("number"), 1);
  EXPECT_EQ(json.at("points").at(1).at("latency_ratio"), 1.2);
  EXPECT_TRUE(front_json(std::nullopt).is_null());
}

// The circles by their numbers: x and y on the page.
std::map<std::string, std::pair<double, double>> circles(const std::string& svg) {
  std::map<std::string, std::pair<double, double>> found;
  for (const XmlElement& element : parse_xml(svg)) {
    if (element.name != "circle") continue;
    found[element.attributes.at("id")] = {std::stod(element.attributes.at("cx")),
                                          std::stod(element.attributes.at("cy"))};
  }
  return found;
}

TEST(FrontPicture, PlansLieWhereTheirFiguresAre) {
  const auto plans = circles(front_svg(three_plans(), "a <&> b\x01"));
  ASSERT_EQ(plans.size(), 3U);
  EXPECT_LT(plans.at("plan1").first, plans.at("plan2").first);
  EXPECT_LT(plans.at("plan2").first, plans.at("plan3").first);
  // Upwards is less: 16, 12 and 10 M, evenly.
  const double per_mega = (plans.at("plan3").second - plans.at("plan2").second) / 2;
  EXPECT_GT(per_mega, 0);
  EXPECT_NEAR(plans.at("plan2").second - plans.at("plan1").second, 4 * per_mega, 0.05);
}

TEST(FrontPicture, DrawsLimitsWhereverTheyAre) {
  Front front = three_plans();
  EXPECT_THAT(front_svg(front, "m"), Not(HasSubstr("limit ")));
  front.sram_limit_bytes = 3000;
  front.max_latency = 1.25;
  EXPECT_THAT(front_svg(front, "m"), HasSubstr(">limit 2.9 KiB (3,000 B)<"));
  EXPECT_THAT(front_svg(front, "m"), HasSubstr(">--max-latency 1.25<"));
  for (const int64_t limit : {100, 1'000'000}) {
    front.sram_limit_bytes = limit;
    EXPECT_THAT(front_svg(front, "m"), HasSubstr(">limit ")) << limit;
  }
}

// One plan alone is compared with nothing: the axis has 0.
TEST(FrontPicture, AxesOfOnePlanBeginAtZero) {
  Front front = three_plans();
  front.points.resize(1);
  std::vector<std::string> texts;
  for (const XmlElement& element : parse_xml(front_svg(front, "/home/me/m.tflite")))
    texts.push_back(element.text);
  EXPECT_THAT(texts, ::testing::Contains("0"));
  EXPECT_THAT(texts, ::testing::Contains("m.tflite"));
}

TEST(FrontPicture, IsWellFormedForOnePlanAndForMany) {
  Front front = three_plans();
  for (int k = 1; k < 60; ++k) front.points.push_back({4096 + 64 * k, 10e6 - 100.0 * k, 0});
  EXPECT_EQ(circles(front_svg(front, "m")).size(), 62U);
  front.points.resize(1);
  front.clock_hz = 64'000'000;
  EXPECT_EQ(circles(front_svg(front, "m")).size(), 1U);
  front.points = {{0, 0, 0}};  // a network that needs nothing
  EXPECT_THAT(front_svg(front, "m"), Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace thimble::testing
