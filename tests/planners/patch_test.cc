// SPDX-License-Identifier: Apache-2.0
// What the planner answers, and which wishes it refuses.
#include "thimble/planners/patch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/support/planned.h"
#include "tests/support/test_graph.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/order_problem.h"
#include "thimble/search/order.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  try {
    (void)plan_patch(graph, limits, options);
  } catch (const CompileError& error) {
    return error.what();
  }
  return "";
}

Planned planned(const Graph& graph, const PlannerOptions& options) {
  return std::get<Planned>(testing::planned_by(plan_patch, graph, {}, options));
}

TEST(Patch, SaysWhatItRecomputes) {
  const Graph graph = testing::residual_network();
  const Planned answer = planned(graph, {{"patches", "2"}, {"split", "2"}});
  EXPECT_TRUE(recomputes(answer.schedule()));
  // 7 + 7 of the 12 rows of the convolution's output are computed, and as many columns.
  EXPECT_EQ(macs(graph, answer.schedule()) - macs(graph),
            macs(graph, graph.ops[0]) / 144 * (14 * 14 - 144));
  const auto& patches = std::get<note::Patches>(answer.best().notes[0]);
  EXPECT_EQ((std::array{patches.down, patches.across, patches.rows, patches.columns}),
            (std::array<int64_t, 4>{2, 2, 6, 6}));
  EXPECT_EQ(patches.last, OpId{2});
  EXPECT_EQ(patches.recomputed_macs, macs(graph, answer.schedule()) - macs(graph));
}

TEST(Patch, ChoosesNoMoreThanWholeOperatorsNeed) {
  const Graph graph = testing::residual_network();
  const Planned answer = planned(graph, {});
  const Order whole = reorder(order_problem(graph, instances_of(graph, {}), true));
  EXPECT_LT(answer.lower_bound_bytes, whole.peak_bytes);
  EXPECT_GT(answer.schedule().loop_count, 0);
}

TEST(Patch, LeavesTheNetworkWholeWherePatchesGainNothing) {
  testing::TestGraph g(3);
  g.output(g.conv(g.input({1, 8, 8, 4}), 8, 1, 1));
  const auto answer =
      std::get<Planned>(testing::planned_by(plan_patch, g.graph(), {.in_place = false}, {}));
  EXPECT_FALSE(recomputes(answer.schedule()));
  EXPECT_EQ(answer.schedule().loop_count, 0);
}

TEST(Patch, KeepsToTheMostThatMayBeRecomputed) {
  const Graph graph = testing::residual_network();
  const PlannerOptions two = {{"patches", "2"}, {"split", "2"}};
  const auto all = static_cast<double>(macs(graph));
  const auto extra = static_cast<double>(macs(graph, planned(graph, two).schedule())) - all;
  EXPECT_EQ(error_of(graph, {.max_recompute = extra / all}, two), "");
  EXPECT_THAT(error_of(graph, {.max_recompute = extra / all - 0.001}, two),
              HasSubstr("--max-recompute: these patches recompute more"));
  const auto none =
      std::get<Planned>(testing::planned_by(plan_patch, graph, {.max_recompute = 0}, {}));
  EXPECT_EQ(macs(graph, none.schedule()), macs(graph));
}

TEST(Patch, SaysNoWithTheBoundAndItsCause) {
  const Graph graph = testing::residual_network();
  const PlannerOptions two = {{"patches", "2"}, {"split", "2"}};
  const int64_t least = planned(graph, two).lower_bound_bytes;
  EXPECT_TRUE(std::holds_alternative<Decision>(plan_patch(graph, {.sram_bytes = least}, two)));
  const auto no = std::get<Infeasible>(plan_patch(graph, {.sram_bytes = least - 1}, two));
  EXPECT_EQ(no.lower_bound_bytes, least);
  EXPECT_THAT(no.reason, HasSubstr("with 2 x 2 patches, split behind ADD #2, a patch needs"));
}

TEST(Patch, RefusesPatchesOfNetworksWithoutImages) {
  testing::TestGraph g(1);
  g.output(g.fully_connected(g.input({1, 16}), 3));
  EXPECT_THAT(error_of(g.graph(), {}, {{"patches", "2"}}),
              HasSubstr("there is nothing to execute in patches: the network cannot be split"));
  EXPECT_FALSE(recomputes(planned(g.graph(), {}).schedule()));
}

TEST(Patch, RefusesWishesThatCannotBe) {
  const Graph graph = testing::residual_network();
  EXPECT_THAT(error_of(graph, {}, {{"patches", "1"}}), HasSubstr("is not a number of at least 2"));
  EXPECT_THAT(error_of(graph, {}, {{"split", "two"}}), HasSubstr("split=two is not a number"));
  EXPECT_THAT(error_of(graph, {}, {{"split", "9"}}), HasSubstr("no operator of the network"));
  EXPECT_THAT(error_of(graph, {}, {{"split", "1"}}),
              HasSubstr("cannot be split behind DEPTHWISE_CONV_2D #1: the output of CONV_2D #0"));
  EXPECT_THAT(error_of(graph, {}, {{"accounting", "mine"}}), HasSubstr("neither paper nor exact"));
}

}  // namespace
}  // namespace thimble
