// SPDX-License-Identifier: Apache-2.0
// Kernels against the plain interpreter on random operators: whole, in place, in chunks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/kernels/random_op.h"
#include "tests/kernels/run_op.h"
#include "thimble/operators/operators.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {
namespace {

struct Kind {
  const char* name;
  Graph (RandomOp::*make)();
};

class RandomOperators : public ::testing::TestWithParam<Kind> {};

// Noise; floats spread over a few steps of the output's whole range.
Bytes noise(RandomOp& random, const Graph& graph, const Tensor& tensor) {
  if (tensor.type == DType::kInt32) {
    // Where the products of larger ones with large scales overflow, the reference is undefined.
    Bytes data(static_cast<size_t>(tensor.size_bytes()));
    for (size_t k = 0; k < data.size(); k += sizeof(int32_t)) {
      const auto value = static_cast<int32_t>(random.between(-100000, 100000));
      std::memcpy(data.data() + k, &value, sizeof(value));
    }
    return data;
  }
  if (tensor.type != DType::kFloat32) return random.bytes(tensor.size_bytes());
  const Tensor& out = graph.tensors.back();
  const float step = out.quantization.scales.empty() ? 1 : out.quantization.scales[0] / 2;
  Bytes data(static_cast<size_t>(tensor.size_bytes()));
  for (size_t k = 0; k < data.size(); k += sizeof(float)) {
    const float value = static_cast<float>(random.between(-1000, 1000)) * step;
    std::memcpy(data.data() + k, &value, sizeof(value));
  }
  return data;
}

std::string dump(const Graph& graph) {
  std::string text = label(graph.ops[0]);
  for (const Tensor& t : graph.tensors)
    text += fmt::format(" {} {}", name(t.type), to_string(t.shape));
  return text;
}

TEST_P(RandomOperators, EqualTheInterpreter) {
  RandomOp random(11);
  int supported = 0;
  for (int round = 0; round < 300; ++round) {
    const Graph graph = (random.*GetParam().make)();
    const Op& op = graph.ops[0];
    SCOPED_TRACE(dump(graph));
    if (!unsupported_reason(graph, op).empty()) continue;
    ++supported;
    TensorValues values(graph.tensors.size());
    for (const Port& port : graph.inputs) {
      values[port.tensor.index()] = noise(random, graph, graph.tensor(port.tensor));
    }
    const Bytes expected = interpret_op(graph, op, values)[0];
    ASSERT_TRUE(has_kernel(graph, op, Method::kCompute));
    ASSERT_EQ(run_op(graph, op, Method::kCompute, values), expected);
    if (has_kernel(graph, op, Method::kInPlace)) {
      ASSERT_EQ(run_op(graph, op, Method::kInPlace, values), expected);
    }
    if (has_kernel(graph, op, Method::kAccumulate)) {
      const auto channels = static_cast<int32_t>(graph.tensor(op.inputs[0]).shape.back());
      std::vector<int32_t> ends{channels};
      if (channels > 1)
        ends.insert(ends.begin(), static_cast<int32_t>(random.between(1, channels - 1)));
      ASSERT_EQ(run_op_in_chunks(graph, op, values, ends), expected);
    }
  }
  EXPECT_GE(supported, 100);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, RandomOperators,
    ::testing::Values(Kind{"conv_2d", &RandomOp::conv_2d},
                      Kind{"depthwise_conv_2d", &RandomOp::depthwise_conv_2d},
                      Kind{"fully_connected", &RandomOp::fully_connected},
                      Kind{"average_pool_2d", &RandomOp::average_pool_2d},
                      Kind{"max_pool_2d", &RandomOp::max_pool_2d}, Kind{"mean", &RandomOp::mean},
                      Kind{"add", &RandomOp::add}, Kind{"mul", &RandomOp::mul},
                      Kind{"pad", &RandomOp::pad}, Kind{"reshape", &RandomOp::reshape},
                      Kind{"transpose", &RandomOp::transpose}, Kind{"softmax", &RandomOp::softmax},
                      Kind{"relu", &RandomOp::relu}, Kind{"relu6", &RandomOp::relu6},
                      Kind{"quantize", &RandomOp::quantize},
                      Kind{"dequantize", &RandomOp::dequantize}, Kind{"concat", &RandomOp::concat}),
    [](const auto& parameter) { return parameter.param.name; });

}  // namespace
}  // namespace thimble::testing
