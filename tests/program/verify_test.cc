// SPDX-License-Identifier: Apache-2.0
// Faults that take more than one property of a plan to see, a small program each.
#include "thimble/program/verify.h"

#include <gtest/gtest.h>

#include "tests/support/hand_written.h"
#include "tests/support/short_plans.h"
#include "tests/support/test_graph.h"
#include "thimble/program/lower.h"

namespace thimble {
namespace {

/// One operator from buffers 0 .. n-1 (its activations) into buffer n, at the addresses given.
struct OneStep {
  Graph graph;
  Schedule schedule;
  std::vector<int64_t> addresses;

  [[nodiscard]] Program program() const {
    return lower(graph, schedule, placement_at(schedule, addresses));
  }
  [[nodiscard]] std::string fault() const { return verify(graph, program()).fault; }
  Step& step(size_t k = 0) { return std::get<Step>(schedule.nodes[k].what); }
};

OneStep one_step(testing::TestGraph& g, std::vector<int64_t> addresses,
                 Method method = Method::kCompute) {
  const Op op = g.graph().ops.at(0);
  g.output(op.outputs[0]);
  OneStep result{.graph = g.graph(), .schedule = {}, .addresses = std::move(addresses)};
  Schedule& s = result.schedule;
  const RegionExpr region = region_expr(whole(result.graph.tensor(op.outputs[0]).shape));
  Step step{.op = {0}, .method = method, .region = region, .chunk = {}};
  auto add = [&](const Buffer& buffer) {
    s.buffers.push_back(buffer);
    return BufferId{static_cast<int32_t>(s.buffers.size()) - 1};
  };
  for (TensorId t : op.inputs) {
    const bool constant = result.graph.tensor(t).is_constant();
    step.in.push_back(constant ? BufferId{} : add(whole_buffer(result.graph, t)));
    if (!constant) s.inputs.push_back(step.in.back().buffer());
  }
  step.out = add(whole_buffer(result.graph, op.outputs[0]));
  s.outputs = {step.out};
  if (const Scratch needed = scratch(result.graph, op, method); needed.size_bytes > 0)
    step.scratch = add_scratch(s, needed);
  s.nodes = {{step}};
  return result;
}

void expect_fault(const std::string& fault, const std::string& text) {
  EXPECT_NE(fault.find(text), std::string::npos) << "wanted: " << text << "\ngot: " << fault;
}

Call& call(Program& program, size_t k = 0) { return std::get<Call>(program.nodes[k].what); }

// The kernel copies the next channel into scratch after it has written this one.
TEST(Verifier, ScratchMayNotLieInTheOutput) {
  testing::TestGraph g(1);
  g.depthwise(g.input({1, 4, 4, 2}), 3, 1);
  EXPECT_EQ(one_step(g, {0, 32, 64}, Method::kInPlace).fault(), "");
  testing::TestGraph h(1);
  h.depthwise(h.input({1, 4, 4, 2}), 3, 1);
  expect_fault(one_step(h, {0, 32, 48}, Method::kInPlace).fault(), "is missing");
}

// Image 0 of the output lies where image 1 of the input is still to be read.
TEST(Verifier, InPlaceKernelsGoImageByImage) {
  testing::TestGraph g(1);
  g.depthwise(g.input({2, 4, 4, 2}), 3, 1);
  OneStep plan = one_step(g, {0, 32, 96}, Method::kInPlace);
  expect_fault(plan.fault(), "needs element 32 of");
  plan.addresses = {32, 0, 96};  // the other way round it may
  EXPECT_EQ(plan.fault(), "");
}

TEST(Verifier, InPlaceKernelsTakeWholeImages) {
  testing::TestGraph g(1);
  g.depthwise(g.input({1, 4, 4, 2}), 3, 1);
  OneStep plan = one_step(g, {0, 32, 64}, Method::kInPlace);
  Program program = plan.program();
  call(program).axes[1].interval.end = index(2);
  expect_fault(verify(plan.graph, program).fault, "its kernel does all of axis 1");
  plan.step().region[1].end = index(2);
  expect_fault(malformed(plan.graph, plan.schedule), "does all of the axis 1 of its region");
}

TEST(Verifier, SoftmaxTakesWholeRows) {
  testing::TestGraph g(1);
  g.add(g.input({1, 4}), {0});
  g.graph().ops[0] = {Softmax{}, {{0}}, {{1}}, 0};
  g.graph().tensors[1].quantization = {{0x1p-8F}, {-128}, 0};
  OneStep plan = one_step(g, {0, 4});
  EXPECT_EQ(plan.fault(), "");
  Program program = plan.program();
  call(program).axes[3].interval.end = index(2);
  expect_fault(verify(plan.graph, program).fault, "its kernel does all of axis 3");
  plan.step().region[1].end = index(2);
  expect_fault(malformed(plan.graph, plan.schedule), "does all of the axis 3 of its region");
}

TEST(Verifier, BroadcastOperandsStandStill) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 2, 2, 3});
  g.input({1, 1, 1, 3});
  g.add(x, x);
  g.graph().ops[0].inputs[1] = {1};
  const OneStep plan = one_step(g, {0, 12, 15});
  EXPECT_EQ(plan.fault(), "");
  Program program = plan.program();
  call(program).in[1].stride[2] = 1;
  expect_fault(verify(plan.graph, program).fault, "is broadcast along axis 2");
}

