// SPDX-License-Identifier: Apache-2.0
// Transfers to block storage: what the verifier says of those that are wrong, and values of
// networks that are spilled whole and line by line.
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "tests/support/hand_written.h"
#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/moves/spill.h"
#include "thimble/plan/build.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/placement.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

Program program_of(const testing::HandWritten& hand) {
  return lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));
}

// The transfers of spilled_residual(): 0 erase, 1 its wait, 2 store, 3 its wait, 4 fetch of the
// first row, 5 wait and 6 fetch in the loop, 7 the last wait.
std::vector<TransferCall*> transfers_of(std::vector<ProgramNode>& nodes) {
  std::vector<TransferCall*> result;
  for (ProgramNode& node : nodes) {
    if (auto* transfer = std::get_if<TransferCall>(&node.what)) result.push_back(transfer);
    if (auto* loop = std::get_if<ProgramLoop>(&node.what)) {
      const std::vector<TransferCall*> inner = transfers_of(loop->body);
      result.insert(result.end(), inner.begin(), inner.end());
    }
  }
  return result;
}

// What the verifier says with one thing changed.
std::string fault_with(
    const std::function<void(Program&, const std::vector<TransferCall*>&)>& change,
    int64_t chunk_bytes = 0) {
  const testing::HandWritten hand = testing::spilled_residual(chunk_bytes);
  Program program = program_of(hand);
  // A token for each, so that no change brings another fault with it.
  std::map<Position, TokenId> tokens;
  for_each_step(hand.schedule,
                [&](const Step& step, Position position) { tokens[position] = step.token; });
  program.token_count = hand.schedule.token_count;
  const std::vector<TransferCall*> transfers = transfers_of(program.nodes);
  for (TransferCall* transfer : transfers) transfer->token = tokens.at(transfer->position);
  change(program, transfers);
  return verify(hand.graph, program).fault;
}

