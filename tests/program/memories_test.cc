// SPDX-License-Identifier: Apache-2.0
// Schedules over several memories: placed per memory, verified, executed, saved (docs/memories.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/program/mutants.h"
#include "tests/support/hand_written.h"
#include "tests/support/test_graph.h"
#include "thimble/import/tensor_file.h"
#include "thimble/model/error.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/registry.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/trace.h"
#include "thimble/program/verify.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

constexpr size_t kA = 2, kB = 3, kC = 4;

Program program_of(const testing::HandWritten& hand) {
  return lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));
}

// What the verifier says of several_memories() with one thing changed.
std::string fault_of(const std::function<void(Program&)>& change) {
  const testing::HandWritten hand = testing::several_memories();
  Program program = program_of(hand);
  change(program);
  return verify(hand.graph, program).fault;
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(Memories, HaveALayoutEach) {
  const testing::HandWritten hand = testing::several_memories();
  ASSERT_EQ(malformed(hand.graph, hand.schedule), "");
  const Placement placement = place(hand.graph, hand.schedule, {});
  EXPECT_EQ(placement.addresses, (std::vector<int64_t>(6, 0)));
  for (const MemoryId id : {kArena, testing::kSram2, testing::kPsram}) {
    EXPECT_EQ(placement.memory(id).peak_bytes, 1'024);
    EXPECT_EQ(placement.memory(id).size_bytes, 1'024);
    EXPECT_TRUE(placement.memory(id).proven_optimal);
  }
  EXPECT_EQ(placement.in_use(), (std::vector<MemoryId>{kArena, testing::kSram2, testing::kPsram}));
  EXPECT_EQ(live_bytes(hand.graph, hand.schedule), (std::vector<int64_t>{96, 96, 1024, 1024, 0}));
  EXPECT_EQ(live_bytes(hand.graph, hand.schedule, testing::kSram2),
            (std::vector<int64_t>{0, 0, 0, 1024, 1024}));
}

TEST(Memories, GiveTheReferencesOutputs) {
  const testing::HandWritten hand = testing::several_memories();
  const Program program = program_of(hand);
  EXPECT_EQ(verify(hand.graph, program).fault, "");
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const std::vector<Bytes> inputs{random_bytes(DType::kInt8, 256, seed)};
    const Bytes expected = interpret(hand.graph, inputs)[hand.graph.outputs[0].tensor.index()];
    EXPECT_EQ(execute(program, inputs)[0], expected) << "seed " << seed;
  }
}

TEST(Memories, CapacityIsLookedAtApart) {
  testing::HandWritten hand = testing::several_memories();
  Placement placement = place(hand.graph, hand.schedule, {});
  EXPECT_EQ(beyond_capacity(hand.schedule, placement), std::nullopt);
  hand.schedule.memories[testing::kSram2.index()].capacity_bytes = 1'023;
  placement = place(hand.graph, hand.schedule, {});
  EXPECT_EQ(beyond_capacity(hand.schedule, placement), testing::kSram2);
  expect_part(verify(hand.graph, lower(hand.graph, hand.schedule, placement)).fault,
              "sram2 has 1023 bytes, but 1024 are needed there");
}

TEST(Memories, ShareBytesWithinOneOnly) {
  testing::HandWritten hand = testing::residual_in_halves(false);
  const auto peak = [&] { return place(hand.graph, hand.schedule, {}).arena_bytes(); };
  Schedule& schedule = hand.schedule;
  schedule.memories.push_back({.name = "psram", .kind = MemoryKind::kExternalRam});
  schedule.shares = {{{4}, {0}}};  // s over x
  const int64_t shared = peak();
  schedule.buffers[0].memory = kFirstFurtherMemory;
  EXPECT_EQ(malformed(hand.graph, schedule), "");
  EXPECT_EQ(verify(hand.graph, program_of(hand)).fault, "");
  EXPECT_EQ(place(hand.graph, schedule, {}).memory(kFirstFurtherMemory).size_bytes, 512);
  EXPECT_LE(peak(), shared);
}

TEST(Memories, FlashHoldsTheConstantsAlignedOneBehindTheOther) {
  const Program program = program_of(testing::several_memories());
  int64_t end = 0;
  for (const ProgramConstant& constant : program.constants) {
    const PlacedBuffer& buffer = program.buffer(constant.buffer);
    EXPECT_EQ(buffer.memory, kFlash);
    EXPECT_EQ(program.constant(buffer.id), &constant);
    EXPECT_EQ(buffer.address % size_bytes(constant.content.type), 0);
    EXPECT_GE(buffer.address, end);
    end = buffer.address + buffer.size_bytes;
  }
  EXPECT_EQ(program.memory(kFlash).size_bytes, end);
  EXPECT_LE(constant_bytes(program), end);
  EXPECT_GT(constant_bytes(program), 16 * 36);
}

TEST(Memories, OperatorsWithTheSameWeightsShareThem) {
  constexpr int64_t kChannels = 16;
  testing::TestGraph net(1);
  net.output(net.linear(net.linear(net.input({1, kChannels}), kChannels), kChannels));
  const auto lowered = [](const Graph& graph) {
    const PlannerChoice choice = choose_planner("original");
    const auto planned = std::get<Planned>(choice.planner->plan(graph, {}, {}));
    return lower(graph, planned.schedule(), place(graph, planned.schedule(), {}));
  };
  const int64_t apart = constant_bytes(lowered(net.graph()));
  Graph shared = net.graph();
  shared.ops[1].inputs[1] = shared.ops[0].inputs[1];
  const Program program = lowered(shared);
  EXPECT_GE(apart - constant_bytes(program), kChannels * kChannels);
  EXPECT_EQ(verify(shared, program).fault, "");
  const Bytes x(kChannels, 100);
  EXPECT_EQ(execute(program, {x})[0], interpret(shared, {x})[shared.outputs[0].tensor.index()]);
}

TEST(Memories, EqualConstantsAreThereOnceWhateverTheirSizeAndOwner) {
  testing::TestGraph net(1);
  net.output(net.linear(net.linear(net.input({1, 4}), 4), 4));
  Graph graph = net.graph();
  // A bias of its own in each layer, but equal: 16 bytes.
  Tensor& first = graph.tensors[graph.ops[0].inputs[2].index()];
  Tensor& second = graph.tensors[graph.ops[1].inputs[2].index()];
  Bytes bias(16, 0);
  bias[0] = 7;
  first.data = std::make_shared<const Bytes>(bias);
  second.data = std::make_shared<const Bytes>(bias);
  for (Tensor* layer : {&first, &second})
    graph.tensors[graph.ops[layer == &first ? 0 : 1].inputs[1].index()].data =
        std::make_shared<const Bytes>(Bytes(16, 3));
  const PlannerChoice choice = choose_planner("original");
  const auto planned = std::get<Planned>(choice.planner->plan(graph, {}, {}));
  const Program program = lower(graph, planned.schedule(), place(graph, planned.schedule(), {}));
  std::set<std::pair<DType, Bytes>> contents;
  for (const ProgramConstant& constant : program.constants)
    EXPECT_TRUE(contents.emplace(constant.content.type, constant.content.data.bytes()).second)
        << constant.name;
  EXPECT_TRUE(std::ranges::any_of(program.constants, [](const ProgramConstant& constant) {
    return constant.name == "shared_weights";
  }));
  EXPECT_EQ(verify(graph, program).fault, "");
}

TEST(Memories, VerifierRefusesWritesToFlash) {
  expect_part(fault_of([](Program& p) {
                std::get<Call>(p.nodes[1].what).out.buffer = p.constants[0].buffer;
              }),
              "step 2 (DEPTHWISE_CONV_2D #1): writes a constant");
  expect_part(fault_of([](Program& p) { p.buffers[kB].memory = kFlash; }),
              "buffer 3 is no packed constant in flash");
  expect_part(fault_of([](Program& p) {
                p.buffers[p.constants[1].buffer.index()].address = p.address(p.constants[0].buffer);
              }),
              "in flash");
}

TEST(Memories, VerifierRefusesBytesBeyondABank) {
  expect_part(fault_of([](Program& p) { ++p.buffers[kC].address; }),
              "buffer 4 lies outside the sram2");
  expect_part(fault_of([](Program& p) { p.buffers[kA].address = -1; }),
              "buffer 2 lies outside the psram");
  expect_part(fault_of([](Program& p) { p.buffers[kA].memory = {17}; }),
              "buffer 2 lies in a memory that does not exist");
}

TEST(Memories, VerifierRefusesABufferInAnothersBytes) {
  expect_part(fault_of([](Program& p) { p.buffers[kC].memory = kArena; }), "needs element");
  expect_part(fault_of([](Program& p) { p.buffers[kC].memory = testing::kPsram; }),
              "needs element");
  EXPECT_EQ(fault_of([](Program& p) { p.buffers[kB].memory = testing::kSram2; }).empty(), false);
}

TEST(Memories, VerifierRefusesAStreamReadTwice) {
  expect_part(fault_of([](Program& p) {
                std::vector<ProgramNode>& body = std::get<ProgramLoop>(p.nodes[0].what).body;
                body.insert(body.begin(), body.front());
              }),
              "receives rows from 0 on, but 1 is next");
}

TEST(Memories, NoKernelReachesBlockStorage) {
  expect_part(fault_of([](Program& p) {
                ProgramMemory& memory = p.memories[testing::kPsram.index()];
                memory.kind = MemoryKind::kBlockStorage;
                memory.storage = BlockStorage{};
              }),
              "no kernel reaches psram");
}

// The spilled copy that a later planner will want: it has bytes and an address, and nobody touches
// it.
TEST(Memories, BlockStorageIsLaidOut) {
  testing::HandWritten hand = testing::several_memories();
  hand.schedule.memories.push_back({.name = "sd",
                                    .kind = MemoryKind::kBlockStorage,
                                    .capacity_bytes = 1 << 20,
                                    .storage = BlockStorage{}});
  for (int k = 0; k < 2; ++k) {
    hand.schedule.buffers.push_back(hand.schedule.buffers[kA]);
    hand.schedule.buffers.back().memory = {6};
  }
  ASSERT_EQ(malformed(hand.graph, hand.schedule), "");
  const Placement placement = place(hand.graph, hand.schedule, {});
  EXPECT_EQ(placement.memory({6}).size_bytes, 2'048);
  EXPECT_EQ(verify(hand.graph, lower(hand.graph, hand.schedule, placement)).fault, "");
}

TEST(Memories, EveryMutantIsCaughtOrHarmless) {
  const testing::HandWritten hand = testing::several_memories();
  const testing::MutantCount count =
      testing::count_mutants(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}), 1);
  EXPECT_GT(count.caught, 250);
  for (const std::string& missed : count.missed) ADD_FAILURE() << "not caught: " << missed;
}

TEST(Memories, TurnAnImageInPlaceOnlyWithinOne) {
  testing::HandWritten hand = testing::turned_input();
  hand.schedule.memories.push_back({.name = "psram", .kind = MemoryKind::kExternalRam});
  hand.schedule.buffers[0].memory = kFirstFurtherMemory;
  const Program program = program_of(hand);
  EXPECT_EQ(std::get<Call>(program.nodes[0].what).kernel, copy_kernel(DType::kInt8));
  EXPECT_EQ(verify(hand.graph, program).fault, "");
}

TEST(Memories, HaveNamesInTraces) {
  const testing::HandWritten hand = testing::several_memories();
  std::string text;
  trace(hand.graph, program_of(hand), [&](const std::string& line) { text += line + "\n"; });
  for (const char* part : {"receive row 1 at arena+32, 32 bytes", "psram+0", "sram2+0", "output+0"})
    expect_part(text, part);
}

PlacedPlan plan_over_memories(const testing::HandWritten& hand) {
  return {.planner = "by hand",
          .schedule = hand.schedule,
          .placement = place(hand.graph, hand.schedule, {})};
}

TEST(Memories, AreSavedWithTheirSizes) {
  const PlacedPlan plan = plan_over_memories(testing::several_memories());
  const PlacedPlan back = plan_from_json(to_json(plan, {}), "p.json").plan;
  EXPECT_EQ(back.schedule, plan.schedule);
  ASSERT_EQ(back.placement.memories.size(), plan.placement.memories.size());
  for (const MemoryId id : plan.placement.in_use()) {
    EXPECT_EQ(back.placement.memory(id).size_bytes, plan.placement.memory(id).size_bytes);
    EXPECT_EQ(back.placement.memory(id).peak_bytes, plan.placement.memory(id).peak_bytes);
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(Memories, OfPlansSavedBeforeThemAreThePlacesOfPorts) {
  const testing::HandWritten hand = testing::row_stream();
  std::string text =
      replaced(to_json(plan_over_memories(hand), {}), "\"thimble_plan\": 5", "\"thimble_plan\": 2");
  for (size_t at; (at = text.find("\"memory\": \"stream\"")) != std::string::npos;)
    text.replace(at, 18, "\"place\": \"streamed\"");
  EXPECT_EQ(plan_from_json(text, "p.json").plan.schedule, hand.schedule);
}

TEST(Memories, ThatAPlanDoesNotHaveAreRefused) {
  const std::string good = to_json(plan_over_memories(testing::several_memories()), {});
  const auto refusal = [&](const std::string& what, const std::string& by) {
    try {
      (void)plan_from_json(replaced(good, what, by), "p.json");
    } catch (const CompileError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  expect_part(refusal("\"memory\": \"psram\"", "\"memory\": \"sdram\""), "unknown memory 'sdram'");
  expect_part(refusal("\"external_ram\"", "\"caller\""), "unknown kind of memory 'caller'");
  expect_part(refusal("\"capacity_bytes\": 1024", "\"capacity_bytes\": 1.5"), "whole number");
}

}  // namespace
}  // namespace thimble
