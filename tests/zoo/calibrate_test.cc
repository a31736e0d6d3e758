// SPDX-License-Identifier: Apache-2.0
// Scales of finished networks: what the format demands, and what the real numbers ask for.
#include "zoo/calibrate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "thimble/reference/interpreter.h"
#include "thimble/reference/real.h"
#include "zoo/builder.h"

namespace thimble::zoo {
namespace {

/// Like `graph`, with activations and biases in float32 for evaluate_real().
Graph real_network(Graph graph) {
  for (Tensor& tensor : graph.tensors) {
    if (!tensor.is_constant()) tensor.type = DType::kFloat32;
  }
  return graph;
}

/// Within a tenth of what each tensor holds.
void expect_follows_the_real_one(const Graph& graph) {
  Random random(3);
  Bytes input(static_cast<size_t>(elements(graph.tensor(graph.inputs[0].tensor).shape)));
  for (uint8_t& byte : input) byte = static_cast<uint8_t>(random.next());
  const TensorValues quantised = interpret(graph, {input});

  const Graph real = real_network(graph);
  std::vector<RealValues> values(graph.tensors.size());
  const TensorId in = graph.inputs[0].tensor;
  values[in.index()] = dequantised(graph.tensor(in), input);
  for (const Op& op : real.ops) {
    std::vector<const RealValues*> operands;
    for (const TensorId t : op.inputs) {
      if (real.tensor(t).is_constant()) {
        values[t.index()] = dequantised(real.tensor(t), *real.tensor(t).data);
      }
      operands.push_back(&values[t.index()]);
    }
    const TensorId out = op.outputs[0];
    values[out.index()] = evaluate_real(real, op, operands);

    const Tensor& tensor = graph.tensor(out);
    const RealValues from_int8 = dequantised(tensor, quantised[out.index()]);
    double squares = 0, differences = 0;
    for (size_t i = 0; i < from_int8.size(); ++i) {
      const double exact = values[out.index()][i];
      squares += exact * exact;
      differences += (from_int8[i] - exact) * (from_int8[i] - exact);
    }
    EXPECT_LT(differences, 0.01 * squares) << tensor.name << ": above a tenth of its size";
  }
}

TEST(Calibrated, Int8NetworkFollowsTheRealOne) {
  Builder net("n", 7);
  TensorId x = net.conv(net.input({1, 12, 12, 3}), {.channels = 8, .kernel = 3});
  x = net.add(x, net.conv(net.depthwise(x, {}), {.channels = 8, .activation = Activation::kNone}));
  x = net.mul(x, net.relu(x));
  x = net.concat({net.max_pool(x, {}), net.average_pool(x, {})});
  expect_follows_the_real_one(net.finish({net.fully_connected(net.mean(x), {.channels = 5})}));
}

TEST(Calibrated, DecodersFollowTheRealOnes) {
  Builder net("n", 7);
  TensorId x = net.transpose_conv(net.input({1, 6, 6, 3}), {.channels = 8, .kernel = 3});
  x = net.prelu(x, net.vector("alpha", 8, 0.1, 0.3));
  x = net.prelu(net.transpose_conv(x, {.channels = 6}), net.zeros("alpha", {24, 24, 6}));
  expect_follows_the_real_one(net.finish({net.upsample_bilinear(x, {1, 48, 48, 6})}));
}

TEST(Calibrated, TransposedConvolutionsHaveUnitDeviationToo) {
  Builder net("n", 9);
  TensorId x = net.input({1, 16, 16, 4});
  for (int k = 0; k < 3; ++k) x = net.transpose_conv(x, {.channels = 16});
  const Graph graph = net.finish({x});
  for (const Op& op : graph.ops) {
    const float scale = graph.tensor(op.outputs[0]).quantization.scales[0];
    EXPECT_GT(scale, 4.0F / 255) << label(op);
    EXPECT_LT(scale, 14.0F / 255) << label(op);
  }
}

TEST(Calibrated, PortsInFloat32ChangeNothingInside) {
  const auto network = [](bool real_ports) {
    Builder net("n", 5);
    TensorId x = net.input({1, 8, 8, 2});
    if (real_ports) x = net.quantize(x);
    x = net.conv(x, {.channels = 3, .kernel = 3});
    return net.finish({real_ports ? net.dequantize(x) : x});
  };
  const Graph inside = network(false), whole = network(true);
  ASSERT_EQ(whole.ops.size(), 3U);
  for (const Port& port : {whole.inputs[0], whole.outputs[0]}) {
    EXPECT_EQ(whole.tensor(port.tensor).type, DType::kFloat32);
    EXPECT_EQ(whole.tensor(port.tensor).quantization, Quantization{});
  }
  for (size_t k = 0; k < 3; ++k) {
    const Tensor& tensor = whole.tensor(whole.ops[1].inputs[k]);
    Tensor expected = inside.tensor(inside.ops[0].inputs[k]);
    expected.name = tensor.name;
    EXPECT_EQ(tensor, expected) << tensor.name;
  }
  EXPECT_EQ(whole.tensor(whole.ops[1].outputs[0]), inside.tensor(inside.ops[0].outputs[0]));
}

TEST(Calibrated, LayersHaveUnitDeviation) {
  Builder net("n", 9);
  TensorId x = net.input({1, 16, 16, 4});
  for (int k = 0; k < 12; ++k) {
    x = net.conv(x, {.channels = 16, .kernel = 3, .activation = Activation::kNone});
  }
  const Graph graph = net.finish({x});
  for (const Op& op : graph.ops) {
    const float scale = graph.tensor(op.outputs[0]).quantization.scales[0];
    // 255 steps over a range of about four deviations on either side, give or take two.
    EXPECT_GT(scale, 4.0F / 255) << label(op);
    EXPECT_LT(scale, 14.0F / 255) << label(op);
  }
}

TEST(Calibrated, OperatorsThatMoveElementsKeepTheScale) {
  Builder net("n", 5);
  const TensorId x = net.input({1, 8, 8, 2});
  const TensorId clamped = net.conv(x, {.channels = 2});
  const TensorId joined = net.concat({x, clamped});
  const TensorId padded = net.pad(joined, {0, 1, 0, 0}, {0, 0, 1, 0});
  const TensorId pooled = net.max_pool(net.slice(padded, {0, 1, 0, 0}, {1, 8, 8, 4}), {});
  const Graph graph = net.finish({pooled});
  const Quantization& q = graph.tensor(x).quantization;
  for (const TensorId t : {clamped, joined, padded, pooled}) {
    EXPECT_EQ(graph.tensor(t).quantization, q);
  }
  EXPECT_EQ(std::get<Pad>(graph.ops[2].attributes).value, q.zero_points[0]);
}

TEST(Calibrated, ProbabilitiesHaveTheFormatsScale) {
  Builder net("n", 5);
  const TensorId x = net.conv(net.input({1, 4, 4, 2}), {.channels = 8});
  const TensorId gated = net.mul(x, net.sigmoid(x));
  const Graph graph = net.finish({net.softmax(gated)});
  const Quantization probability{{1.0F / 256}, {-128}, 0};
  EXPECT_EQ(graph.tensor(graph.ops[1].outputs[0]).quantization, probability);
  EXPECT_EQ(graph.tensor(graph.outputs[0].tensor).quantization, probability);
}

}  // namespace
}  // namespace thimble::zoo
