// SPDX-License-Identifier: Apache-2.0
#include "training/network/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "thimble/model/error.h"
#include "zoo/zoo.h"

namespace thimble::training {
namespace {

using ::testing::HasSubstr;

class Budgets : public ::testing::Test {
 protected:
  std::vector<std::vector<float>> equal_worths() const {
    std::vector<std::vector<float>> worths;
    for (size_t g = 0; g < channels_.groups(); ++g)
      worths.emplace_back(static_cast<size_t>(channels_.count(g)), 1.0F);
    return worths;
  }
  static int64_t open(const std::vector<bool>& group) { return std::ranges::count(group, true); }

  Graph graph_ = build_zoo_float("resnet8");
  Channels channels_{graph_};
  Compiler compiler_{graph_, channels_, {.planner = "pex"}};
};

TEST_F(Budgets, AreMetByTrimming) {
  const Budget budgets[] = {{.sram_bytes = 20'000},
                            {.weight_bytes = 30'000},
                            {.macs = 4'000'000},
                            {.sram_bytes = 30'000, .weight_bytes = 40'000, .macs = 6'000'000}};
  for (const Budget& budget : budgets) {
    const Kept kept = compiler_.trimmed(all_kept(channels_), budget, equal_worths());
    const Footprint after = compiler_.footprint(kept);
    EXPECT_TRUE(budget.met_by(after)) << to_string(after, budget);
    EXPECT_FALSE(budget.met_by(compiler_.footprint(all_kept(channels_))));
  }
}

TEST_F(Budgets, AreComparedWithQuickAnswersInTheRatioToExactOnes) {
  Compiler exact(graph_, channels_, {});
  Compiler hasty(graph_, channels_, quick({}));
  const Kept all = all_kept(channels_);
  const int64_t own = hasty.footprint(all).arena_bytes;
  hasty.adjust_to(exact, all);
  EXPECT_NE(own, exact.footprint(all).arena_bytes) << "the ratio is 1: another network shows more";
  EXPECT_EQ(hasty.footprint(all).arena_bytes, exact.footprint(all).arena_bytes);
  Kept half = all;
  for (std::vector<bool>& group : half)
    for (size_t c = 1; c < group.size(); c += 2) group[c] = false;
  EXPECT_NEAR(static_cast<double>(hasty.footprint(half).arena_bytes),
              static_cast<double>(exact.footprint(half).arena_bytes),
              0.1 * static_cast<double>(exact.footprint(half).arena_bytes));
  EXPECT_EQ(exact.questions(), 2);
}

TEST_F(Budgets, AreAskedAboutWithLittleEffortOfPlannersThatHaveAny) {
  EXPECT_EQ(quick({.planner = "auto"}).effort, 0);
  EXPECT_EQ(quick({.planner = "pex:accumulators=8"}).effort, 1);
}

TEST_F(Budgets, LeaveNoMoreThanAChannelTooMuch) {
  const Budget budget{.sram_bytes = 20'000};
  const Kept kept = compiler_.trimmed(all_kept(channels_), budget, equal_worths());
  EXPECT_GT(compiler_.footprint(kept).arena_bytes, 18'000);
}

TEST_F(Budgets, TakeChannelsWhereThePeakIs) {
  // The peak is in the first stage: what is far behind it stays.
  const Kept kept = compiler_.trimmed(all_kept(channels_), {.sram_bytes = 40'000}, equal_worths());
  for (size_t g = 0; g < kept.size(); ++g) {
    if (channels_.count(g) == 64) {
      EXPECT_EQ(open(kept[g]), 64);
    }
  }
}

TEST_F(Budgets, LeaveWhatIsWorthMost) {
  std::vector<std::vector<float>> worths = equal_worths();
  for (std::vector<float>& group : worths)
    for (size_t c = 0; c < group.size(); c += 2) group[c] = 2;
  const Kept kept = compiler_.trimmed(all_kept(channels_), {.sram_bytes = 30'000}, worths);
  int64_t closed = 0;
  for (size_t g = 0; g < kept.size(); ++g) {
    std::array<int64_t, 3> closed_of{}, open_of{};  // by worth
    for (size_t c = 0; c < kept[g].size(); ++c)
      ++(kept[g][c] ? open_of : closed_of)[static_cast<size_t>(worths[g][c])];
    EXPECT_TRUE(closed_of[2] == 0 || open_of[1] == 0) << g;
    closed += closed_of[1] + closed_of[2];
  }
  EXPECT_GT(closed, 0);
}

TEST_F(Budgets, ThatAreImpossibleAreSaidSo) {
  try {
    compiler_.check_possible({.sram_bytes = 1000});
    FAIL();
  } catch (const CompileError& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("with one channel in each layer it takes arena "));
    EXPECT_THAT(fault.what(), HasSubstr("of 1000"));
  }
  EXPECT_NO_THROW(compiler_.check_possible({.sram_bytes = 5000}));
}

TEST_F(Budgets, ThatAreImpossibleAreNoFaultWhileChannelsClose) {
  Kept least = all_kept(channels_);
  for (std::vector<bool>& group : least) group.assign(group.size(), false), group[0] = true;
  EXPECT_EQ(compiler_.trimmed(least, {.sram_bytes = 1000}, equal_worths(), 4), least);
  EXPECT_THROW((void)compiler_.trimmed(least, {.sram_bytes = 1000}, equal_worths()), CompileError);
}

TEST_F(Budgets, AreMetByBaselines) {
  const Budget budget{.sram_bytes = 25'000, .weight_bytes = 50'000};
  const Kept same = uniform(compiler_, channels_, budget, equal_worths());
  EXPECT_TRUE(budget.met_by(compiler_.footprint(same)));
  for (size_t g = 0; g < same.size(); ++g) {
    EXPECT_NEAR(static_cast<double>(open(same[g])) / static_cast<double>(channels_.count(g)),
                static_cast<double>(open(same[0])) / static_cast<double>(channels_.count(0)), 0.05);
  }
  const Kept chance = by_chance(compiler_, channels_, budget, 1);
  EXPECT_TRUE(budget.met_by(compiler_.footprint(chance)));
  EXPECT_EQ(chance, by_chance(compiler_, channels_, budget, 1));
  EXPECT_NE(chance, by_chance(compiler_, channels_, budget, 2));
}

TEST_F(Budgets, AskOnceOfTheSameWidths) {
  (void)compiler_.footprint(all_kept(channels_));
  (void)compiler_.footprint(all_kept(channels_));
  EXPECT_EQ(compiler_.questions(), 1U);
}

TEST(OnTheWay, IsInEqualRatios) {
  const Footprint from{.arena_bytes = 1600, .weight_bytes = 10};
  const Budget budget{.sram_bytes = 100, .weight_bytes = 50};
  EXPECT_EQ(*budget.on_the_way(from, 0).sram_bytes, 1600);
  EXPECT_EQ(*budget.on_the_way(from, 0.5).sram_bytes, 400);
  EXPECT_EQ(*budget.on_the_way(from, 2).sram_bytes, 100);
  EXPECT_EQ(*budget.on_the_way(from, 0.5).weight_bytes, 50);
}

}  // namespace
}  // namespace thimble::training
