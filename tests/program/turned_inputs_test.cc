// SPDX-License-Identifier: Apache-2.0
// Inputs that a copy in place turns to row-major order: what `stream` gains, and what is refused.
#include <gtest/gtest.h>

#include "tests/program/mutants.h"
#include "tests/support/golden.h"
#include "tests/support/hand_written.h"
#include "tests/support/planned.h"
#include "tests/support/random_network.h"
#include "tests/support/shared.h"
#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/import/tflite.h"
#include "thimble/moves/relayout_inputs.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/stream.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/random.h"

namespace thimble {
namespace {

const std::vector<int> kPlanes{0, 3, 1, 2};

bool turns_first(const Schedule& schedule) {
  const auto* first = std::get_if<Step>(&schedule.nodes.at(0).what);
  return first != nullptr && !first->op.valid() && first->method == Method::kInPlace;
}

std::string fault(const testing::HandWritten& hand, const Placement& placement) {
  return verify(hand.graph, lower(hand.graph, hand.schedule, placement)).fault;
}

// That its outputs are the golden ones: StreamedModels.
TEST(TurnedInputs, LetRowsLieOverAnImageThatComesAsPlanes) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = rewrite(import_tflite(testing::model_path("mobilenet_v2")));
  ASSERT_EQ(graph.inputs[0].order, kPlanes);
  const auto planned = std::get<Planned>(testing::planned_by(plan_stream, graph, {}, {}));
  EXPECT_TRUE(turns_first(planned.schedule()));
  const Placement placement = place(graph, planned.schedule(), {});
  EXPECT_LE(placement.arena_bytes(), 205'000);
  EXPECT_EQ(verify(graph, lower(graph, planned.schedule(), placement)).fault, "");
  ASSERT_EQ(planned.best().notes.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<note::InputRelaid>(planned.best().notes[1]));
  const auto roomy =
      std::get<Planned>(testing::planned_by(plan_stream, graph, {.sram_bytes = 300'000}, {}));
  EXPECT_FALSE(turns_first(roomy.schedule())) << "not where it fits without";
}

TEST(TurnedInputs, HandWrittenPlanHasItsPeakAndItsMutantsAreCaught) {
  const testing::HandWritten hand = testing::turned_input();
  ASSERT_EQ(malformed(hand.graph, hand.schedule), "");
  const Placement placement = place(hand.graph, hand.schedule, {});
  EXPECT_EQ(placement.arena_bytes(), hand.peak_bytes);
  EXPECT_EQ(fault(hand, placement), "");
  const testing::MutantCount count =
      testing::count_mutants(hand.graph, hand.schedule, placement, 1);
  EXPECT_GT(count.caught, 30);
  for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
  const PlacedPlan plan{.planner = "by hand", .schedule = hand.schedule, .placement = placement};
  EXPECT_EQ(plan_from_json(to_json(plan, {}), "p.json").plan.schedule, hand.schedule);
}

TEST(TurnedInputs, VerifierWantsTheVeryBytesOrOthers) {
  const testing::HandWritten hand = testing::turned_input();
  EXPECT_EQ(fault(hand, placement_at(hand.schedule, {0, 90, 0})), "");
  for (int64_t by : {1, 45, 89}) {
    const Placement partly = placement_at(hand.schedule, {0, by, 180});
    EXPECT_NE(fault(hand, partly).find("step 0 (copy) needs"), std::string::npos) << by;
  }
}

TEST(TurnedInputs, VerifierWantsAMatrixAndItsTranspose) {
  const testing::HandWritten hand = testing::turned_input();
  Program program = lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));
  Call& copy = std::get<Call>(program.nodes[0].what);
  copy.out.stride = {90, 15, 1, 5};  // columns innermost
  EXPECT_EQ(verify(hand.graph, program).fault,
            "step 0 (copy): its buffers are no matrix and its transpose");
  --program.buffers[copy.out.buffer.index()].address;
  EXPECT_EQ(verify(hand.graph, program).fault, "step 0 (copy): is in place, but goes from 5 to 4");
  copy.kernel = copy_kernel(DType::kInt8);
  EXPECT_EQ(verify(hand.graph, program).fault, "step 0 (copy): not the copy in place of its type");
}

// An ordinary copy reads an element and writes it: over itself it would destroy what it needs.
TEST(TurnedInputs, AnOrdinaryCopyOverItselfIsRefused) {
  testing::HandWritten hand = testing::turned_input();
  std::get<Step>(hand.schedule.nodes[0].what).method = Method::kCompute;
  const Placement over = placement_at(hand.schedule, {0, 0, 90});
  EXPECT_NE(fault(hand, over).find("which holds"), std::string::npos);
}

TEST(TurnedInputs, EqualTheReferenceInRandomShapes) {
  int64_t turned_plans = 0;
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(seed);
    testing::TestGraph g(seed);
    const TensorId x =
        g.input({1, random.between(3, 20), random.between(3, 20), random.between(1, 6)});
    const TensorId y = g.conv(x, random.between(1, 6), 3, random.between(1, 2));
    g.output(g.conv(g.depthwise(y, 3, 1), random.between(1, 6), 1, 1));
    g.graph().inputs[0].order = kPlanes;
    const Graph& graph = g.graph();
    const Schedule planned =
        std::get<Planned>(testing::planned_by(plan_stream, graph, {}, {})).schedule();
    turned_plans += turns_first(planned) ? 1 : 0;
    const Instances relaid = relayout_inputs(graph, instances_of(graph, {})).value();
    const Schedule whole = testing::whole_operators(graph, relaid, seed % 2 == 0);
    EXPECT_EQ(turns_first(whole), seed % 2 == 0) << "else a copy to other bytes";
    for (const Schedule& schedule : {planned, whole}) {
      ASSERT_EQ(malformed(graph, schedule), "");
      const Program program = lower(graph, schedule, place(graph, schedule, {}));
      ASSERT_EQ(verify(graph, program).fault, "");
      const std::vector<Bytes> inputs = testing::noise(graph, seed);
      ASSERT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
    }
  }
  EXPECT_GT(turned_plans, 30);
}

}  // namespace
}  // namespace thimble
