// SPDX-License-Identifier: Apache-2.0
#include "thimble/rewrites/rewrites.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "tests/support/test_graph.h"
#include "thimble/import/tensor_file.h"
#include "thimble/import/tflite.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

int count_ops(const Graph& graph, const char* name_wanted) {
  int count = 0;
  for (const Op& op : graph.ops) count += std::string(name(op.attributes)) == name_wanted ? 1 : 0;
  return count;
}

std::vector<Bytes> noise(const Graph& graph, uint64_t seed) {
  std::vector<Bytes> inputs;
  for (const Port& port : graph.inputs) {
    const Tensor& t = graph.tensor(port.tensor);
    inputs.push_back(random_bytes(t.type, elements(t.shape), seed));
  }
  return inputs;
}

// Outputs, and every tensor that both graphs compute in the same shape, are identical.
void expect_same(const Graph& before, const Graph& after) {
  check_graph(after);
  const std::vector<Bytes> inputs = noise(before, 11);
  const TensorValues a = interpret(before, inputs), b = interpret(after, inputs);
  size_t compared = 0;
  for (const Op& op : after.ops) {
    const TensorId t = op.outputs[0];
    if (t.index() >= a.size() || a[t.index()].empty()) continue;
    ++compared;
    EXPECT_EQ(a[t.index()], b[t.index()]) << "tensor " << t.value;
  }
  EXPECT_GT(compared + (after.ops.empty() ? 1 : 0), 0U);
  for (size_t k = 0; k < before.outputs.size(); ++k) {
    EXPECT_EQ(to_port(before, before.outputs[k], a[before.outputs[k].tensor.index()]),
              to_port(after, after.outputs[k], b[after.outputs[k].tensor.index()]));
  }
}

TEST(Rewrites, MergePaddingIntoConvolutions) {
  testing::TestGraph g(3);
  const TensorId p = g.pad(g.input({1, 7, 7, 3}), 1, 2);
  const TensorId y = g.conv(p, 4, 3, 2);
  g.output(g.depthwise(g.pad(y, 2, 0), 3, 1));
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "PAD"), 0);
  expect_same(g.graph(), after);
}

TEST(Rewrites, KeepPaddingThatIsNotTheZeroPoint) {
  testing::TestGraph g(4);
  g.output(g.conv(g.pad(g.input({1, 6, 6, 2}), 1, 1), 4, 3, 1));
  std::get<Pad>(g.graph().ops[0].attributes).value += 1;
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "PAD"), 1);
  expect_same(g.graph(), after);
}

// Two readers of x that shrink it alike, each read by another layer.
struct Twins {
  testing::TestGraph g{5};
  TensorId x = g.conv(g.input({1, 6, 6, 2}), 4, 3, 1);
  TensorId a = g.resize(x, ResizeNearestNeighbor{}, 3, 3);
  TensorId b = g.resize(x, ResizeNearestNeighbor{}, 3, 3);
  TensorId sum = g.add(g.depthwise(a, 3, 1), g.depthwise(b, 5, 1));
};

TEST(Rewrites, MergeTwinsThatAreAllReaders) {
  Twins twins;
  twins.g.output(twins.sum);
  const Graph after = merge_twins(twins.g.graph());
  EXPECT_EQ(count_ops(after, "RESIZE_NEAREST_NEIGHBOR"), 1);
  expect_same(twins.g.graph(), after);
}

// Both would be live with it, and twins can be executed one by one.
TEST(Rewrites, KeepTwinsBesideAnotherReader) {
  Twins twins;
  twins.g.output(twins.g.conv(twins.x, 2, 1, 1));
  twins.g.output(twins.sum);
  EXPECT_EQ(merge_twins(twins.g.graph()), twins.g.graph());
}

TEST(Rewrites, KeepTwinsOfOtherScales) {
  Twins twins;
  twins.g.output(twins.sum);
  twins.g.graph().tensor(twins.b).quantization.scales[0] *= 2;
  EXPECT_EQ(merge_twins(twins.g.graph()), twins.g.graph());
}

TEST(Rewrites, KeepTwinsThatAreOutputs) {
  Twins twins;
  twins.g.output(twins.sum);
  twins.g.output(twins.b);
  EXPECT_EQ(merge_twins(twins.g.graph()), twins.g.graph());
}

