// SPDX-License-Identifier: Apache-2.0
// Networks with variables: planned, verified, executed in turn and saved (docs/ports.md).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/import/tensor_file.h"
#include "thimble/import/tflite.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"
#include "thimble/report/tensor_text.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

const std::vector<std::string> kPlanners = {"original", "greedy", "reorder", "stream",
                                            "pex",      "patch",  "motes",   "auto"};

struct Built {
  Schedule schedule;
  Placement placement;
  Program program;
};

Built built(const Graph& graph, const std::string& planner) {
  const PlannerChoice choice = choose_planner(planner);
  const auto planned = std::get<Planned>(choice.planner->plan(graph, {}, {}));
  EXPECT_EQ(malformed(graph, planned.schedule()), "");
  Built result{planned.schedule(), place(graph, planned.schedule(), {}), {}};
  result.program = lower(graph, result.schedule, result.placement);
  EXPECT_EQ(verify(graph, result.program).fault, "");
  return result;
}

void expect_outputs(const std::vector<NamedTensor>& expected, const std::vector<Bytes>& outputs) {
  ASSERT_EQ(outputs.size(), expected.size());
  for (size_t k = 0; k < outputs.size(); ++k) {
    const NamedTensor& t = expected[k];
    EXPECT_EQ(first_difference(t.data, outputs[k], t.type, t.shape, kFloatTolerance), "");
  }
}

// Each seed from fresh state, and all of them in turn.
void expect_golden(const Program& program, const testing::Golden& golden) {
  std::vector<std::vector<Bytes>> in_turn;
  for (const testing::Golden::Inference& seed : golden.seeds) {
    expect_outputs(seed.outputs, execute(program, seed.input_bytes()));
    in_turn.push_back(seed.input_bytes());
  }
  ASSERT_EQ(golden.sequence.size(), in_turn.size());
  const std::vector<std::vector<Bytes>> outputs = execute_in_turn(program, in_turn);
  for (size_t turn = 0; turn < outputs.size(); ++turn) {
    SCOPED_TRACE(fmt::format("turn {}", turn + 1));
    expect_outputs(golden.sequence[turn], outputs[turn]);
  }
}

class ModelsWithState : public ::testing::TestWithParam<std::string> {};