// Moves the node that `which` finds to the place before `before`.
void move_node(Program& program, size_t from, size_t before) {
  const ProgramNode node = program.nodes[from];
  program.nodes.erase(program.nodes.begin() + static_cast<std::ptrdiff_t>(from));
  program.nodes.insert(program.nodes.begin() + static_cast<std::ptrdiff_t>(before), node);
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

// Nodes: 0 erase, 1 conv a, 2 wait, 3 store, 4 depthwise b, 5 wait, 6 conv c, 7 fetch, 8 loop, 9
// wait.
TEST(Transfers, VerifierNamesWhatIsWrong) {
  using All = const std::vector<TransferCall*>&;
  EXPECT_EQ(fault_with([](Program&, All) {}), "");
  expect_part(fault_with([](Program& p, All) { p.nodes.pop_back(); }),
              "at the end, token 2 is not waited for");
  expect_part(fault_with([](Program& p, All) { p.nodes.erase(p.nodes.begin() + 5); }),
              "is written while step 3 (write of spare) reads it");
  expect_part(fault_with([](Program& p, All) {
                ProgramNode twice = p.nodes[7];  // to where a was
                auto& fetch = std::get<TransferCall>(twice.what);
                fetch.token = {1};
                fetch.held = {1};
                fetch.rows = 0;
                p.nodes.insert(p.nodes.begin() + 8, twice);
              }),
              "1 are in flight already, which is all that spare takes");
  expect_part(fault_with([](Program& p, All) { move_node(p, 3, 1); }),
              "record 0 is written where nothing was erased");
  expect_part(fault_with([](Program& p, All) { move_node(p, 2, 0); }),
              "nothing was begun with token 0");
  expect_part(fault_with([](Program&, All t) { t[2]->token = {0}; }),
              "nothing was begun with token 1");
  expect_part(fault_with([](Program&, All t) { t[2]->records.interval.end = index(7); }),
              "record 7 is not the one that its tag was made of");
  expect_part(fault_with([](Program&, All t) { t[6]->rows = 1; }),
              "(read of spare) brings it there");
  expect_part(fault_with([](Program&, All t) { t[6]->rows = 3; }), "lies outside of buffer 6");
  expect_part(fault_with([](Program&, All t) { t[4]->records.interval.end = index(3); }),
              "3 records go through a ring of 2");
  expect_part(fault_with([](Program&, All t) { t[6]->stride_bytes = 160; }),
              "the records of a transfer are not those of its buffer");
  expect_part(fault_with([](Program&, All t) { t[6]->tags = {6}; }),
              "record 1 is not the one that its tag was made of");
  expect_part(fault_with([](Program&, All t) { t[6]->held = {2}; }),
              "a transfer needs a buffer and tags in memory that is laid out");
  expect_part(fault_with([](Program&, All t) {
                t[6]->records.interval = {index(0), index(0)};
              }),
              "needs element");
}

// Buffers as above, and 8 and 9: the passages of the store and of the fetch.
TEST(Transfers, VerifierNamesWhatIsWrongWithCompressedRecords) {
  using All = const std::vector<TransferCall*>&;
  const auto fault = [](const std::function<void(Program&, All)>& change) {
    return fault_with(change, 64);
  };
  EXPECT_EQ(fault([](Program&, All) {}), "");
  // The depthwise convolution writes to where chunks are meanwhile.
  expect_part(fault([](Program& p, All) { p.buffers[8].address = p.buffers[4].address; }),
              "is touched while step 3 (write of spare) brings it there");
  expect_part(fault([](Program& p, All) { p.buffers[8].address = p.buffers[1].address; }),
              "its passage lies over its records or their tags");
  expect_part(fault([](Program& p, All) { p.buffers[9].address = p.buffers[3].address - 60; }),
              "its passage lies over its records or their tags");
  expect_part(fault([](Program& p, All) { p.buffers[9].address = p.buffers[6].address + 2; }),
              "a passage is not one for such chunks");
  expect_part(fault([](Program&, All t) { t[2]->chunk_bytes = 48; }),
              "a passage is not one for such chunks");
  expect_part(fault([](Program&, All t) { t[2]->chunk_bytes = 96; }),
              "a passage is not one for such chunks");
  for (const int64_t first : {0, 16, 96}) {
    expect_part(fault([&](Program&, All t) { t[6]->first_bytes = first; }),
                "a passage is not one for such chunks");
  }
  expect_part(fault([](Program&, All t) { t[2]->passage = {2}; }),
              "a passage is in memory that is laid out");
  expect_part(fault([](Program&, All t) { t[3]->passage = {9}; }),
              "its passage is not the one of what was begun");
  expect_part(fault([](Program&, All t) { t[3]->chunk_bytes = 32; }),
              "its passage is not the one of what was begun");
  // Records that are stored as they are, and read as compressed ones.
  expect_part(fault([](Program&, All t) {
                for (TransferCall* transfer : {t[2], t[3]}) {
                  transfer->passage = {};
                  transfer->chunk_bytes = transfer->first_bytes = 0;
                }
              }),
              "record 0 is not the one that its tag was made of");
}

TEST(Transfers, OfOtherFormsAreMalformed) {
  const testing::HandWritten hand = testing::spilled_residual();
  const auto fault = [&](const std::function<void(Schedule&)>& change) {
    Schedule schedule = hand.schedule;
    change(schedule);
    return malformed(hand.graph, schedule);
  };
  const auto step = [](Schedule& s, size_t node) -> Step& {
    return std::get<Step>(s.nodes[node].what);
  };
  EXPECT_EQ(fault([](Schedule&) {}), "");
  expect_part(fault([&](Schedule& s) { step(s, 3).token = {3}; }), "its token is out of range");
  expect_part(fault([&](Schedule& s) { step(s, 3).token = {2}; }), "one of another transfer");
  expect_part(fault([&](Schedule& s) { step(s, 3).scratch = {}; }), "a transfer has no tags");
  expect_part(fault([&](Schedule& s) { s.buffers[3].extents = {7}; }), "tags for 8 records");
  expect_part(fault([&](Schedule& s) { step(s, 3).region[2].end = index(4); }),
              "a transfer moves whole records");
  expect_part(fault([&](Schedule& s) { s.buffers[6].extents[2] = 4; }),
              "a transfer moves whole records");
  expect_part(fault([&](Schedule& s) {
                s.buffers[2].order = {0, 2, 1, 3};
              }),
              "have their axes in another order");
  expect_part(fault([&](Schedule& s) { step(s, 3).transfer = TransferPart::kNone; }),
              "it has a token, but is no transfer");
  expect_part(fault([&](Schedule& s) {
                step(s, 3).transfer = TransferPart::kNone;
                step(s, 3).token = {};
              }),
              "no step reads or writes spare, which is block storage");
  expect_part(fault([&](Schedule& s) { s.memories[4].storage->erase_bytes = 0; }),
              "spare is not erased");
  expect_part(fault([&](Schedule& s) { s.memories[4].storage->write_bytes = 24; }),
              "its granule is no power of two");
  expect_part(fault([&](Schedule& s) { s.memories[4].storage.reset(); }),
              "block storage, and only that");
  expect_part(fault([&](Schedule& s) {
                s.buffers[2].wrap = Wrap{1, 4};
              }),
              "in storage are values, neither in a ring nor moving");
}

TEST(Transfers, CompressedOnesOfOtherFormsAreMalformed) {
  const testing::HandWritten hand = testing::spilled_residual(64);
  const auto fault = [&](const std::function<void(Schedule&)>& change) {
    Schedule schedule = hand.schedule;
    change(schedule);
    return malformed(hand.graph, schedule);
  };
  const auto step = [](Schedule& s, size_t node) -> Step& {
    return std::get<Step>(s.nodes[node].what);
  };
  EXPECT_EQ(fault([](Schedule&) {}), "");
  expect_part(fault([](Schedule& s) { s.buffers[2].chunk_bytes = 48; }),
              "its chunks are not whole granules of a record");
  for (const int64_t chunk : {-32, 160}) {
    expect_part(fault([&](Schedule& s) { s.buffers[2].chunk_bytes = chunk; }),
                "its chunks are not whole granules of a record");
  }
  expect_part(fault([](Schedule& s) { s.buffers[2].chunk_bytes = 32; }),
              "chunks of 32 bytes have a passage");
  expect_part(fault([](Schedule& s) { s.buffers[2].chunk_bytes = 0; }),
              "its records are not compressed");
  expect_part(fault([](Schedule& s) { s.buffers[1].chunk_bytes = 32; }),
              "it has chunks, but is not in storage");
  expect_part(fault([&](Schedule& s) { step(s, 3).passage = {}; }),
              "a transfer of compressed records has no passage");
  expect_part(fault([&](Schedule& s) { step(s, 3).passage = {99}; }),
              "a transfer of compressed records has no passage");
  expect_part(fault([&](Schedule& s) { step(s, 3).passage = {4}; }),
              "chunks of 64 bytes have a passage");
  expect_part(fault([&](Schedule& s) { step(s, 5).passage = {9}; }), "one of another transfer");
  expect_part(fault([&](Schedule& s) { step(s, 0).passage = {8}; }), "an erase has no tags");
  expect_part(fault([&](Schedule& s) { step(s, 4).passage = {8}; }), "but is no transfer");
}

TEST(Transfers, ASavedPlanHasThem) {
  for (const int64_t chunk_bytes : {0, 64}) {
    const testing::HandWritten hand = testing::spilled_residual(chunk_bytes);
    const PlacedPlan plan{.planner = "by hand",
                          .schedule = hand.schedule,
                          .placement = place(hand.graph, hand.schedule, {}),
                          .accumulators = {}};
    const SavedPlan read = plan_from_json(to_json(plan, {}), "test");
    EXPECT_EQ(read.plan.schedule, plan.schedule);
    EXPECT_EQ(read.plan.placement.addresses, plan.placement.addresses);
  }
}

// A granule is all that a record takes, or chunks are whole granules of it.
TEST(Transfers, ChunksAreWholeGranules) {
  const RecordForm form = record_form({.tensor = {0}, .extents = {1, 40, 60, 16}}, 32);
  EXPECT_EQ(first_bytes(960, 1, 256), 4 + 1 + 120);
  EXPECT_EQ(first_bytes(960, 32, 256), 128);
  EXPECT_EQ(first_bytes(960, 32, 64), 64);
  EXPECT_EQ(chunk_bytes(form, 32, 256), 256);
  EXPECT_EQ(chunk_bytes(form, 32, 100), 96);
  EXPECT_EQ(chunk_bytes(form, 32, 1), 32);
  EXPECT_EQ(chunk_bytes(form, 32, 100'000), 960);
  EXPECT_EQ(chunk_bytes(form, 512, 256), 512);
  EXPECT_EQ(chunk_bytes(record_form({.tensor = {0}, .extents = {1, 40, 60, 16}}, 1024), 1024, 256),
            0);
}

TEST(Transfers, RecordsAreRowsUnlessTheseAreShort) {
  Buffer image{.tensor = {0}, .extents = {1, 40, 60, 16}};
  RecordForm form = record_form(image, 32);
  EXPECT_EQ(form.axis, 1);
  EXPECT_EQ(form.count, 40);
  EXPECT_EQ(form.record_bytes, 960);
  image.order = {0, 2, 1, 3};
  form = record_form(image, 32);
  EXPECT_EQ(form.axis, 2);
  EXPECT_EQ(form.record_bytes, 640);
  image = {.tensor = {0}, .extents = {1, 40, 3, 23}};
  form = record_form(image, 32);
  EXPECT_EQ(form.record_bytes, 69);
  EXPECT_EQ(form.stride_bytes, 96);
  EXPECT_EQ(form.stored_bytes(), 40 * 96);
  image = {.tensor = {0}, .extents = {1, 1, 1, 300}};
  form = record_form(image, 32);
  EXPECT_EQ(form.axis, -1);
  EXPECT_EQ(form.count, 1);
  EXPECT_EQ(form.stored_bytes(), 320);
}

/// x -> conv a -> depthwise b, stride 2 -> conv c -> resize d; concat(a, d) -> conv y
struct SmallUnet {
  testing::TestGraph g{3};
  TensorId a, d, joined, y;
  SmallUnet() {
    a = g.conv(g.input({1, 16, 12, 3}), 8, 3, 1);
    const TensorId c = g.conv(g.depthwise(a, 3, 2), 8, 1, 1);
    d = g.resize(c, ResizeNearestNeighbor{}, 16, 12);
    g.graph().tensors[d.index()].quantization = g.graph().tensor(a).quantization;
    joined = g.concat(a, d);
    y = g.conv(joined, 8, 3, 1);
    g.output(y);
  }
  /// a lies in storage until it is concatenated; without members.
  [[nodiscard]] Plan spilled(int64_t chunk_bytes = 0) const {
    return {.instances = spill(instances_of(g.graph(), {}),
                               {{.value = {a.value},
                                 .fetched_for = {{{4}}},
                                 .axis_order = {},
                                 .chunk_bytes = chunk_bytes}},
                               kFirstFurtherMemory),
            .members = {},
            .overlaps = {},
            .accumulators = {}};
  }
};

Member call(int instance) { return {InstanceCall{.instance = {instance}}}; }

std::vector<ScheduleMemory> with_storage(const BlockStorage& storage) {
  std::vector<ScheduleMemory> memories = common_memories();
  memories.push_back(
      {.name = "spare", .kind = MemoryKind::kBlockStorage, .alignment = 32, .storage = storage});
  return memories;
}

void expect_right(const Graph& graph, const Plan& plan, int64_t peak_bytes) {
  const AxisGraph axes(graph);
  const Dataflow flow(axes, plan.instances);
  const Schedule schedule = build(flow, plan);
  ASSERT_EQ(malformed(graph, schedule), "");
  const Placement placement = place(graph, schedule, {});
  EXPECT_EQ(evaluate(flow, plan).peak_bytes, peak_bytes);
  EXPECT_EQ(placement.arena().peak_bytes, peak_bytes);
  const Program program = lower(graph, schedule, placement);
  ASSERT_EQ(verify(graph, program).fault, "");
  const std::vector<Bytes> inputs = testing::noise(graph, 1);
  EXPECT_EQ(execute(program, inputs), testing::expected_outputs(graph, inputs));
}

// 0 conv a, 1 depthwise, 2 store, 3 conv, 4 resize, 5 fetch, 6 concat, 7 conv y.
TEST(Transfers, ASpilledTensorIsNotThereInBetween) {
  const SmallUnet net;
  const Graph& graph = net.g.graph();
  Plan plan = net.spilled();
  for (int k = 0; k < 8; ++k) plan.members.push_back(call(k));
  // Concatenation: both of its inputs and twice their size. What was fetched has no tags any more.
  const int64_t map = 16 * 12 * 8, peak = 4 * map;
  for (const BlockStorage& storage :
       {BlockStorage{}, BlockStorage{.write_bytes = 32, .erase_bytes = 4096},
        BlockStorage{.write_bytes = 64, .erase_bytes = 128}}) {
    plan.memories = with_storage(storage);
    expect_right(graph, plan, peak);
  }
}

// Rows of 96 B. What they pass through is there only as long as nothing else but a and d is.
TEST(Transfers, ACompressedTensorTakesAPassageMeanwhile) {
  const SmallUnet net;
  const Graph& graph = net.g.graph();
  for (const auto& [storage, chunk_bytes] :
       {std::pair{BlockStorage{}, 1},
        {BlockStorage{}, 50},
        {BlockStorage{.write_bytes = 32, .erase_bytes = 4096, .most_in_flight = 2}, 64},
        {BlockStorage{.write_bytes = 32}, 96}}) {
    Plan plan = net.spilled(chunk_bytes);
    for (int k = 0; k < 8; ++k) plan.members.push_back(call(k));
    plan.memories = with_storage(storage);
    expect_right(graph, plan, 4 * 16 * 12 * 8);
    const AxisGraph axes(graph);
    const Dataflow flow(axes, plan.instances);
    EXPECT_EQ(flow.scratch_bytes({.instance = {2}}), passage_bytes(chunk_bytes));
    EXPECT_EQ(flow.scratch_bytes({.instance = {5}}), passage_bytes(chunk_bytes));
    EXPECT_EQ(flow.scratch_bytes({.instance = {6}}), 0);
  }
}

// Zeros all of them: an eighth of what there is, and a header and a value for each row.
TEST(Transfers, MovedBytesAreCounted) {
  testing::TestGraph g(3);
  const TensorId x = g.input({1, 16, 12, 8});
  g.output(g.add(x, g.depthwise(x, 3, 1)));
  const Graph& graph = g.graph();
  for (const int64_t chunk_bytes : {0, 32}) {
    Plan plan{.instances = spill(instances_of(graph, {}),
                                 {{.value = {x.value},
                                   .fetched_for = {{{1}}},
                                   .axis_order = {},
                                   .chunk_bytes = chunk_bytes}},
                                 kFirstFurtherMemory),
              .members = {},
              .overlaps = {},
              .accumulators = {}};
    for (int k = 0; k < 4; ++k) plan.members.push_back(call(k));
    plan.memories = with_storage({.write_bytes = 32});
    const Schedule schedule = build(graph, plan);
    const Program program = lower(graph, schedule, place(graph, schedule, {}));
    ASSERT_EQ(verify(graph, program).fault, "");
    const MovedBytes all{16 * 96, 16 * 96};
    EXPECT_EQ(most_moved(program), all);
    MovedBytes moved;
    const std::vector<Bytes> zeros{Bytes(16 * 96)};
    EXPECT_EQ(execute_in_turn(program, {zeros, zeros}, &moved).size(), 2);
    // What is read at first is a chunk, of which a record has 17 B.
    EXPECT_EQ(moved, chunk_bytes == 0 ? (MovedBytes{2 * all.written, 2 * all.read})
                                      : (MovedBytes{2 * 16 * 17, 2 * 16 * 32}));
  }
}

// Stored a row at a time as it is made, fetched a row at a time as it is read: neither is ever
// whole.
TEST(Transfers, ATensorStreamsToStorageAndBack) {
  for (const int64_t chunk_bytes : {0, 32, 96}) {
    const SmallUnet net;
    const Graph& graph = net.g.graph();
    Plan plan = net.spilled(chunk_bytes);
    const Instances& all = plan.instances;
    plan.memories = with_storage({.write_bytes = 32, .erase_bytes = 4096});
    const auto group = [&](int first, int end) {
      Group result;
      for (int k = first; k < end; ++k) result.members.push_back(call(k));
      result.loop = {.paced = all.list[static_cast<size_t>(end - 1)].makes,
                     .axis = 1,
                     .step = 1,
                     .border = Border::kRoll,
                     .others = {},
                     .alongside = {}};
      return Member{result};
    };
    Member encoder = group(0, 3), decoder = group(4, 8);
    std::get<Group>(encoder.what).loop.paced = all.list[1].makes;
    plan.members = {encoder, call(3), decoder};
    const AxisGraph axes(graph);
    const Dataflow flow(axes, plan.instances);
    ASSERT_TRUE(derive(flow, std::get<Group>(encoder.what)).has_value());
    ASSERT_TRUE(derive(flow, std::get<Group>(decoder.what)).has_value());
    const Schedule schedule = build(flow, plan);
    for (const Buffer& buffer : schedule.buffers) {
      if (buffer.tensor == net.a && buffer.memory == kArena) {
        EXPECT_TRUE(buffer.wrap.has_value());
      }
    }
    expect_right(graph, plan, evaluate(flow, plan).peak_bytes);
  }
}

}  // namespace
}  // namespace thimble