// With aligned corners and half-pixel centers each row is a copy of the next.
TEST(Rewrites, RemoveResizesToTheSameSize) {
  testing::TestGraph g(22);
  TensorId x = g.conv(g.input({1, 4, 3, 2}), 2, 1, 1);
  x = g.resize(x, ResizeBilinear{.half_pixel_centers = true}, 4, 3);
  x = g.resize(x, ResizeNearestNeighbor{.align_corners = true}, 4, 3);
  x = g.resize(x, ResizeNearestNeighbor{.align_corners = true, .half_pixel_centers = true}, 4, 3);
  g.output(g.conv(x, 2, 1, 1));
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "RESIZE_BILINEAR"), 0);
  EXPECT_EQ(count_ops(after, "RESIZE_NEAREST_NEIGHBOR"), 1);
  expect_same(g.graph(), after);
}

TEST(Rewrites, RemoveSlicesThatTakeEverything) {
  testing::TestGraph g(21);
  const TensorId x = g.conv(g.input({1, 4, 3, 2}), 2, 1, 1);
  const TensorId t = g.depthwise(x, 1, 1);
  const TensorId u = g.depthwise(t, 1, 1);
  g.output(g.conv(u, 2, 1, 1));
  for (TensorId y : {t, u}) g.graph().tensor(y).quantization = g.graph().tensor(x).quantization;
  g.graph().ops[1] = {Slice{{0, 0, 0, 1}, {2, 1, 1, -1}, {}}, {x}, {t}, 1};  // swaps the channels
  g.graph().ops[2] = {Slice{{0, 0, 0, 0}, {2, 1, 1, 1}, {}}, {t}, {u}, 2};
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "SLICE"), 1);
  expect_same(g.graph(), after);
}

TEST(Rewrites, FoldATransposeAtTheInputIntoThePort) {
  testing::TestGraph g(5);
  const TensorId x = g.transpose(g.input({1, 3, 8, 10}), {0, 2, 3, 1});
  g.output(g.conv(x, 4, 3, 2));
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "TRANSPOSE"), 0);
  EXPECT_EQ(after.inputs[0].order, (std::vector<int>{0, 3, 1, 2}));
  expect_same(g.graph(), after);
}

TEST(Rewrites, FoldATransposeAtTheOutputIntoThePort) {
  testing::TestGraph g(6);
  g.output(g.transpose(g.conv(g.input({1, 6, 5, 3}), 4, 3, 1), {0, 3, 1, 2}));
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "TRANSPOSE"), 0);
  expect_same(g.graph(), after);
}

TEST(Rewrites, FoldAReshapeAtAnEdgeIntoThePort) {
  testing::TestGraph g(12);
  const TensorId x = g.reshape(g.input({1, 60}), {1, 4, 5, 3});
  g.output(g.reshape(g.conv(g.transpose(x, {0, 2, 1, 3}), 2, 3, 1), {20, 2}));
  const Graph& before = g.graph();
  const Graph after = rewrite(before);
  EXPECT_EQ(after.ops.size(), 1U);
  const Port &in = after.inputs[0], &out = after.outputs[0];
  EXPECT_EQ(caller_shape(after, in), (Shape{1, 60}));
  EXPECT_EQ(caller_shape(after, out), (Shape{20, 2}));
  EXPECT_EQ(after.tensor(in.tensor).name, before.tensor(before.inputs[0].tensor).name);
  EXPECT_EQ(after.tensor(out.tensor).name, before.tensor(before.outputs[0].tensor).name);
  EXPECT_EQ(in.order, (std::vector<int>{0, 2, 1, 3}));
  expect_same(before, after);
}