TEST_P(ModelsWithState, GiveTheGoldenSequenceUnderEveryPlanner) {
  THIMBLE_NEEDS_SHARED();
  const Graph imported = import_tflite(testing::model_path(GetParam()));
  const testing::Golden golden = testing::load_golden(testing::golden_paths(GetParam())[0]);
  for (const ConstantChannels channels : {ConstantChannels::kKept, ConstantChannels::kRemoved}) {
    const Graph graph = rewrite(imported, channels);
    ASSERT_FALSE(graph.states.empty());
    for (const std::string& planner : kPlanners) {
      SCOPED_TRACE(planner);
      const Built b = built(graph, planner);
      expect_golden(b.program, golden);
      fmt::print("{} {}: arena {} B, {} B of state\n", GetParam(), planner,
                 b.placement.arena_bytes(), state_bytes(b.program));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shared, ModelsWithState, ::testing::ValuesIn(testing::recurrent_models()),
                         [](const auto& model) { return model.param; });

TEST(States, OfTheSvdfCasesGiveTheGoldenSequence) {
  THIMBLE_NEEDS_SHARED();
  int cases = 0;
  for (const testing::OpsCase& c : testing::ops_cases()) {
    if (c.op != "SVDF") continue;
    SCOPED_TRACE(c.name + ": " + c.configuration);
    expect_golden(built(rewrite(import_tflite(c.model())), "reorder").program,
                  testing::load_golden(c.golden()));
    ++cases;
  }
  EXPECT_EQ(cases, 14 + 3) << "of int8 and of float32";
}

// The interpreter holds 5,408 B at the peak, 5,120 of them variables.
TEST(States, TakeTheBytesThatTheInterpreterHas) {
  THIMBLE_NEEDS_SHARED();
  const Graph graph = rewrite(import_tflite(testing::model_path("keyword_scrambled_8bit")),
                              ConstantChannels::kKept);
  const Built b = built(graph, "reorder");
  EXPECT_EQ(state_bytes(b.program), 5'120);
  EXPECT_LE(b.placement.arena_bytes(), 5'408);
  for (const StateBuffers& state : b.schedule.states)  // in place: no copies
    EXPECT_EQ(b.placement.addresses[state.in.index()], b.placement.addresses[state.out.index()]);
}

// new = max(x, old); y = min(new, old): the new value is made while the old one is needed.
Graph read_after_it_was_made() {
  const Quantization q{{0.5F}, {3}, 0};
  const auto tensor = [&](const char* name) {
    return Tensor{name, {1, 4}, DType::kInt8, q, nullptr};
  };
  Graph graph{.name = "net", .tensors = {tensor("x"), tensor("old"), tensor("new"), tensor("y")}};
  graph.ops = {{Maximum{}, {{0}, {1}}, {{2}}, 0}, {Minimum{}, {{2}, {1}}, {{3}}, 1}};
  graph.inputs = {{.tensor = {0}}};
  graph.outputs = {{.tensor = {3}}};
  graph.states = {{{1}, {2}, std::make_shared<const Bytes>(Bytes{3, 3, 3, 3})}};
  check_graph(graph);
  return graph;
}

TEST(States, ThatAreReadLaterAreCopiedAtTheEnd) {
  const Graph graph = read_after_it_was_made();
  for (const std::string& planner : kPlanners) {
    SCOPED_TRACE(planner);
    const Built b = built(graph, planner);
    std::vector<std::vector<Bytes>> inputs, expected;
    StateValues state = initial_state(graph);
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      inputs.push_back({random_bytes(DType::kInt8, 4, seed)});
      expected.push_back({interpret(graph, inputs.back(), state)[3]});
    }
    EXPECT_EQ(execute_in_turn(b.program, inputs), expected);
    EXPECT_EQ(execute(b.program, inputs[2])[0], interpret(graph, inputs[2])[3]);
  }
}

TEST(States, MustBeFoundAgain) {
  const Graph graph = read_after_it_was_made();
  const Program right = built(graph, "original").program;
  const auto fault_of = [&](const auto& change) {
    Program program = right;
    change(program);
    return verify(graph, program).fault;
  };
  const auto address = [](Program& p, const ProgramPort& port) -> int64_t& {
    return p.buffers[port.buffer.index()].address;
  };
  EXPECT_EQ(fault_of([](Program&) {}), "");
  EXPECT_NE(fault_of([&](Program& p) {
              p.memories[kArena.index()].size_bytes += 4;
              address(p, p.states[0].after) = p.arena_bytes() - 4;
            }).find("is not where the next inference has it"),
            std::string::npos);
  EXPECT_NE(fault_of([](Program& p) { p.states.clear(); }).find("not those of the network"),
            std::string::npos);
  EXPECT_NE(fault_of([&](Program& p) {  // the caller's input lies over it
              address(p, p.inputs[0]) = address(p, p.states[0].before);
            })
                .find("at the start"),
            std::string::npos);
  EXPECT_NE(fault_of([&](Program& p) {  // the output does
              address(p, p.outputs[0]) = address(p, p.states[0].before);
            })
                .size(),
            0U);
}

TEST(States, AreSavedWithThePlan) {
  const Graph graph = read_after_it_was_made();
  const Built b = built(graph, "reorder");
  const PlacedPlan plan{.planner = "reorder", .schedule = b.schedule, .placement = b.placement};
  const SavedPlan read = plan_from_json(to_json(plan, {}), "plan.json");
  EXPECT_EQ(read.plan.schedule, b.schedule);
  EXPECT_EQ(read.plan.placement.addresses, b.placement.addresses);
}

}  // namespace
}  // namespace thimble
