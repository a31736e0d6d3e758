// SPDX-License-Identifier: Apache-2.0
// What the rewrites make is certified, of all kinds of networks; and what they got wrong once.
#include "thimble/certify/certify.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/rewrites/same_outputs.h"
#include "tests/support/dead_network.h"
#include "tests/support/golden.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/shared.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/import/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

using testing::make_constant;
using testing::TestGraph;

constexpr ConstantChannels kBoth[] = {ConstantChannels::kRemoved, ConstantChannels::kKept};

Certification expect_certified(const Graph& file, ConstantChannels channels) {
  const RewrittenGraph rewritten = rewrite_with_certificate(file, channels);
  for (const Op& op : rewritten.graph.ops)
    EXPECT_EQ(unsupported_reason(rewritten.graph, op), "") << label(op);
  const Certification proof = certify(file, rewritten);
  EXPECT_EQ(proof.fault, "");
  return proof;
}

Graph random_graph(uint64_t seed) {
  switch (seed % 8) {
    case 0:
      return testing::random_network(seed);
    case 1:
      return testing::random_op_graph(seed / 8);
    case 2: {
      Graph graph = testing::in_float32(testing::random_network(seed), seed);
      return graph.ops.empty() ? testing::random_chain(seed) : graph;
    }
    case 3:
      return testing::as_uint8(testing::random_dead_network(seed), seed);
    default:
      return testing::random_dead_network(seed);
  }
}

TEST(Certificate, HoldsOfRandomNetworks) {
  const uint64_t count = testing::random_cases(1200, 40000) / testing::kOneIn;
  int64_t same = 0, checked = 0, inferences = 0;
  std::map<std::string, int> thinner;
  for (uint64_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Graph file = random_graph(seed);
    for (const ConstantChannels channels : kBoth) {
      const Certification proof = expect_certified(file, channels);
      same += proof.same_ops;
      checked += proof.checked_ops;
      inferences += proof.inferences;
    }
    const RewrittenGraph rewritten = rewrite_with_certificate(file);
    if (seed % 3 == 0) testing::expect_same_outputs(file, rewritten.graph, seed);
    for (const Op& op : rewritten.graph.ops) {
      for (const ThinnedTensor& thin : rewritten.certificate.thinned)
        if (thin.tensor == op.outputs[0]) ++thinner[name(op.attributes)];
    }
    if (HasFailure()) return;
  }
  fmt::print("{} operators the same, {} checked, {} inferences\n", same, checked, inferences);
  for (const auto& [op, times] : thinner) fmt::print("  {} with fewer channels: {}\n", op, times);
  if (testing::kSanitized) return;  // too few networks
  for (const char* op :
       {"CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "SUB", "MUL", "SQUARED_DIFFERENCE", "MAXIMUM",
        "MINIMUM", "PRELU", "CONCATENATION", "DEQUANTIZE", "QUANTIZE", "SLICE"})
    EXPECT_GT(thinner[op], 0) << op;
}

// What nights found.
TEST(Certificate, HoldsWhereItDidNot) {
  // Twins behind operators that change nothing, QUANTIZE and a resize; twins as operands of one
  // operator.
  for (const uint64_t seed : {3310, 17975, 542}) {
    for (const ConstantChannels channels : kBoth)
      (void)expect_certified(testing::random_dead_network(seed), channels);
  }
}