TEST(Verifier, WantsElementsAligned) {
  testing::TestGraph g(1);
  g.add(g.input({1, 4}), {0});
  g.graph().ops[0] = {Quantize{}, {{0}}, {{1}}, 0};
  g.graph().tensors[0].type = DType::kFloat32;
  OneStep plan = one_step(g, {0, 16});
  EXPECT_EQ(plan.fault(), "");
  plan.addresses = {2, 18};
  expect_fault(plan.fault(), "unaligned at 2");
}

TEST(Verifier, KnowsConstantsByTheirBytes) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4});
  const TensorId c = g.input({1, 4});
  g.graph().inputs.pop_back();
  g.graph().tensor(c).data = std::make_shared<const Bytes>(Bytes{1, 2, 3, 4});
  g.add(x, c);
  const OneStep plan = one_step(g, {0, 4});
  EXPECT_EQ(plan.fault(), "");
  Program program = plan.program();
  program.constants[0].content.data = Bytes{1, 2, 3, 5};
  expect_fault(verify(plan.graph, program).fault, "wrong constant");
}

TEST(Verifier, CallsDoTheirPartOnly) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4});
  g.input({1, 4});
  g.add(x, x);
  g.graph().ops[0] = {Concat{.axis = 1}, {{0}, {1}}, {{2}}, 0};
  g.graph().tensors[2].shape = {1, 8};
  const OneStep plan = one_step(g, {0, 4, 8});
  EXPECT_EQ(plan.fault(), "");
  Program program = plan.program();
  call(program).axes[3].limits.end = 8;
  program.nodes.pop_back();
  expect_fault(verify(plan.graph, program).fault, "beyond its part");
}

TEST(Verifier, ViewsShowTheOperandsThemselves) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4});
  g.input({1, 4});
  g.add(x, x);
  g.graph().ops[0].inputs[1] = {1};
  const OneStep plan = one_step(g, {0, 4, 8});
  Program program = plan.program();
  call(program).in[1] = call(program).in[0];
  expect_fault(verify(plan.graph, program).fault, "takes tensor 0");
}

// Two convolutions of one shape, one after the other.
struct TwoConvolutions {
  TwoConvolutions() {
    testing::TestGraph g(3);
    const TensorId x = g.input({1, 4, 4, 3});
    g.output(g.conv(g.conv(x, 3, 3, 1), 3, 3, 1));
    graph = g.graph();
    const Schedule schedule = testing::whole_operators(graph, true);
    program = lower(graph, schedule, place(graph, schedule, {}));
    EXPECT_EQ(fault(), "");
  }
  [[nodiscard]] std::string fault() const { return verify(graph, program).fault; }

  Graph graph;
  Program program;
};

TEST(Verifier, ReadsParametersBack) {
  TwoConvolutions swapped;
  std::swap(call(swapped.program, 0).params, call(swapped.program, 1).params);
  expect_fault(swapped.fault(), "step 0 (CONV_2D #0): its p");
  TwoConvolutions values;
  std::swap(values.program.params[0].params, values.program.params[1].params);
  expect_fault(values.fault(), "its parameter input_zero_point is");
  TwoConvolutions none;
  call(none.program).params = -1;
  expect_fault(none.fault(), "it has no parameters");
}

TEST(Verifier, ReadsPackedConstantsBack) {
  const auto fault_of = [](const std::string& role, size_t byte) {
    TwoConvolutions two;
    for (ProgramConstant& c : two.program.constants) {
      if (c.content.role != role) continue;
      c.content.data.own().at(byte) ^= 1;
      return two.fault();
    }
    return std::string("there are no ") + role;
  };
  expect_fault(fault_of("weights", 7), "its packed weight 7 is");
  expect_fault(fault_of("bias", 4), "its packed bias 1 stands for");
  expect_fault(fault_of("multipliers", 1), "its scale of channel 0 is");
  expect_fault(fault_of("shifts", 2), "its scale of channel 2 is");
}

