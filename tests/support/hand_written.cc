// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hand_written.h"

#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/model/error.h"
#include "thimble/schedule/gather.h"
#include "thimble/schedule/records.h"

namespace thimble::testing {
namespace {

constexpr OpId kExpand{0}, kDepthwise{1}, kProject{2}, kResidual{3};

}  // namespace

// Pex prints 52,728 -> 8,450 B, with accumulators of 8 bits: 13 x 13 x (24 + 1 + 1 + 24). With 32
// bits:
//   x 4,056 + slice of e 169 + slice of d 169 + accumulators 4 x 4,056 = 20,618 B.
// y takes the bytes of its accumulators, z those of y: no other step needs more.
HandWritten channel_loop(DType sums) {
  TestGraph g(1);
  const TensorId x = g.input({1, 13, 13, 24});
  const TensorId e = g.conv(x, 144, 1, 1);
  const TensorId d = g.depthwise(e, 3, 1);
  const TensorId y = g.conv(d, 24, 1, 1);
  const TensorId z = g.add(x, y);
  g.output(z);
  if (sums != DType::kInt32) {
    const float scale = sums == DType::kInt8 ? 0.3F : 0.002F;
    g.graph().accumulators = {{.tensor = y, .type = sums, .scale = scale, .zero_point = 3}};
  }
  const Graph& graph = g.graph();

  constexpr LoopId kChannel{0};
  const IntervalExpr channel{index(kChannel, 1), index(kChannel, 1, 1)};
  constexpr BufferId kX{0}, kE{1}, kD{2}, kA{3}, kY{4}, kZ{5};
  auto slice = [&](TensorId t) {
    Buffer buffer = whole_buffer(graph, t);
    buffer.extents[3] = 1;
    buffer.origin[3] = channel.begin;
    return buffer;
  };
  Buffer accumulators = whole_buffer(graph, y);
  accumulators.type = sums;
  accumulators.sums = true;

  const Shape wide = graph.tensor(e).shape, narrow = graph.tensor(y).shape;
  const Step expand{
      .op = kExpand, .region = along(wide, 3, channel), .in = {kX, {}, {}}, .out = kE};
  const Step depthwise{
      .op = kDepthwise, .region = along(wide, 3, channel), .in = {kE, {}, {}}, .out = kD};
  const Step project{.op = kProject,
                     .method = Method::kAccumulate,
                     .region = region_expr(whole(narrow)),
                     .chunk = channel,
                     .in = {kD, {}, {}},
                     .out = kA};
  const Step finalise{.op = kProject,
                      .method = Method::kFinalise,
                      .region = region_expr(whole(narrow)),
                      .in = {kA},
                      .out = kY};
  const Step residual{
      .op = kResidual, .region = region_expr(whole(narrow)), .in = {kX, kY}, .out = kZ};

  Schedule schedule;
  schedule.buffers = {
      whole_buffer(graph, x), slice(e), slice(d), accumulators, whole_buffer(graph, y),
      whole_buffer(graph, z)};
  schedule.loop_count = 1;
  schedule.nodes = {
      {Loop{kChannel, 144, {{expand}, {depthwise}, {project}}}}, {finalise}, {residual}};
  schedule.inputs = {kX};
  schedule.outputs = {kZ};
  schedule.shares = {{kY, kA}, {kZ, kY}};
  return {graph, schedule, 4'056 + 169 + 169 + size_bytes(sums) * 4'056};
}

// x [1,24,24,8] -> conv 3x3/2 -> t [1,12,12,16] -> depthwise 3x3 -> u; t + u -> y. While row i of y
// is written, conv has gone on to row i + 1 of t and needs x from row 2 i + 4 on: y, whose rows are
// as long as those of x, never catches up and lies in x's bytes. The rings: t rows i-1..i+1, u row
// i.
//   x 24 x 192 = 4,608 + t 3 x 192 = 576 + u 192 = 5,376 B.
HandWritten row_span() {
  TestGraph g(2);
  const TensorId x = g.input({1, 24, 24, 8});
  const TensorId t = g.conv(x, 16, 3, 2);
  const TensorId u = g.depthwise(t, 3, 1);
  const TensorId y = g.add(t, u);
  g.output(y);
  const Graph& graph = g.graph();

  constexpr LoopId kTick{0};
  constexpr BufferId kX{0}, kT{1}, kU{2}, kY{3};
  const std::optional<Clock> clock = rolled(graph, {0, 1, 2}, kStreamAxis);
  check(clock.has_value(), "rows do not split these operators");
  const auto ring = [&](TensorId made, size_t call) {
    Buffer buffer = whole_buffer(graph, made);
    buffer.extents[kStreamAxis] = clock->calls[call].held;
    buffer.wrap = Wrap{kStreamAxis, clock->calls[call].held};
    return buffer;
  };
  const auto step = [&](int op, std::vector<Operand> in, BufferId out) {
    const Beat& beat = clock->calls[static_cast<size_t>(op)].beat;
    return Step{.op = {op},
                .region = along(graph.tensor(y).shape, kStreamAxis, beat.interval(kTick)),
                .in = std::move(in),
                .out = out};
  };
  Schedule schedule;
  schedule.buffers = {whole_buffer(graph, x), ring(t, 0), ring(u, 1), whole_buffer(graph, y)};
  schedule.loop_count = 1;
  schedule.nodes = {
      {Loop{kTick,
            clock->tiles,
            {{step(0, {kX, {}, {}}, kT)}, {step(1, {kT, {}, {}}, kU)}, {step(2, {kT, kU}, kY)}}}}};
  schedule.inputs = {kX};
  schedule.outputs = {kY};
  schedule.shares = {{kY, kX}};
  return {graph, schedule, 4'608 + 576 + 192};
}

// row_span() with rows of x that come from the caller and rows of y that go there: the clock is
// that of x, two ticks for a row of t. All rows have 192 B. Rings: x rows 2 i .. 2 i + 2, t rows
// i - 1 .. i + 1, u and y row i: 8 x 192 = 1,536 B.
HandWritten row_stream() {
  HandWritten hand = row_span();
  const Graph& graph = hand.graph;
  Schedule& schedule = hand.schedule;
  constexpr LoopId kTick{0};
  constexpr BufferId kX{0}, kY{3}, kReceived{4}, kDelivered{5};
  const TensorId x = graph.inputs[0].tensor, y = graph.outputs[0].tensor;
  const PortPlaces ports{.input = Place::kStreamed, .output = Place::kStreamed};
  const std::optional<Clock> clock = rolled(graph, {0, 1, 2, 3, 4}, kStreamAxis, ports);
  check(clock.has_value(), "rows do not split these operators");
  Loop& loop = std::get<Loop>(schedule.nodes[0].what);
  loop.count = clock->tiles;
  loop.body.insert(loop.body.begin(), Node{Step{.in = {kReceived}, .out = kX}});
  loop.body.push_back({Step{.in = {kY}, .out = kDelivered}});
  for (const TensorId t : {x, y}) {
    schedule.buffers.push_back(whole_buffer(graph, t));
    schedule.buffers.back().memory = kStream;
  }
  for (size_t c = 0; c < clock->calls.size(); ++c) {
    const TiledCall& call = clock->calls[c];
    Step& step = std::get<Step>(loop.body[c].what);
    Buffer& made = schedule.buffers[step.out.index()];
    step.region = along(graph.tensor(made.tensor).shape, kStreamAxis, call.beat.interval(kTick));
    if (made.memory == kStream) continue;
    made.extents[kStreamAxis] = call.held;
    made.wrap = Wrap{kStreamAxis, call.held};
  }
  schedule.inputs = {kReceived};
  schedule.outputs = {kDelivered};
  schedule.shares.clear();
  hand.peak_bytes = 8 * 192;
  return hand;
}

// And from and into whole tensors in memory of the caller's: t 576 + u 192 B.
HandWritten row_span_of_user() {
  HandWritten hand = row_span();
  for (const BufferId id : {hand.schedule.inputs[0], hand.schedule.outputs[0]})
    hand.schedule.buffers[id.index()].memory = kCaller;
  hand.schedule.shares.clear();
  hand.peak_bytes = 576 + 192;
  return hand;
}

// x [1,8,8,8] -> conv 1x1 -> s 16 channels -> depthwise 3x3 -> d; s + d -> y -> conv 1x1 -> e 32
// channels. Halves of s, d and y have 4 x 8 x 16 = 512 B, e 2,048 B. Rows 3 and 4 of d need rows on
// both sides of the border: copies of rows [2, 5) and [3, 6) of s, 384 B each.
//
//   conv s0, s1 | copy, depthwise d0 | copy, depthwise d1 | add y0, conv e | add y1, conv e
//
// Most is live at the first half of e: s1 + d1 + y0 + e = 3 x 512 + 2,048 = 3,584 B, and the same
// while y1 is made. With s and d whole: 2 x 1,024 + 512 + 2,048 = 4,608 B.
HandWritten residual_in_halves(bool blocks) {
  TestGraph g(3);
  const TensorId x = g.input({1, 8, 8, 8});
  const TensorId s = g.conv(x, 16, 1, 1);
  const TensorId d = g.depthwise(s, 3, 1);
  const TensorId y = g.add(s, d);
  const TensorId e = g.conv(y, 32, 1, 1);
  g.output(e);
  const Graph& graph = g.graph();

  constexpr int kRows = 1;
  constexpr BufferId kX{0}, kE{1}, kY[2] = {{2}, {3}};
  const BufferId in_s[2] = {{4}, {blocks ? 6 : 4}}, in_d[2] = {{5}, {blocks ? 7 : 5}};
  const auto half = [&](TensorId t, int64_t number) {
    Buffer buffer = whole_buffer(graph, t);
    buffer.extents[kRows] = 4;
    buffer.origin[kRows] = index(4 * number);
    return buffer;
  };
  Schedule schedule;
  schedule.buffers = {whole_buffer(graph, x), whole_buffer(graph, e), half(y, 0), half(y, 1)};
  for (int64_t number : {0, 1}) {
    schedule.buffers.push_back(blocks ? half(s, number) : whole_buffer(graph, s));
    schedule.buffers.push_back(blocks ? half(d, number) : whole_buffer(graph, d));
    if (!blocks) break;
  }
  const auto step = [&](int op, int64_t number, std::vector<Operand> in, BufferId out) {
    const TensorId made = graph.ops[static_cast<size_t>(op)].outputs[0];
    return Node{Step{.op = {op},
                     .region = along(graph.tensor(made).shape, kRows,
                                     {index(4 * number), index(4 * number + 4)}),
                     .in = std::move(in),
                     .out = out}};
  };
  const Operand all_of_s = blocks ? Operand({in_s[0], in_s[1]}) : Operand(in_s[0]);
  for (int64_t k : {0, 1}) schedule.nodes.push_back(step(0, k, {kX, {}, {}}, in_s[k]));
  for (int64_t k : {0, 1}) schedule.nodes.push_back(step(1, k, {all_of_s, {}, {}}, in_d[k]));
  for (int64_t k : {0, 1}) {
    schedule.nodes.push_back(step(2, k, {in_s[k], in_d[k]}, kY[k]));
    schedule.nodes.push_back(step(3, k, {kY[k], {}, {}}, kE));
  }
  schedule.inputs = {kX};
  schedule.outputs = {kE};
  return {graph, gathered(graph, schedule), blocks ? 3 * 512 + 2'048 : 2 * 1'024 + 512 + 2'048};
}

// x [1,6,5,3] as planes, 90 B -> the same bytes in row-major order -> conv 3x3/2 -> y [1,3,3,4].
// The convolution is furthest ahead at its second pixel: 8 bytes written, and column 1 of row 0,
// byte 3 on, still to be read. So y begins 5 bytes below x: 95 B.
HandWritten turned_input() {
  TestGraph g(4);
  const TensorId x = g.input({1, 6, 5, 3});
  const TensorId y = g.conv(x, 4, 3, 2);
  g.output(y);
  g.graph().inputs[0].order = {0, 3, 1, 2};
  const Graph& graph = g.graph();
  constexpr BufferId kPlanes{0}, kX{1}, kY{2};
  const auto all = [&](TensorId t) { return region_expr(whole(graph.tensor(t).shape)); };
  Schedule schedule;
  schedule.buffers = {whole_buffer(graph, x), whole_buffer(graph, x), whole_buffer(graph, y)};
  schedule.buffers[0].order = {0, 3, 1, 2};
  schedule.nodes = {
      {Step{.op = {}, .method = Method::kInPlace, .region = all(x), .in = {kPlanes}, .out = kX}},
      {Step{.op = {0}, .region = all(y), .in = {kX, {}, {}}, .out = kY}}};
  schedule.inputs = {kPlanes};
  schedule.outputs = {kY};
  schedule.shares = {{kX, kPlanes}, {kY, kX}};
  return {graph, schedule, 95};
}

namespace {

/// x [1,8,8,4] -> conv 3x3 -> a [1,8,8,16] -> depthwise b -> conv 1x1 c; a + c -> y
struct Residual {
  TestGraph g;
  TensorId x, a, b, c, y;

  explicit Residual(uint64_t seed) : g(seed) {
    x = g.input({1, 8, 8, 4});
    a = g.conv(x, 16, 3, 1);
    b = g.depthwise(a, 3, 1);
    c = g.conv(b, 16, 1, 1);
    y = g.add(a, c);
    g.output(y);
  }
};

}  // namespace

// The worked example of docs/memories.md. Tick i receives row i of x (32 B) and computes row i - 1
// of a from the ring of three: 96 B. a, b, c and y have 8 x 8 x 16 = 1,024 B each; a is cold while
// b and c are made. In the arena, ring and b never meet: 1,024 B.
HandWritten several_memories() {
  const Residual net(5);
  const auto& [g, x, a, b, c, y] = net;
  const Graph& graph = g.graph();
  constexpr LoopId kTick{0};
  constexpr BufferId kX{0}, kRing{1}, kA{2}, kB{3}, kC{4}, kY{5};
  Schedule schedule{.loop_count = 1};
  schedule.memories[kArena.index()] = {
      .name = "arena", .kind = MemoryKind::kTightlyCoupled, .capacity_bytes = 2'048};
  schedule.memories.push_back(
      {.name = "sram2", .kind = MemoryKind::kSram, .capacity_bytes = 1'024});
  schedule.memories.push_back({.name = "psram",
                               .kind = MemoryKind::kExternalRam,
                               .capacity_bytes = 8 << 20,
                               .alignment = 32});
  const std::pair<TensorId, MemoryId> held[] = {{x, kStream}, {x, kArena}, {a, kPsram},
                                                {b, kArena},  {c, kSram2}, {y, kCaller}};
  for (const auto& [tensor, memory] : held) {
    schedule.buffers.push_back(whole_buffer(graph, tensor));
    schedule.buffers.back().memory = memory;
  }
  Buffer& ring = schedule.buffers[kRing.index()];
  ring.extents[kStreamAxis] = 3;
  ring.wrap = Wrap{kStreamAxis, 3};
  const auto rows = [&](TensorId t, int64_t first) {
    return along(graph.tensor(t).shape, kStreamAxis,
                 {index(kTick, 1, first), index(kTick, 1, first + 1)});
  };
  const auto all = [&](TensorId t) { return region_expr(whole(graph.tensor(t).shape)); };
  schedule.nodes = {
      {Loop{kTick,
            9,
            {{Step{.region = rows(x, 0), .in = {kX}, .out = kRing}},
             {Step{.op = {0}, .region = rows(a, -1), .in = {kRing, {}, {}}, .out = kA}}}}},
      {Step{.op = {1}, .region = all(b), .in = {kA, {}, {}}, .out = kB}},
      {Step{.op = {2}, .region = all(c), .in = {kB, {}, {}}, .out = kC}},
      {Step{.op = {3}, .region = all(y), .in = {kA, kC}, .out = kY}}};
  schedule.inputs = {kX};
  schedule.outputs = {kY};
  return {graph, schedule, 1'024};
}

// buffers  0 x    [1,8,8, 4]  arena      256 B   1 a    [1,8,8,16]  arena  1,024
//          2 as   8 records of 128 B in flash    3 tags 32            arena
//          4 b    1,024   5 c  1,024             6 ring two rows of a, 256     7 y  1,024, over c
// peak: a, b and tags, while the depthwise convolution executes
// compressed: 8, 9 the passages of the store and of the fetch
HandWritten spilled_residual(int64_t chunk_bytes) {
  const Residual net(6);
  const auto& [g, x, a, b, c, y] = net;
  const Graph& graph = g.graph();
  constexpr LoopId kRow{0};
  constexpr BufferId kX{0}, kA{1}, kStored{2}, kTags{3}, kB{4}, kC{5}, kRing{6}, kY{7};
  constexpr TokenId kErase{0}, kStore{1}, kFetch{2};
  Schedule schedule{.loop_count = 1, .token_count = 3};
  schedule.memories.push_back(
      {.name = "spare",
       .kind = MemoryKind::kBlockStorage,
       .capacity_bytes = 8192,
       .alignment = 32,
       .storage = BlockStorage{.write_bytes = 32, .erase_bytes = 4096, .most_in_flight = 1}});
  for (const TensorId tensor : {x, a, a, x, b, c, a, y})
    schedule.buffers.push_back(whole_buffer(graph, tensor));
  schedule.buffers[kStored.index()].memory = kStorage;
  schedule.buffers[kTags.index()] = {.tensor = {}, .type = DType::kInt32, .extents = {8}};
  schedule.buffers[kStored.index()].chunk_bytes = chunk_bytes;
  const BufferId store_passage = add_passage(schedule, kStored);
  const BufferId fetch_passage = add_passage(schedule, kStored);
  Buffer& ring = schedule.buffers[kRing.index()];
  ring.extents[kStreamAxis] = 2;
  ring.wrap = Wrap{kStreamAxis, 2};
  const auto all = [&](TensorId t) { return region_expr(whole(graph.tensor(t).shape)); };
  const auto row = [&](TensorId t, int64_t ahead) {
    return along(graph.tensor(t).shape, kStreamAxis,
                 {index(kRow, 1, ahead), index(kRow, 1, ahead + 1)});
  };
  const RegionExpr nothing(4, {index(0), index(0)});
  const auto transfer = [&](TransferPart part, TokenId token, RegionExpr region, BufferId from,
                            BufferId to, BufferId tags, BufferId passage) {
    return Node{Step{.region = std::move(region),
                     .in = {from},
                     .out = to,
                     .scratch = tags,
                     .passage = passage,
                     .transfer = part,
                     .token = token}};
  };
  const auto store = [&](TransferPart part, RegionExpr region) {
    return transfer(part, kStore, std::move(region), kA, kStored, kTags, store_passage);
  };
  const auto fetch = [&](TransferPart part, RegionExpr region) {
    return transfer(part, kFetch, std::move(region), kStored, kRing, kTags, fetch_passage);
  };
  const RegionExpr first_row = along(graph.tensor(a).shape, kStreamAxis, {index(0), index(1)});
  schedule.nodes = {transfer(TransferPart::kErase, kErase, nothing, kStored, kStored, {}, {}),
                    {Step{.op = {0}, .region = all(a), .in = {kX, {}, {}}, .out = kA}},
                    transfer(TransferPart::kWait, kErase, nothing, kStored, kStored, {}, {}),
                    store(TransferPart::kBegin, all(a)),
                    {Step{.op = {1}, .region = all(b), .in = {kA, {}, {}}, .out = kB}},
                    store(TransferPart::kWait, nothing),
                    {Step{.op = {2}, .region = all(c), .in = {kB, {}, {}}, .out = kC}},
                    fetch(TransferPart::kBegin, first_row),
                    {Loop{kRow,
                          8,
                          {fetch(TransferPart::kWait, nothing),
                           fetch(TransferPart::kBegin, row(a, 1)),
                           {Step{.op = {3}, .region = row(y, 0), .in = {kRing, kC}, .out = kY}}}}},
                    fetch(TransferPart::kWait, nothing)};
  schedule.inputs = {kX};
  schedule.outputs = {kY};
  schedule.shares = {{kY, kC}};
  const int64_t passage = chunk_bytes == 0 ? 0 : passage_bytes(chunk_bytes);
  return {graph, schedule, 2 * 1'024 + 32 + passage};
}

}  // namespace thimble::testing