/// conv > DIV or its like by a constant of one value per channel, on either side > conv.
Graph divided_behind_constant_channels(const Attributes& division, bool constant_first,
                                       DType type) {
  TestGraph g(5);
  const TensorId a = g.conv(g.input({1, 4, 4, 2}), 8, 1, 1);
  for (const size_t c : {1, 2, 3, 6}) make_constant(g.graph(), a, c, 7);
  Graph& graph = g.graph();
  const auto add = [&](const Attributes& attributes, std::vector<TensorId> inputs, DType of) {
    const TensorId out{static_cast<int32_t>(graph.tensors.size())};
    const Quantization q = of == DType::kInt8 ? Quantization{{0.05F}, {3}, 0} : Quantization{};
    graph.tensors.push_back({fmt::format("d{}", out.value), {1, 4, 4, 8}, of, q, nullptr});
    graph.ops.push_back({attributes, std::move(inputs), {out}, static_cast<int>(graph.ops.size())});
    return out;
  };
  const TensorId x = type == DType::kInt8 ? a : add(Dequantize{}, {a}, type);
  Bytes data = {10, 20, 30, 40, 50, 60, 70, 80};
  if (type == DType::kFloat32) {
    data.clear();
    for (float value = 1; value < 9; ++value) {
      const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
      data.insert(data.end(), bytes, bytes + sizeof value);
    }
  }
  const TensorId by{static_cast<int32_t>(graph.tensors.size())};
  graph.tensors.push_back({"by",
                           {8},
                           type,
                           graph.tensor(x).quantization,
                           std::make_shared<const Bytes>(std::move(data))});
  TensorId y = add(division, constant_first ? std::vector{by, x} : std::vector{x, by}, type);
  if (type == DType::kFloat32) y = add(Quantize{}, {y}, DType::kInt8);
  y = g.depthwise(y, 3, 1);  // what it makes constant need not be divided
  for (const size_t c : {1, 2, 3, 6}) make_constant(graph, y, c, 9);
  g.output(g.conv(y, 4, 1, 1));
  return g.graph();
}

// DIV kept all values of its constant beside fewer channels: wrong firmware, called verified.
TEST(Certificate, HoldsOfDivisionsBehindConstantChannels) {
  for (const bool constant_first : {false, true}) {
    for (const Attributes& division : {Attributes(Div{}), Attributes(FloorDiv{}),
                                       Attributes(FloorDiv{true}), Attributes(Pow{})}) {
      const bool reals = !std::holds_alternative<Div>(division);
      for (const DType type : {DType::kInt8, DType::kFloat32}) {
        if (reals && type == DType::kInt8) continue;
        const Graph file = divided_behind_constant_channels(division, constant_first, type);
        const RewrittenGraph rewritten = rewrite_with_certificate(file);
        EXPECT_EQ(certify(file, rewritten).fault, "");
        EXPECT_GE(rewritten.certificate.thinned.size(), 3U);
        testing::expect_same_outputs(file, rewritten.graph, 5);
      }
    }
  }
}

TEST(Certificate, HoldsOfTheFindings) {
  THIMBLE_NEEDS_SHARED();
  for (const char* name : {"div8_const_channels", "divf_const_channels"}) {
    const std::filesystem::path path =
        testing::shared_folder() / "findings" / (std::string(name) + ".tflite");
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    const Graph file = import_tflite(path);
    for (const ConstantChannels channels : kBoth) (void)expect_certified(file, channels);
    testing::expect_same_outputs(file, rewrite(file), 1);
  }
}

TEST(Certificate, HoldsOfModels) {
  THIMBLE_NEEDS_SHARED();
  for (const char* name : {"mobilenet_v2", "mcunetv2_large", "vww_96_int8", "person_detect",
                           "pretrainedResnet_quant", "ad01_fp32", "micro_speech_lstm"}) {
    SCOPED_TRACE(name);
    const Graph file = import_tflite(testing::model_path(name));
    for (const ConstantChannels channels : kBoth) {
      const Certification proof = expect_certified(file, channels);
      fmt::print("{}: {} the same, {} checked, {} inferences\n", name, proof.same_ops,
                 proof.checked_ops, proof.inferences);
    }
    EXPECT_EQ(certify(file, {integer_io(file), {}}, Interface::kIntegers).fault, "");
  }
}

TEST(Certificate, SaysWhatIsWrong) {
  TestGraph g(7);
  g.output(g.conv(g.conv(g.input({1, 4, 4, 2}), 4, 3, 1), 3, 1, 1));
  const Graph& file = g.graph();
  RewrittenGraph wrong{file, {}};
  std::get<Conv2D>(wrong.graph.ops[1].attributes).activation = Activation::kRelu;
  EXPECT_EQ(certify(file, wrong).fault,
            "CONV_2D #1 has another clamp than the file's, which values reach");
  wrong = {file, {}};
  wrong.graph.ops[0].inputs.pop_back();
  EXPECT_EQ(certify(file, wrong).fault,
            "CONV_2D #0 has another bias than the file's with what removed channels add");
}

}  // namespace
}  // namespace thimble
