// SPDX-License-Identifier: Apache-2.0
// What the search for orders is made of, each piece against all states of small random graphs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "all_states.h"
#include "order_networks.h"
#include "thimble/search/beam_search.h"
#include "thimble/search/hub_bound.h"
#include "thimble/search/improve_windows.h"
#include "thimble/search/least_cut.h"
#include "thimble/search/peak_bound.h"
#include "thimble/search/split.h"

namespace thimble {

// Beside its enumeration, where GoogleTest looks for it.
static void PrintTo(Direction from, std::ostream* out) {
  *out << (from == Direction::kForward ? "Start" : "End");
}

namespace {

constexpr int64_t kAny = int64_t{1} << 40;  // above every peak

/// Calls `test(problem, states)` for 600 graphs; sizes of up to 4 bytes have many ties.
template <typename Test>
void for_each_problem(Test test) {
  for (uint32_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const OrderProblem problem = random_problem({.ops = 2 + static_cast<int>(seed % 9),
                                                 .reach = 2 + static_cast<int>(seed % 5),
                                                 .max_bytes = seed % 2 == 0 ? 4 : 100,
                                                 .seed = seed,
                                                 .in_place = seed % 3 == 0});
    ASSERT_TRUE(regular(problem));
    test(problem, AllStates(problem));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

int64_t peak_of(const OrderProblem& problem, const std::vector<int>& order) {
  const std::vector<int64_t> bytes = working_sets(problem, order);
  return *std::max_element(bytes.begin(), bytes.end());
}

TEST(LeastCut, IsTheLeastStateAndInAllOthersLikeIt) {
  for_each_problem([](const OrderProblem& problem, const AllStates& states) {
    const OrderLinks links(problem);
    LeastCut cuts(problem, links);
    const auto last = static_cast<int>(problem.ops.size()) - 1;
    const OpSet inside = {1u << (last / 2)}, outside = {1u << last};
    std::optional<int64_t> least;
    uint64_t in_all = 0;
    for (const uint32_t set : states.sets()) {
      if ((set & inside[0]) == 0 || (set & outside[0]) != 0) continue;
      const int64_t bytes = states.live_bytes(set);
      if (least && bytes > *least) continue;
      in_all = least && bytes == *least ? in_all & set : set;
      least = bytes;
    }
    const std::optional<LiveCut> cut = cuts.between(inside, outside);
    ASSERT_EQ(cut.has_value(), least.has_value());
    if (!cut) return;
    ASSERT_EQ(cut->live_bytes, *least);
    ASSERT_EQ(cut->executed[0], in_all);
  });
}

TEST(LeastCut, KnowsTheLeastWorkingSets) {
  int above_peak_bound = 0;
  for_each_problem([&](const OrderProblem& problem, const AllStates& states) {
    const OrderLinks links(problem);
    LeastCut cuts(problem, links);
    for (size_t op = 0; op < problem.ops.size(); ++op) {
      int64_t least = kAny;
      for (const uint32_t set : states.sets()) {
        if (states.ready(set, op)) least = std::min(least, states.working_set(set, op));
      }
      ASSERT_EQ(cuts.least_working_set(static_cast<int>(op)), least);
    }
    ASSERT_GE(cut_bound_bytes(problem), peak_bound_bytes(problem));
    ASSERT_LE(cut_bound_bytes(problem), states.least_peak());
    above_peak_bound += cut_bound_bytes(problem) > peak_bound_bytes(problem);
  });
  EXPECT_GT(above_peak_bound, 100);
}

TEST(HubBound, IsBelowEveryPeakAndSometimesAboveTheCutBound) {
  int raised = 0;
  for_each_problem([&](const OrderProblem& problem, const AllStates& states) {
    const int64_t known = cut_bound_bytes(problem);
    const HubBound bound = hub_bound(problem, known);
    ASSERT_GE(bound.bytes, known);
    ASSERT_LE(bound.bytes, states.least_peak());
    ASSERT_EQ(bound.hub >= 0, bound.bytes > known);
    raised += bound.bytes > known;
  });
  EXPECT_GT(raised, 0);
}

// x -> part k;  step k of part k and step k - 1, by way of something wide.
OrderProblem unrolled(int times, int64_t part_bytes) {
  OrderProblem problem{.size_bytes = {times * part_bytes}, .inputs = {0}, .outputs = {}, .ops = {}};
  const auto make = [&](std::vector<int> inputs, int64_t bytes) {
    const int made = static_cast<int>(problem.size_bytes.size());
    problem.size_bytes.push_back(bytes);
    problem.ops.push_back(
        {.inputs = std::move(inputs), .outputs = {made}, .scratch_bytes = 0, .in_place = {}});
    return made;
  };
  int state = -1;
  for (int k = 0; k < times; ++k) {
    std::vector<int> operands{make({0}, part_bytes)};
    if (state >= 0) operands.push_back(make({state}, 240));
    const int wide = make(operands, 240);
    const int left = make({wide}, 80), right = make({wide}, 80);
    state = make({left, right}, 80);
  }
  problem.outputs = {state};
  return problem;
}

TEST(HubBound, IsTheLeastPeakOfAFewTimes) {
  for (const int64_t part_bytes : {200, 300, 400}) {
    const OrderProblem problem = unrolled(3, part_bytes);
    const HubBound bound = hub_bound(problem, cut_bound_bytes(problem));
    EXPECT_LE(bound.bytes, AllStates(problem).least_peak());
    EXPECT_GE(bound.bytes, cut_bound_bytes(problem));
  }
}

TEST(HubBound, ProvesWhatAnUnrolledRecurrentNetworkNeeds) {
  const OrderProblem problem = unrolled(40, 52);
  const Order order = reorder(problem, 20'000);
  EXPECT_EQ(order.peak_bytes, peak_of(problem, order.ops));
  EXPECT_TRUE(order.proven_optimal) << order.peak_bytes << " " << order.lower_bound_bytes;
  EXPECT_LT(order.peak_bytes, original_order(problem).peak_bytes + 1);
}

class SearchFrom : public ::testing::TestWithParam<Direction> {};

TEST_P(SearchFrom, FindsTheLeastPeakAlone) {
  for_each_problem([](const OrderProblem& problem, const AllStates& states) {
    const OrderLinks links(problem);
    ExactSearch search(problem, links, GetParam());
    int64_t below = kAny;
    std::vector<int> best;
    while (search.bound_bytes() < below) {
      ASSERT_LE(search.bound_bytes(), states.least_peak());
      const std::optional<FoundOrder> found = search.step(0, below);
      if (!found) continue;
      below = found->peak_bytes;
      best = found->ops;
    }
    ASSERT_EQ(below, states.least_peak());
    ASSERT_EQ(peak_of(problem, best), below);
  });
}

TEST_P(SearchFrom, ProvesThatNothingIsBelowTheLeastPeak) {
  for_each_problem([](const OrderProblem& problem, const AllStates& states) {
    const OrderLinks links(problem);
    ExactSearch search(problem, links, GetParam());
    const int64_t least = states.least_peak();
    while (search.bound_bytes() < least) ASSERT_FALSE(search.step(0, least));
  });
}

TEST_P(SearchFrom, FindsAnOrderWithABeam) {
  int least = 0;
  for_each_problem([&](const OrderProblem& problem, const AllStates& states) {
    const BeamResult result =
        beam_search(problem, OrderLinks(problem), GetParam(),
                    {.width = 2, .states = 1'000, .at_least = 0, .below = kAny});
    ASSERT_TRUE(result.found);
    ASSERT_EQ(peak_of(problem, result.found->ops), result.found->peak_bytes);
    ASSERT_GE(result.found->peak_bytes, states.least_peak());
    least += result.found->peak_bytes == states.least_peak();
  });
  EXPECT_GT(least, 500);
}

TEST_P(SearchFrom, GetsToTheEndWithABeamPastItsStates) {
  const OrderProblem problem = random_problem({.ops = 200, .reach = 20, .seed = 1});
  const BeamResult result = beam_search(problem, OrderLinks(problem), GetParam(),
                                        {.width = 64, .states = 2'000, .below = kAny});
  ASSERT_TRUE(result.found);
  EXPECT_EQ(peak_of(problem, result.found->ops), result.found->peak_bytes);
  EXPECT_LT(result.states, 8'000);
}

INSTANTIATE_TEST_SUITE_P(BothEnds, SearchFrom,
                         ::testing::Values(Direction::kForward, Direction::kBackward),
                         ::testing::PrintToStringParamName());

TEST(Split, PartsHaveTheLeastPeakOfTheWhole) {
  int more_than_one = 0;
  for_each_problem([&](const OrderProblem& problem, const AllStates& states) {
    const std::vector<Part> parts = split(problem);
    int64_t least = 0;
    std::vector<int> ops;
    for (const Part& part : parts) {
      const Order order = reorder(part.problem);
      least = std::max(least, AllStates(part.problem).least_peak());
      for (const int op : order.ops) ops.push_back(part.ops[static_cast<size_t>(op)]);
    }
    ASSERT_EQ(least, states.least_peak());
    ASSERT_EQ(peak_of(problem, ops), least);
    more_than_one += parts.size() > 1;
  });
  EXPECT_GT(more_than_one, 100);
}

TEST(Split, LeavesAloneWhatSavesScratchInPlace) {
  // Two chains, each through a tensor of one byte.
  OrderProblem problem{.size_bytes = {5, 1, 5}, .inputs = {0}, .outputs = {2}, .ops = {{}, {}}};
  problem.ops[0].inputs = {0};
  problem.ops[0].outputs = {1};
  problem.ops[1].inputs = {1};
  problem.ops[1].outputs = {2};
  EXPECT_EQ(split(problem).size(), 2u);
  problem.ops[1].scratch_bytes = 3;
  problem.ops[1].in_place = {{.input = 1, .scratch_bytes = 2}};
  EXPECT_FALSE(regular(problem));
  EXPECT_EQ(split(problem).size(), 1u);
}

TEST(ImproveWindows, LowersThePeakOfTheFilesOrder) {
  int improved = 0;
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    const OrderProblem problem = random_problem({.ops = 60, .reach = 8, .seed = seed});
    const Order file = original_order(problem);
    FoundOrder order{.ops = file.ops, .peak_bytes = file.peak_bytes};
    (void)improve_windows(problem, order, {.at_least = 0, .states = 20'000});
    ASSERT_EQ(peak_of(problem, order.ops), order.peak_bytes);
    ASSERT_LE(order.peak_bytes, file.peak_bytes);
    improved += order.peak_bytes < file.peak_bytes;
  }
  EXPECT_GT(improved, 25);
}

}  // namespace
}  // namespace thimble
