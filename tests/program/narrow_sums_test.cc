// SPDX-License-Identifier: Apache-2.0
// Sums of 16 and 8 bits are right only chunk by chunk, as the graph says: whatever else a program
// does is caught.
#include <gtest/gtest.h>

#include "tests/program/mutants.h"
#include "tests/support/hand_written.h"
#include "thimble/planners/registry.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"

namespace thimble {
namespace {

/// Pex's Figure 1, one channel at a time, with sums of 8 bits.
struct Narrow {
  testing::HandWritten hand = testing::channel_loop(DType::kInt8);
  Program program = lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));

  ProgramLoop& loop() { return std::get<ProgramLoop>(program.nodes.at(0).what); }
  Call& project() { return std::get<Call>(loop().body.at(2).what); }
  Accumulator& accumulator() { return hand.graph.accumulators.at(0); }
  [[nodiscard]] std::string fault() const { return verify(hand.graph, program).fault; }
};

void expect_fault(const Narrow& narrow, const std::string& text) {
  const std::string fault = narrow.fault();
  EXPECT_NE(fault.find(text), std::string::npos) << "wanted: " << text << "\ngot: " << fault;
}

TEST(NarrowSums, AreRightAsTheGraphHasThem) { EXPECT_EQ(Narrow().fault(), ""); }

TEST(NarrowSums, InOtherChunksAreCaught) {
  Narrow narrow;
  narrow.accumulator().chunk = 2;
  expect_fault(narrow, "adds channels 0 to 0 in one go, which is no chunk of 2");
}

TEST(NarrowSums, InLargerChunksAreCaught) {
  Narrow narrow;
  narrow.project().chunk->interval.end.base += 1;
  expect_fault(narrow, "adds channels 0 to 1 in one go, which is no chunk of 1");
}

TEST(NarrowSums, BackwardsAreCaught) {
  Narrow narrow;
  const LoopId loop = narrow.loop().id;
  narrow.project().chunk->interval = {index(loop, -1, 143), index(loop, -1, 144)};
  expect_fault(narrow, "needs element");  // the slice holds channel i0
}

TEST(NarrowSums, WithAChunkLeftOutAreCaught) {
  Narrow narrow;
  narrow.loop().count = 143;
  expect_fault(narrow, "needs accumulator of element");
}

TEST(NarrowSums, StartedTwiceAreCaught) {
  Narrow narrow;
  const ProgramNode first = narrow.loop().body.at(2);
  narrow.loop().body.push_back(first);
  expect_fault(narrow, "a second time");
}

TEST(NarrowSums, OfAnotherWidthAreCaught) {
  Narrow narrow;
  narrow.accumulator().type = DType::kInt16;
  expect_fault(narrow, "not the kernel or the operands that do its operator");
  narrow.project().kernel = kernel_named("conv_2d_accumulate_i16");  // in buffers of 8 bits
  expect_fault(narrow, "takes tensor");
}

TEST(NarrowSums, WhereTheGraphHasExactOnesAreCaught) {
  Narrow narrow;
  narrow.hand.graph.accumulators.clear();
  expect_fault(narrow, "not the kernel or the operands that do its operator");
}

TEST(NarrowSums, AreNotWhatWholeOperatorsCompute) {
  const testing::HandWritten hand = testing::channel_loop(DType::kInt8);
  const Graph exact = with_accumulators(hand.graph, {});
  const PlannerChoice choice = choose_planner("original");
  const Schedule schedule = std::get<Planned>(choice.planner->plan(exact, {}, {})).schedule();
  const std::string no_kernel = "no kernel executes its operator that way";
  EXPECT_NE(malformed(hand.graph, schedule).find(no_kernel), std::string::npos);
  const Program program = lower(exact, schedule, place(exact, schedule, {}));
  EXPECT_NE(verify(hand.graph, program).fault.find(no_kernel), std::string::npos);
}

TEST(NarrowSums, MutantsAreCaught) {
  for (const DType type : {DType::kInt16, DType::kInt8}) {
    const testing::HandWritten hand = testing::channel_loop(type);
    const testing::MutantCount count =
        testing::count_mutants(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}), 1);
    for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
    EXPECT_GT(count.caught, 50);
  }
}

TEST(NarrowSums, BuffersOfSumsAreNotMistakenForValues) {
  const testing::HandWritten hand = testing::channel_loop(DType::kInt8);
  const auto faulty = [&](const auto& change) {
    Schedule schedule = hand.schedule;
    change(schedule);
    return malformed(hand.graph, schedule);
  };
  const auto step = [](Schedule& s, size_t k) -> Step& { return std::get<Step>(s.nodes[k].what); };
  EXPECT_EQ(faulty([](Schedule& s) { s.buffers[3].sums = false; }),
            "step 2: accumulating steps, and only they, write sums");
  EXPECT_EQ(faulty([](Schedule& s) { s.buffers[3].type = DType::kInt16; }),
            "buffer 3: its type is not that of its tensor's values or sums");
  EXPECT_EQ(faulty([&](Schedule& s) { step(s, 1).in[0] = BufferId{4}; }),
            "step 3: finalising reads the accumulators of its output");
  EXPECT_EQ(faulty([&](Schedule& s) { step(s, 2).in[1] = BufferId{3}; }),
            "step 4: an input's buffer holds another tensor");
  EXPECT_EQ(faulty([&](Schedule& s) {
              step(s, 1) = {.region = step(s, 1).region, .in = {BufferId{3}}, .out = BufferId{4}};
            }),
            "step 3: a copy goes from one buffer of a tensor's values to another");
}

TEST(NarrowSums, OfNothingThatHasThemAreRefused) {
  const Graph good = testing::channel_loop(DType::kInt8).graph;
  const auto fault = [&](const auto& change) {
    Graph graph = good;
    change(graph.accumulators[0]);
    return accumulator_fault(graph);
  };
  EXPECT_EQ(accumulator_fault(good), "");
  EXPECT_EQ(fault([](Accumulator& a) { a.tensor = TensorId{99}; }),
            "an accumulator's tensor does not exist");
  EXPECT_EQ(fault([&](Accumulator& a) { a.tensor = good.outputs[0].tensor; }),
            "an accumulator is not for the int8 output of a convolution or fully connected layer");
  EXPECT_EQ(fault([](Accumulator& a) { a.type = DType::kInt32; }),
            "an accumulator is neither int16 nor int8");
  EXPECT_EQ(fault([](Accumulator& a) { a.zero_point = 128; }),
            "an accumulator's zero point is beyond its type");
  EXPECT_EQ(fault([](Accumulator& a) { a.scale = 0; }), "an accumulator's scale is not positive");
  EXPECT_EQ(fault([](Accumulator& a) { a.scale = 1e6F; }),
            "an accumulator's scale is too large for its tensor's");
  EXPECT_EQ(fault([](Accumulator& a) { a.chunk = 145; }),
            "an accumulator's chunk is not between 1 and the channels of the operator's input");
  Graph twice = good;
  twice.accumulators.push_back(good.accumulators[0]);
  EXPECT_EQ(accumulator_fault(twice), "a tensor has two accumulators");
}

}  // namespace
}  // namespace thimble