TEST(Verifier, WhatAKernelSeesFits32Bits) {
  TwoConvolutions stride;
  call(stride.program).in[0].stride[1] = int64_t{1} << 29;
  expect_fault(stride.fault(), "what it reaches of tensor 0 ('t0') does not fit 32 bits");
  TwoConvolutions bias;
  call(bias.program).out.bias.push_back({int64_t{1} << 16, index(1 << 16)});
  expect_fault(bias.fault(), "does not fit 32 bits");
  TwoConvolutions region;
  call(region.program).axes[1].interval.end = index(int64_t{1} << 31);
  expect_fault(region.fault(), "the bounds of axis 1 of its region do not fit 32 bits");
}

TEST(Verifier, RegionsDoNotEndBeforeTheyBegin) {
  TwoConvolutions two;
  call(two.program).axes[1].interval = {index(5), index(3)};
  expect_fault(two.fault(), "[5, 3) ends before it begins");
}

TEST(Verifier, CopiesAndKernelsHaveNoScratchThatNobodyNeeds) {
  TwoConvolutions two;
  call(two.program).scratch = {0};
  expect_fault(two.fault(), "has scratch that no kernel needs");
}

// Elements before the first byte of the buffer: the output would pass the sums that it is made of.
TEST(Verifier, ElementsLieInTheirBuffer) {
  testing::HandWritten hand = testing::channel_loop();
  std::vector<int64_t> addresses = place(hand.graph, hand.schedule, {}).addresses;
  for (size_t b = 0; b < hand.schedule.buffers.size(); ++b) {
    Buffer& buffer = hand.schedule.buffers[b];
    if (buffer.tensor != hand.graph.ops[2].outputs[0]) continue;
    buffer.origin[0] = index(1);
    addresses[b] += 20'000;
  }
  const Placement moved = placement_at(hand.schedule, addresses);
  ASSERT_EQ(malformed(hand.graph, hand.schedule), "");
  expect_fault(verify(hand.graph, lower(hand.graph, hand.schedule, moved)).fault,
               "outside its buffer");
}

TEST(Verifier, InputsDoNotLieOverEachOther) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4});
  g.input({1, 4});
  g.add(x, x);
  g.graph().ops[0].inputs[1] = {1};
  expect_fault(one_step(g, {0, 2, 8}).fault(), "at the start, element 2 of input tensor 0");
}

// Each iteration does what the first did: a program that never ends is not followed forever.
TEST(Verifier, DoesNotMuchMoreWorkThanTheNetwork) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 64, 64, 16});
  g.output(g.conv(x, 16, 1, 1));
  OneStep plan;
  plan.graph = g.graph();
  Schedule& s = plan.schedule;
  s.buffers = {whole_buffer(plan.graph, x), whole_buffer(plan.graph, x),
               whole_buffer(plan.graph, plan.graph.ops[0].outputs[0])};
  s.inputs = {{0}};
  s.outputs = {{2}};
  s.loop_count = 1;
  const RegionExpr all = region_expr(whole(plan.graph.tensor(x).shape));
  s.nodes = {{Loop{{0}, 20'000, {{Step{.region = all, .in = {BufferId{0}}, .out = {1}}}}}}};
  plan.addresses = {0, 65536, 131072};
  ASSERT_EQ(malformed(plan.graph, s), "");
  expect_fault(plan.fault(), "it does more work than");
}

// What the verifier says of a program of row_stream() with one thing changed in its loop.
std::string fault_of_stream(const std::function<void(std::vector<ProgramNode>&)>& change) {
  const testing::HandWritten hand = testing::row_stream();
  Program program = lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));
  EXPECT_EQ(verify(hand.graph, program).fault, "");
  change(std::get<ProgramLoop>(program.nodes.at(0).what).body);
  return verify(hand.graph, program).fault;
}

void shift_rows(ProgramNode& node, int64_t rows) {
  IntervalExpr& interval = std::get<Call>(node.what).axes[kStreamAxis].interval;
  interval.begin.base += rows * interval.begin.divisor;
  interval.end.base += rows * interval.end.divisor;
}