// A second reader or a second port has the tensor as it is, and rows stay rows.
TEST(Rewrites, KeepAReshapeAtAnEdgeThatOthersSee) {
  testing::TestGraph g(13);
  const TensorId x = g.input({1, 2, 2, 6});
  const TensorId y = g.conv(x, 6, 1, 1);
  g.output(y);
  g.output(g.reshape(y, {1, 24}));
  g.output(g.conv(g.reshape(x, {1, 4, 3, 2}), 2, 1, 1));
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "RESHAPE"), 2);
  expect_same(g.graph(), after);
  testing::TestGraph flat(15);  // the caller's bytes are in the order of other axes
  flat.output(flat.conv(flat.reshape(flat.input({2, 3, 4}), {1, 4, 3, 2}), 2, 1, 1));
  EXPECT_EQ(count_ops(fold_edge_reshapes(flat.graph()), "RESHAPE"), 0);
  flat.graph().inputs[0].order = {0, 2, 1};
  EXPECT_EQ(count_ops(fold_edge_reshapes(flat.graph()), "RESHAPE"), 1);
  testing::TestGraph rows(14);
  rows.output(rows.conv(rows.reshape(rows.input({1, 8, 3, 2}), {1, 4, 6, 2}), 2, 1, 1));
  EXPECT_EQ(count_ops(rewrite(rows.graph()), "RESHAPE"), 1);
}

TEST(Rewrites, ReadThroughReshapes) {
  testing::TestGraph g(7);
  const TensorId flat = g.reshape(g.reshape(g.input({1, 4, 4, 3}), {1, 16, 3}), {1, 48});
  g.output(g.fully_connected(flat, 5));
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(count_ops(after, "RESHAPE"), 0);
  expect_same(g.graph(), after);
}

TEST(Rewrites, RemoveDeadOperators) {
  testing::TestGraph g(8);
  const TensorId x = g.input({1, 4, 4, 3});
  (void)g.conv(x, 8, 3, 1);
  g.output(g.conv(x, 2, 1, 1));
  const Graph after = rewrite(g.graph());
  EXPECT_EQ(after.ops.size(), 1U);
  expect_same(g.graph(), after);
}

TEST(Rewrites, FoldConstants) {
  testing::TestGraph g(9);
  const TensorId x = g.input({1, 4, 4, 3});
  const TensorId a = g.conv(x, 2, 1, 1);
  const TensorId c = g.conv(x, 2, 1, 1);
  const TensorId sum = g.add(a, c);
  g.output(g.add(a, sum));
  // c becomes a constant, so sum does not fold, but an operator on c alone would.
  g.graph().ops.erase(g.graph().ops.begin() + 1);
  g.graph().tensor(c).data = std::make_shared<const Bytes>(random_bytes(DType::kInt8, 32, 1));
  const TensorId twice = g.add(c, c);
  g.graph().ops[1].inputs[1] = twice;
  std::rotate(g.graph().ops.begin() + 1, g.graph().ops.end() - 1, g.graph().ops.end());
  const Graph after = rewrite(g.graph());
  EXPECT_TRUE(after.tensor(twice).is_constant());
  EXPECT_EQ(after.ops.size(), 3U);
  expect_same(g.graph(), after);
}

TEST(Rewrites, KeepAReshapeBetweenInputAndOutput) {
  testing::TestGraph g(10);
  g.output(g.reshape(g.input({1, 4, 6}), {4, 6}));
  expect_same(g.graph(), rewrite(g.graph()));
}

class RewrittenModels : public ::testing::TestWithParam<std::string> {};

TEST_P(RewrittenModels, ComputeTheSameTensors) {
  THIMBLE_NEEDS_SHARED();
  const Graph before = import_tflite(testing::model_path(GetParam()));
  const Graph after = rewrite(before);
  fmt::print("{}: {} operators, {} after rewrites\n", GetParam(), before.ops.size(),
             after.ops.size());
  expect_same(before, after);
}

INSTANTIATE_TEST_SUITE_P(Shared, RewrittenModels, ::testing::ValuesIn(testing::issue_models()),
                         [](const auto& model) { return model.param; });

TEST(RewrittenOps, ComputeTheSameTensors) {
  THIMBLE_NEEDS_SHARED();
  size_t count = 0;
  for (const testing::OpsCase& c : testing::ops_cases()) {
    SCOPED_TRACE(c.name);
    const Graph before = import_tflite(c.model());
    expect_same(before, rewrite(before));
    ++count;
  }
  EXPECT_GT(count, 200U);
}

}  // namespace
}  // namespace thimble
