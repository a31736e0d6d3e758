// SPDX-License-Identifier: Apache-2.0
// Random networks of float32, quantised, written and read again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tests/quantise/specification.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/real_network.h"
#include "thimble/export/explicit_padding.h"
#include "thimble/export/tflite.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/quantise/noise.h"
#include "thimble/quantise/quantise.h"
#include "thimble/quantise/scales.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

/// Numbers from -4 to 4, of which some are whole; other types as random_network has them.
std::vector<Bytes> real_inputs(const Graph& graph, uint64_t seed) {
  std::vector<Bytes> inputs = testing::noise(graph, seed);
  for (size_t p = 0; p < inputs.size(); ++p) {
    const Tensor& tensor = graph.tensor(graph.inputs[p].tensor);
    if (tensor.type != DType::kFloat32) continue;
    for (size_t i = 0; i + 4 <= inputs[p].size(); i += 4) {
      const float value = static_cast<float>(static_cast<int8_t>(inputs[p][i])) / 32;
      std::memcpy(&inputs[p][i], &value, sizeof(value));
    }
  }
  return inputs;
}

Ranges ranges_of(const Graph& graph) {
  Ranges ranges;
  for (uint64_t seed = 0; seed < 4; ++seed)
    include(ranges, observed_ranges(graph, real_inputs(graph, seed)));
  return ranges;
}

bool is_activation_type(DType type) { return type == DType::kInt8 || type == DType::kInt16; }

/// What was found of networks, by operator.
struct Found {
  std::map<std::string, int> in_integers, in_float;
  int noisy = 0;
};

void expect_as_specified(const Graph& real, const QuantiseOptions& options, Found& found) {
  SCOPED_TRACE(label(real.ops[0]));
  Quantised made;
  try {
    made = quantised(real, ranges_of(real), options);
  } catch (const CompileError&) {
    for (const Op& op : real.ops) ++found.in_float[name(op.attributes)];
    return;
  }
  for (const Op& op : made.graph.ops) {
    EXPECT_EQ(unsupported_reason(made.graph, op), "") << label(op);
    if (op.file_index < 0) continue;
    const bool integer = std::ranges::any_of(
        op.inputs, [&](const TensorId t) { return is_activation_type(made.graph.tensor(t).type); });
    ++(integer ? found.in_integers : found.in_float)[name(op.attributes)];
  }
  EXPECT_EQ(testing::specification_fault(made.graph), "");

  Graph back;
  try {
    std::vector<TensorId> four_bits;
    for (const MadeLayer& layer : made.layers)
      if (layer.format == Format::kInt4) four_bits.push_back(made.graph.op(layer.made).inputs[1]);
    made.graph = with_explicit_padding(std::move(made.graph));
    back = import_tflite(export_tflite(made.graph, {.offsets = {}, .four_bits = four_bits}), "back",
                         "back");
  } catch (const CompileError& error) {
    // Windows that TensorFlow Lite has no padding for, and the like: of the network, not its types.
    EXPECT_THROW((void)import_tflite(export_tflite(with_explicit_padding(real)), "real", "real"),
                 CompileError)
        << error.what();
    return;
  }
  std::vector<Bytes> inputs = real_inputs(real, 9);
  const TensorValues expected = interpret(real, inputs);
  for (size_t p = 0; p < inputs.size(); ++p) {
    const Tensor& tensor = made.graph.tensor(made.graph.inputs[p].tensor);
    if (tensor.type == real.tensor(real.inputs[p].tensor).type) continue;
    inputs[p] = as_integers(dequantised(real.tensor(real.inputs[p].tensor), inputs[p]), tensor.type,
                            tensor.quantization);
  }
  const TensorValues got = interpret(made.graph, inputs), read = interpret(back, inputs);
  for (size_t p = 0; p < real.outputs.size(); ++p) {
    const TensorId out = made.graph.outputs[p].tensor;
    EXPECT_EQ(read[back.outputs[p].tensor.index()], got[out.index()]);
    const Tensor& original = real.tensor(real.outputs[p].tensor);
    if (original.type != DType::kFloat32) continue;
    Noise noise;
    noise.add(dequantised(original, expected[real.outputs[p].tensor.index()]),
              dequantised(made.graph.tensor(out), got[out.index()]));
    found.noisy += noise.noise > 0.1 * noise.signal ? 1 : 0;
  }
}

void print(const Found& found, int networks) {
  for (const auto& [kind, count] : found.in_integers)
    fmt::print("{} {} times in integers\n", kind, count);
  for (const auto& [kind, count] : found.in_float)
    fmt::print("{} {} times in float32\n", kind, count);
  fmt::print("{} networks, {} outputs with a tenth of noise\n", networks, found.noisy);
}