TEST(Verifier, RowsComeInTimeOnceAndInOrder) {
  using Body = std::vector<ProgramNode>;
  expect_fault(fault_of_stream([](Body& body) { body.erase(body.begin()); }),
               "CONV_2D #0) needs element 0 of tensor 0");
  expect_fault(fault_of_stream([](Body& body) { body.insert(body.begin(), body[0]); }),
               "receives rows from 0 on, but 1 is next");
  expect_fault(fault_of_stream([](Body& body) { shift_rows(body[0], -1); }), "needs element");
  expect_fault(fault_of_stream([](Body& body) { shift_rows(body[0], 1); }),
               "receives rows from 1 on, but 0 is next");
}

// A convolution of stride 2 without padding: the last row comes all the same, though nobody reads
// it.
// An empty interval is no leave to begin elsewhere: rows that are pushed come up to its end.
TEST(Verifier, EmptyIntervalsOfRowsStandWhereTheRowsAre) {
  using Body = std::vector<ProgramNode>;
  expect_fault(fault_of_stream([](Body& body) {
                 ProgramNode none = body[0];
                 std::get<Call>(none.what).axes[kStreamAxis].interval = {index(24), index(24)};
                 body.insert(body.begin(), none);
               }),
               "receives rows from 24 on, but 0 is next");
}

TEST(Verifier, RowsBelongWhereTheyBelongWheneverTheyCome) {
  using Body = std::vector<ProgramNode>;
  expect_fault(fault_of_stream([](Body& body) {
                 std::get<Call>(body[0].what).out.bias.push_back({1, index({0}, 1)});
               }),
               "where a row belongs depends on when it comes");
}

TEST(Verifier, AllRowsCome) {
  testing::TestGraph g(1);
  const TensorId x = g.input({1, 4, 2, 1});
  const TensorId y = g.conv(x, 1, 1, 2);
  g.output(y);
  const Graph& graph = g.graph();
  const LoopId tick{0};
  Schedule s{.nodes = {},
             .buffers = {whole_buffer(graph, x), whole_buffer(graph, x), whole_buffer(graph, y)},
             .inputs = {{0}},
             .outputs = {{2}},
             .shares = {},
             .loop_count = 1};
  s.buffers[0].memory = kStream;
  const auto rows = [&](TensorId t, int64_t last) {
    return along(graph.tensor(t).shape, 1, {index(tick, 1), index(tick, 1, last)});
  };
  s.nodes = {{Loop{tick, 4, {{Step{.region = rows(x, 1), .in = {BufferId{0}}, .out = {1}}}}}},
             {Step{.op = {0},
                   .region = region_expr(whole(graph.tensor(y).shape)),
                   .in = {BufferId{1}, {}, {}},
                   .out = {2}}}};
  ASSERT_EQ(malformed(graph, s), "");
  EXPECT_EQ(verify(graph, lower(graph, s, place(graph, s, {}))).fault, "");
  std::get<Loop>(s.nodes[0].what).count = 3;
  expect_fault(verify(graph, lower(graph, s, place(graph, s, {}))).fault,
               "element 6 of input tensor 0 ('t0') has not been received");
}

TEST(Verifier, RowsGoWhenTheyAreMadeOnceAndInOrder) {
  using Body = std::vector<ProgramNode>;
  expect_fault(fault_of_stream([](Body& body) { body.pop_back(); }), "of output tensor");
  expect_fault(fault_of_stream([](Body& body) { body.push_back(body.back()); }),
               "delivers element 0 of tensor 7 ('t7'), but 192 is next");
  expect_fault(fault_of_stream([](Body& body) { shift_rows(body.back(), 1); }), "needs element");
  expect_fault(fault_of_stream([](Body& body) { std::swap(body[3], body[4]); }), "needs element");
}

TEST(Verifier, OnlyCopiesTouchRowsOfTheCallers) {
  expect_fault(fault_of_stream([](std::vector<ProgramNode>& body) {
                 const OperandView rows = std::get<Call>(body[0].what).in[0];
                 std::get<Call>(body[1].what).in[0] = rows;
               }),
               "computes from or into rows of the caller's");
}

TEST(Verifier, NobodyWritesTheCallersInput) {
  const testing::HandWritten hand = testing::row_span_of_user();
  Program program = lower(hand.graph, hand.schedule, place(hand.graph, hand.schedule, {}));
  EXPECT_EQ(verify(hand.graph, program).fault, "");
  Call& last = std::get<Call>(std::get<ProgramLoop>(program.nodes[0].what).body[2].what);
  last.out.buffer = program.inputs[0].buffer;
  expect_fault(verify(hand.graph, program).fault, "writes the caller's input");
}

}  // namespace
}  // namespace thimble
