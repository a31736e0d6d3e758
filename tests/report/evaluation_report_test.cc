// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/evaluation_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "thimble/report/predictions.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

TEST(AreaUnderCurve, IsTheShareOfPairsInTheRightOrder) {
  EXPECT_EQ(area_under_curve({{0.1, false}, {0.9, true}}), 1.0);
  EXPECT_EQ(area_under_curve({{0.9, false}, {0.1, true}}), 0.0);
  EXPECT_EQ(area_under_curve({{0.5, false}, {0.5, true}}), 0.5);
  // Two of four pairs are right, one is a tie.
  EXPECT_EQ(area_under_curve({{1, true}, {2, false}, {3, true}, {1, false}}), 0.625);
  EXPECT_EQ(area_under_curve({{NAN, false}, {0.1, true}}), 1.0);
  EXPECT_EQ(area_under_curve({{1, true}}), std::nullopt);
}

TEST(BestClasses, EqualScoresComeByTheirNumber) {
  const auto best = best_classes({0.25F, NAN, 0.5F, 0.5F}, {"a", "b", "c"}, 3);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].label, "c");
  EXPECT_EQ(best[1].number, 3);
  EXPECT_EQ(class_name(best[1]), "class 3");
  EXPECT_EQ(best[2].label, "a");
}

TEST(EvaluationReport, HasRecallPrecisionAndTheMatrix) {
  const Evaluation evaluation{.model = "m",
                              .set = "s",
                              .on = "host",
                              .samples = 8,
                              .of_samples = 10,
                              .classes = {"no", "yes"},
                              .confusion = {{3, 1}, {0, 4}},
                              .right = 7};
  const std::string text = evaluation_text(evaluation);
  EXPECT_THAT(text, HasSubstr("accuracy      87.50 % (7 of 8)"));
  EXPECT_THAT(text, HasSubstr("no        75.00       100.00     3     1"));
  EXPECT_THAT(text, HasSubstr("yes      100.00        80.00     0     4"));
}

}  // namespace
}  // namespace thimble