/// What a network is quantised to.
struct Wanted {
  Format format;
  DType ports;
  std::vector<std::string> operators;  ///< that have the format
};
void PrintTo(const Wanted& wanted, std::ostream* out) {
  *out << name(wanted.format) << ", ports of " << name(wanted.ports);
}

class QuantisedNetworks : public ::testing::TestWithParam<Wanted> {};

TEST_P(QuantisedNetworks, OfOneOperatorAreAsTheSpecificationHasThem) {
  constexpr uint64_t kKinds = std::variant_size_v<AnyOperator>, kRounds = 12;
  Found found;
  int networks = 0;
  for (uint64_t seed = 0; seed < kKinds * kRounds; ++seed) {
    const std::optional<Graph> real = testing::real_network(testing::random_op_graph(seed));
    if (!real) continue;
    SCOPED_TRACE(seed);
    expect_as_specified(
        *real, {.ports = GetParam().ports, .formats = Formats(real->ops.size(), GetParam().format)},
        found);
    ++networks;
  }
  print(found, networks);
  for (const std::string& kind : GetParam().operators)
    EXPECT_GT(found.in_integers[kind], 0) << kind;
}

TEST_P(QuantisedNetworks, OfSeveralOperatorsAreAsTheSpecificationHasThem) {
  Found found;
  int networks = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::optional<Graph> real = testing::real_network(testing::random_network(seed));
    if (!real) continue;
    SCOPED_TRACE(seed);
    expect_as_specified(
        *real, {.ports = GetParam().ports, .formats = Formats(real->ops.size(), GetParam().format)},
        found);
    ++networks;
  }
  print(found, networks);
  EXPECT_GT(networks, 200);
  // Of random weights 4 bits are few.
  if (GetParam().format != Format::kInt4) {
    EXPECT_LT(found.noisy * 20, networks);
  }
}

const std::vector<std::string> kOfInt16 = {"CONV_2D",
                                           "DEPTHWISE_CONV_2D",
                                           "FULLY_CONNECTED",
                                           "TRANSPOSE_CONV",
                                           "BATCH_MATMUL",
                                           "ADD",
                                           "SUB",
                                           "MUL",
                                           "MEAN",
                                           "SOFTMAX",
                                           "LOGISTIC",
                                           "TANH",
                                           "CONCATENATION",
                                           "PAD",
                                           "RESHAPE",
                                           "TRANSPOSE",
                                           "AVERAGE_POOL_2D",
                                           "MAX_POOL_2D",
                                           "LEAKY_RELU",
                                           "PRELU",
                                           "MAXIMUM",
                                           "MINIMUM"};

std::vector<std::string> of_int8() {
  std::vector<std::string> all = kOfInt16;
  for (const char* kind : {"SUM", "RELU", "RELU6", "HARD_SWISH", "RESIZE_BILINEAR", "LOG_SOFTMAX",
                           "RESIZE_NEAREST_NEIGHBOR", "L2_NORMALIZATION"})
    all.emplace_back(kind);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Formats, QuantisedNetworks,
                         ::testing::Values(Wanted{Format::kInt8, DType::kInt8, of_int8()},
                                           Wanted{Format::kInt4, DType::kUInt8, of_int8()},
                                           Wanted{Format::kInt16, DType::kInt16, kOfInt16}),
                         [](const auto& test) { return std::string(name(test.param.format)); });

/// Formats of operators at random, so that all conversions between them come up.
TEST(MixedNetworks, OfSeveralFormatsAreAsTheSpecificationHasThem) {
  int networks = 0, noisy = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const std::optional<Graph> real = testing::real_network(testing::random_network(seed));
    if (!real) continue;
    SCOPED_TRACE(seed);
    uint64_t state = seed;
    Formats formats;
    for (size_t o = 0; o < real->ops.size(); ++o) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      constexpr Format kFormats[] = {Format::kInt8, Format::kInt16, Format::kFloat32};
      formats.push_back(kFormats[(state >> 33) % 3]);
    }
    if (std::ranges::all_of(formats, [](Format f) { return f == Format::kFloat32; })) continue;
    Found found;
    expect_as_specified(*real, {.ports = DType::kInt8, .formats = formats}, found);
    noisy += found.noisy;
    ++networks;
  }
  EXPECT_GT(networks, 200);
  EXPECT_LT(noisy * 20, networks);
}

}  // namespace
}  // namespace thimble
