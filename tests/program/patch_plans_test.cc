// SPDX-License-Identifier: Apache-2.0
// Plans in patches: as much memory as the planner says, verified, the reference's outputs, and the
// published figures of MobileNetV2.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/program/mutants.h"
#include "tests/support/planned.h"
#include "tests/support/random_network.h"
#include "tests/support/workload.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/patch.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

struct Built {
  Planned planned;
  Placement placement;
  Program program;
};

Built build(const Graph& graph, const Limits& limits, const PlannerOptions& options) {
  Built built{std::get<Planned>(testing::planned_by(plan_patch, graph, limits, options)), {}, {}};
  EXPECT_EQ(malformed(graph, built.planned.schedule()), "");
  built.placement = place(graph, built.planned.schedule(), {});
  built.program = lower(graph, built.planned.schedule(), built.placement);
  const Verification verification = verify(graph, built.program);
  EXPECT_EQ(verification.fault, "");
  return built;
}

void collect(std::vector<Node>& nodes, std::vector<Step*>& steps) {
  for (Node& node : nodes) {
    if (auto* step = std::get_if<Step>(&node.what)) {
      steps.push_back(step);
    } else {
      collect(std::get<Loop>(node.what).body, steps);
    }
  }
}

void expect_equal_to_reference(const Graph& graph, const Program& program) {
  const std::vector<Bytes> inputs = testing::noise(graph, 5);
  EXPECT_TRUE(execute(program, inputs) == testing::expected_outputs(graph, inputs));
}

/// Calls `test(options)` for every operator that can end a stage. Returns how many can.
template <typename Test>
int for_each_split(const Graph& graph, const std::string& patches, Test test) {
  int count = 0;
  for (const Op& op : graph.ops) {
    if (op.file_index < 0) continue;
    const PlannerOptions options = {{"patches", patches}, {"split", std::to_string(op.file_index)}};
    try {
      (void)plan_patch(graph, {}, options);
    } catch (const CompileError&) {
      continue;
    }
    SCOPED_TRACE(fmt::format("{} patches, split behind {}", patches, label(op)));
    test(options);
    ++count;
  }
  return count;
}

class PatchedNetworks : public ::testing::TestWithParam<const char*> {};

// Demo and resnet8 have branches inside the stage; 5 divides no extent of any of them.
TEST_P(PatchedNetworks, EqualTheReferenceWhereverTheyAreSplit) {
  const Graph graph = rewrite(build_zoo(GetParam()));
  for (const char* patches : {"2", "3", "5"}) {
    const int splits = for_each_split(graph, patches, [&](const PlannerOptions& options) {
      for (const bool in_place : {true, false}) {
        const Built built = build(graph, {.in_place = in_place}, options);
        EXPECT_EQ(built.placement.arena().peak_bytes, built.planned.lower_bound_bytes);
        expect_equal_to_reference(graph, built.program);
      }
    });
    EXPECT_GE(splits, 3);
  }
}

