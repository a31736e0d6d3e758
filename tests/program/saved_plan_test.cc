// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/saved_plan.h"

#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

PlacedPlan plan_of(const testing::HandWritten& hand) {
  return {.planner = "by hand",
          .schedule = hand.schedule,
          .placement = place(hand.graph, hand.schedule, {}),
          .accumulators = hand.graph.accumulators,
          .scale_source = "made up"};
}

TEST(SavedPlan, ComesBackAsItWas) {
  for (const testing::HandWritten& hand :
       {testing::channel_loop(), testing::channel_loop(DType::kInt8), testing::row_span(),
        testing::row_stream(), testing::row_span_of_user(), testing::residual_in_halves(true)}) {
    const PlacedPlan plan = plan_of(hand);
    const PlanOrigin origin{"net", "abc", false, true};
    const SavedPlan back = plan_from_json(to_json(plan, origin), "p.json");
    EXPECT_EQ(back.plan.schedule, plan.schedule);
    EXPECT_EQ(back.plan.placement.addresses, plan.placement.addresses);
    EXPECT_EQ(back.plan.placement.arena_bytes(), plan.placement.arena_bytes());
    EXPECT_EQ(back.plan.accumulators, plan.accumulators);
    EXPECT_EQ(back.plan.scale_source, plan.scale_source);
    EXPECT_EQ(back.origin, origin);
  }
}

/// The first interval that follows a loop.
IntervalExpr* following(std::vector<Node>& nodes) {
  for (Node& node : nodes) {
    if (auto* loop = std::get_if<Loop>(&node.what)) {
      if (IntervalExpr* found = following(loop->body)) return found;
      continue;
    }
    for (IntervalExpr& interval : std::get<Step>(node.what).region) {
      if (!interval.begin.constant()) return &interval;
    }
  }
  return nullptr;
}

TEST(SavedPlan, HasWhatAnIntervalIsCutTo) {
  testing::HandWritten hand = testing::channel_loop();
  IntervalExpr* interval = following(hand.schedule.nodes);
  ASSERT_NE(interval, nullptr);
  interval->within = CutExpr{interval->begin, interval->end};
  EXPECT_EQ(malformed(hand.graph, hand.schedule), "");
  const PlacedPlan plan = plan_of(hand);
  EXPECT_EQ(plan_from_json(to_json(plan, {}), "p.json").plan.schedule, plan.schedule);
  interval->within = CutExpr{interval->end, interval->begin};
  EXPECT_NE(malformed(hand.graph, hand.schedule).find("may end before it begins"),
            std::string::npos);
  interval->within = CutExpr{interval->begin, index(3)};
  EXPECT_NE(malformed(hand.graph, hand.schedule), "");
  *interval = {index(0), index(3), CutExpr{index(0), index(1)}};
  EXPECT_NE(malformed(hand.graph, hand.schedule).find("follows no loop"), std::string::npos);
}

TEST(SavedPlan, RefusesIntervalsOfThreeOrFiveBounds) {
  const std::string good = to_json(plan_of(testing::row_span()), {});
  const std::string region = "\"region\": [";
  const size_t at = good.find(region);
  ASSERT_NE(at, std::string::npos);
  for (const char* bounds : {"[0, 1, 2],", "[0, 1, 2, 3, 4],"}) {
    std::string bad = good;
    bad.insert(at + region.size(), bounds);
    EXPECT_THROW((void)plan_from_json(bad, "p.json"), CompileError) << bounds;
  }
}

TEST(SavedPlan, RefusesWhatIsNone) {
  const std::string good = to_json(plan_of(testing::row_span()), {});
  for (const std::string& bad :
       {std::string(), std::string("{}"), std::string("[1,2]"), good.substr(0, good.size() / 2),
        std::string("\x89PNG"), std::string(R"({"thimble_plan": 1})")}) {
    try {
      (void)plan_from_json(bad, "p.json");
      ADD_FAILURE() << "accepted: " << bad.substr(0, 40);
    } catch (const CompileError& error) {
      EXPECT_NE(std::string(error.what()).find("p.json: not a saved plan of thimble"),
                std::string::npos);
    }
  }
}

TEST(SavedPlan, EveryCharacterDamagedIsRefusedOrMalformedOrStillAPlan) {
  const testing::HandWritten hand = testing::row_span();
  const std::string good = to_json(plan_of(hand), {});
  int refused = 0, malformed_plans = 0;
  for (size_t at = 0; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = bad[at] == '9' ? '-' : '9';
    try {
      const SavedPlan saved = plan_from_json(bad, "p.json");
      malformed_plans += malformed(hand.graph, saved.plan.schedule).empty() ? 0 : 1;
    } catch (const CompileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(malformed_plans, 0);
}

}  // namespace
}  // namespace thimble
