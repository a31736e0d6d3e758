// SPDX-License-Identifier: Apache-2.0
#include "tests/support/hand_written.h"

#include "tests/support/test_graph.h"
#include "thimble/model/error.h"
#include "thimble/schedule/span.h"

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

  constexpr int kRows = 1;
  constexpr LoopId kTick{0};
  constexpr BufferId kX{0}, kT{1}, kU{2}, kY{3};
  const auto span = derive_span(graph, {{0}, {1}, {2}}, kRows, kTick);
  check(span.has_value(), "rows do not split these operators");
  auto ring = [&](const SpanRing& r) {
    Buffer buffer = whole_buffer(graph, r.tensor);
    buffer.extents[kRows] = r.extent;
    buffer.wrap = Wrap{kRows, r.extent};
    return buffer;
  };
  auto step = [&](size_t member, std::vector<BufferId> in, BufferId out) {
    return Step{.op = span->members[member].op,
                .region = along(graph.tensor(y).shape, kRows, span->members[member].interval),
                .in = std::move(in),
                .out = out};
  };
  Schedule schedule;
  schedule.buffers = {whole_buffer(graph, x), ring(span->rings[0]), ring(span->rings[1]),
                      whole_buffer(graph, y)};
  schedule.loop_count = 1;
  schedule.nodes = {
      {Loop{kTick,
            span->ticks,
            {{step(0, {kX, {}, {}}, kT)}, {step(1, {kT, {}, {}}, kU)}, {step(2, {kT, kU}, kY)}}}}};
  schedule.inputs = {kX};
  schedule.outputs = {kY};
  schedule.shares = {{kY, kX}};
  return {graph, schedule, 4'608 + 576 + 192};
}

}  // namespace thimble::testing