TEST_P(PatchedNetworks, AreChosenWithTheLeastPeak) {
  const Graph graph = rewrite(build_zoo(GetParam()));
  const Built chosen = build(graph, {}, {});
  expect_equal_to_reference(graph, chosen.program);
  for (const char* patches : {"2", "3", "5"}) {
    for_each_split(graph, patches, [&](const PlannerOptions& options) {
      EXPECT_LE(
          chosen.placement.arena().peak_bytes,
          std::get<Planned>(testing::planned_by(plan_patch, graph, {}, options)).lower_bound_bytes);
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, PatchedNetworks,
                         ::testing::Values("demo", "resnet8", "micronet_vww_2"),
                         [](const auto& network) { return std::string(network.param); });

// The network input is counted. Behind the stage a depthwise convolution in place needs less than
// the stage; as it is nowhere in place, 326,144 B.
TEST(PatchPlans, HaveThePublishedFiguresOfMobileNetV2) {
  const Graph graph = rewrite(build_zoo("mobilenet_v2"));
  const PlannerOptions options = {{"patches", "4"}, {"split", "12"}, {"accounting", "paper"}};
  const Built built = build(graph, {}, options);
  EXPECT_EQ(built.placement.arena().peak_bytes, 320'960);
  EXPECT_EQ(built.placement.arena_bytes(), 320'960);
  const int64_t all = macs(graph);
  const auto extra = static_cast<double>(macs(graph, built.planned.schedule()) - all);
  EXPECT_NEAR(extra / static_cast<double>(all), 0.093, 0.0005);
  int64_t stage = 0;
  for (const Op& op : graph.ops) stage += op.file_index <= 12 ? macs(graph, op) : 0;
  EXPECT_NEAR(extra / static_cast<double>(stage), 0.306, 0.0005);
  EXPECT_EQ(build(graph, {.in_place = false}, options).placement.arena().peak_bytes, 326'144);
}

TEST(PatchPlans, NeedLessWithTheSplitTensorOverTheInput) {
  const Graph graph = rewrite(build_zoo("mobilenet_v2"));
  const Built built = build(graph, {}, {{"patches", "4"}, {"split", "12"}});
  EXPECT_LT(built.placement.arena_bytes(), 320'960);
  EXPECT_EQ(built.placement.arena().peak_bytes, built.planned.lower_bound_bytes);
}

// Rows half as many and twice as many again, in patches of an odd number at the narrowest.
TEST(PatchPlans, EqualTheReferenceWhereRowsAreResizedInside) {
  const Graph graph = rewrite(build_zoo("unet"));
  const std::string last = std::to_string(graph.ops.back().file_index);
  const Built built = build(graph, {}, {{"patches", "12"}, {"split", last}});
  EXPECT_EQ(built.placement.arena().peak_bytes, 64'304);
  expect_equal_to_reference(graph, built.program);
}

TEST(PatchPlans, OfRandomNetworksEqualTheReference) {
  const uint64_t graphs = testing::random_cases(300 / testing::kOneIn, 6'000);
  uint64_t patched = 0;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    Graph graph = rewrite(testing::random_network(seed));
    for (size_t k = 0; k < graph.ops.size(); ++k) graph.ops[k].file_index = static_cast<int>(k);
    SCOPED_TRACE(fmt::format("seed {}", seed));
    for (const char* patches : {"2", "3"}) {
      patched += for_each_split(graph, patches, [&](const PlannerOptions& options) {
        const Built built = build(graph, {.in_place = seed % 2 == 0}, options);
        expect_equal_to_reference(graph, built.program);
      });
    }
    if (HasFailure()) return;
  }
  fmt::print("{} plans in patches\n", patched);
  EXPECT_GT(patched, graphs * 5 / 3);
}

// A flag too few is found; one too many would be there still if the network had no such step.
TEST(PatchPlans, RecomputeInNoOtherStepsThanTheySay) {
  const Graph graph = rewrite(build_zoo("demo"));
  const Built built = build(graph, {}, {{"patches", "2"}});
  int flags = 0;
  int others = 0;
  for (size_t k = 0; k < 64; ++k) {
    Schedule schedule = built.planned.schedule();
    std::vector<Step*> steps;
    collect(schedule.nodes, steps);
    if (k >= steps.size()) break;
    if (!steps[k]->recomputes) {
      ++others;
      continue;
    }
    ++flags;
    steps[k]->recomputes = false;
    const Program program = lower(graph, schedule, built.placement);
    EXPECT_NE(verify(graph, program).fault.find("a second time"), std::string::npos) << k;
  }
  EXPECT_GE(flags, 1);
  EXPECT_GE(others, 1);
}

// In a plan that recomputes elsewhere, what an ordinary step computes twice is still a fault.
TEST(PatchPlans, DoubledStepsOutsideThePatchesAreCaught) {
  const Graph graph = rewrite(build_zoo("demo"));
  const Built built = build(graph, {}, {{"patches", "2"}});
  ASSERT_TRUE(recomputes(built.planned.schedule()));
  Schedule schedule = built.planned.schedule();
  ASSERT_TRUE(std::holds_alternative<Step>(schedule.nodes.back().what));
  schedule.nodes.push_back(schedule.nodes.back());
  const Program program = lower(graph, schedule, built.placement);
  EXPECT_NE(verify(graph, program).fault, "");
}

TEST(PatchPlans, SayThatTheyRecomputeWhenSaved) {
  const Graph graph = rewrite(build_zoo("demo"));
  const Built built = build(graph, {}, {{"patches", "2"}});
  const PlacedPlan plan{.planner = "patch:patches=2",
                        .schedule = built.planned.schedule(),
                        .placement = built.placement};
  const PlacedPlan back = plan_from_json(to_json(plan, {}), "p.json").plan;
  EXPECT_EQ(back.schedule, plan.schedule);
  const Verification verification = verify(graph, lower(graph, back.schedule, back.placement));
  EXPECT_EQ(verification.fault, "");
  EXPECT_GT(verification.recomputed_elements, 0);
}

TEST(PatchPlans, HarmfulMutantsAreCaught) {
  const Graph graph = rewrite(build_zoo("demo"));
  const Built built = build(graph, {}, {{"patches", "3"}});
  const testing::MutantCount count =
      testing::count_mutants(graph, built.planned.schedule(), built.placement, 1);
  fmt::print("{} mutants, {} caught, {} harmless\n", count.made, count.caught, count.harmless);
  EXPECT_GT(count.caught, count.made / 2);
  for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
}

}  // namespace
}  // namespace thimble
