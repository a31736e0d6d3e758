// SPDX-License-Identifier: Apache-2.0
// Kernels for an instruction set as they ship, assembly included, on an emulated core: many small
// operators beside the reference, whole and in rows, pixels and slices of channels.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/nibbles.h"
#include "tests/support/random_network.h"
#include "tests/support/random_op.h"
#include "tests/support/test_graph.h"
#include "tests/support/workload.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/measure.h"
#include "zoo/random.h"

namespace thimble {
namespace {

using ::testing::IsSupersetOf;
using ::testing::SizeIs;

// Every other operator with a clamp, half of these with nothing but the clamp below zero, some
// whose channels' scales are far apart.
void clamp_outputs(Graph& graph) {
  for (size_t k = 0; k < graph.ops.size(); k += 2) {
    Op& op = graph.ops[k];
    if (auto* a = std::get_if<Conv2D>(&op.attributes)) a->activation = Activation::kRelu;
    if (auto* a = std::get_if<DepthwiseConv2D>(&op.attributes)) {
      a->activation = Activation::kRelu;
      std::vector<float>& scales = graph.tensor(op.inputs[1]).quantization.scales;
      if (k % 8 == 4) scales.back() /= 4096.0F;
      if (k % 4 == 0) graph.tensor(op.outputs[0]).quantization.zero_points = {-128};
    }
  }
}

// A shift to the left, as weights with a large scale have it.
void enlarge_weights(Graph& graph) {
  for (Op& op : graph.ops) {
    if (!std::holds_alternative<Conv2D>(op.attributes)) continue;
    std::vector<float>& scales =
        graph.tensors[static_cast<size_t>(op.inputs[1].index())].quantization.scales;
    scales.back() *= 4096.0F;
  }
}

// Pairs of weights that compact kernels cannot hold, here and there.
void lower_weights(Graph& graph) {
  for (size_t k = 0; k < graph.ops.size(); k += 3) {
    if (!std::holds_alternative<Conv2D>(graph.ops[k].attributes)) continue;
    Tensor& tensor = graph.tensors[static_cast<size_t>(graph.ops[k].inputs[1].index())];
    Bytes weights = *tensor.data;
    for (size_t at = k % 2; at + 1 < weights.size(); at += 37) {
      weights[at] = 0xff;
      weights[at + 1] = 0x80;
    }
    tensor.data = std::make_shared<const Bytes>(weights);
  }
}

// One scale for all channels of some layers.
void share_scales(Graph& graph) {
  for (size_t k = 1; k < graph.ops.size(); k += 2) {
    if (!std::holds_alternative<Conv2D>(graph.ops[k].attributes)) continue;
    std::vector<float>& scales =
        graph.tensors[static_cast<size_t>(graph.ops[k].inputs[1].index())].quantization.scales;
    std::ranges::fill(scales, scales.front());
  }
}

/// Operators on one image, whose extents and channels the seed draws.
Graph small_operators(uint64_t seed) {
  zoo::Random random(seed);
  const auto between = [&](int64_t low, int64_t high) { return random.between(low, high); };
  testing::TestGraph net(seed);
  const TensorId x = net.input({1, between(1, 13), between(1, 13), between(1, 40)});
  for (int64_t k = 0; k < 4; ++k) net.output(net.conv(x, between(1, 17), 1, between(1, 3)));
  for (int64_t k = 0; k < 3; ++k)
    net.output(net.conv(x, between(1, 17), between(2, 7), between(1, 3)));
  for (int64_t k = 0; k < 6; ++k) net.output(net.depthwise(x, between(1, 7), between(1, 3)));
  net.output(net.depthwise(x, 3, 1));
  net.output(net.fully_connected(x, between(1, 17)));
  net.output(net.mean(x));
  net.output(net.add(x, net.conv(x, net.graph().tensor(x).shape[3], 1, 1)));
  net.output(net.average_pool(x, between(1, 4), between(1, 2)));
  net.output(net.mul(x, net.mean(x)));
  net.output(net.max_pool(x, between(1, 4), between(1, 2)));
  net.output(net.max_pool(x, between(2, 3), 2, Activation::kRelu6));
  net.output(net.logistic(x));
  net.output(net.resize(x, ResizeBilinear{.half_pixel_centers = seed % 2 == 0}, between(1, 20),
                        between(1, 20)));
  net.output(net.resize(x, ResizeNearestNeighbor{}, between(1, 20), between(1, 20)));
  Graph graph = net.graph();
  graph.name = fmt::format("operators_{}", seed);
  clamp_outputs(graph);
  if (seed % 3 == 0) enlarge_weights(graph);
  if (seed % 2 == 0) lower_weights(graph);
  share_scales(graph);
  return graph;
}

/// One behind the other, as plans in parts have them.
Graph chain(uint64_t seed) {
  zoo::Random random(seed);
  const auto between = [&](int64_t low, int64_t high) { return random.between(low, high); };
  testing::TestGraph net(seed);
  TensorId x = net.input({1, between(9, 24), between(9, 24), between(1, 6)});
  x = net.conv(x, between(1, 17), between(1, 5), between(1, 2));
  x = net.depthwise(x, 3, 1);
  const TensorId shortcut = net.conv(x, between(1, 17), 1, 1);
  x = net.depthwise(shortcut, between(2, 7), 1);
  x = net.add(shortcut, net.conv(x, net.graph().tensor(shortcut).shape[3], between(1, 3), 1));
  x = net.depthwise(x, between(2, 5), 2);
  net.output(net.conv(x, between(1, 9), 1, 1));
  Graph graph = net.graph();
  graph.name = fmt::format("chain_{}", seed);
  clamp_outputs(graph);
  return graph;
}

/// An operator alone, all sorts of them in turn: what it does not use of its kernel is not there.
Graph single_operator(uint64_t seed) {
  zoo::Random random(seed);
  const auto between = [&](int64_t low, int64_t high) { return random.between(low, high); };
  testing::TestGraph net(seed);
  const int64_t channels = seed % 3 == 0 ? between(1, 20) : 4 * between(1, 8);
  const TensorId x = net.input({1, between(1, 13), between(1, 13), channels});
  switch (seed % 6) {
    case 0:
      net.output(net.conv(x, 2 * between(1, 9), 1, between(1, 2)));
      break;
    case 1:
      net.output(net.conv(x, between(1, 17), between(1, 4), between(1, 3)));
      break;
    case 2:
      net.output(net.depthwise(x, 3, 1));
      break;
    case 3:
      net.output(net.depthwise(x, 3, 2));
      break;
    case 4:
      net.output(net.depthwise(x, between(1, 7), between(1, 3)));
      break;
    default:
      net.output(net.add(net.max_pool(x, 3, 1), net.mul(x, net.mean(x))));
      break;
  }
  Graph graph = net.graph();
  graph.name = fmt::format("operator_{}", seed);
  clamp_outputs(graph);
  return graph;
}

/// Few pixels of many channels: what a window of theirs widened takes is more than all of them.
Graph few_pixels(uint64_t seed) {
  zoo::Random random(seed);
  const auto between = [&](int64_t low, int64_t high) { return random.between(low, high); };
  testing::TestGraph net(seed);
  TensorId x = net.input({1, between(1, 3), between(1, 2), 4 * between(1, 40)});
  for (int64_t k = 0; k < 3; ++k) x = net.conv(x, 4 * between(1, 17), 1, between(1, 2));
  net.output(net.conv(x, between(1, 17), 1, 1));
  Graph graph = net.graph();
  graph.name = fmt::format("few_pixels_{}", seed);
  clamp_outputs(graph);
  if (seed % 3 == 0) enlarge_weights(graph);
  return graph;
}

struct KernelsOfCore {
  const char* core;
  std::set<std::string> kernels;  ///< that are among the plans'
  Weights weights = Weights::kFast;
  bool nibbles = false;  ///< weights are in 4 bits

  [[nodiscard]] Graph of(Graph graph) const {
    return nibbles ? testing::in_nibbles(std::move(graph)) : graph;
  }
};
void PrintTo(const KernelsOfCore& of, std::ostream* out) {
  *out << of.core << (of.nibbles ? "_nibbles" : of.weights == Weights::kFast ? "" : "_compact");
}

/// Models of one firmware, each with inputs.
struct Firmware {
  const char* core;
  Weights weights = Weights::kFast;
  std::vector<Compiled> compiled = {};
  InputSet inputs = {};

  void add(const Graph& graph, const std::string& planner, uint64_t seed,
           std::optional<int64_t> sram_bytes = 1 << 20) {
    compiled.push_back(std::get<Compiled>(compile({.model = Source{graph, graph.name, ""},
                                                   .graph = {.rewrite = false},
                                                   .target = generic_target(core),
                                                   .sram_bytes = sram_bytes,
                                                   .weights = weights,
                                                   .planner = planner})));
    inputs.push_back(testing::noise(graph, static_cast<uint32_t>(seed)));
  }
  [[nodiscard]] std::set<std::string> kernels() const {
    std::set<std::string> found;
    for (const Compiled& c : compiled) {
      for_each_step(c.plan.schedule, [&](const Step& step, Position) {
        if (step.kernel.valid()) found.insert(info(step.kernel).name);
      });
    }
    return found;
  }
  void expect_outputs_of_the_reference(bool whole_runtime) const {
    std::vector<FirmwareModel> models;
    for (const Compiled& c : compiled) {
      const Emission emission{.name = c.graph.name,
                              .command = "a test",
                              .also_used = whole_runtime ? all_parts() : std::set<std::string>()};
      models.push_back({c.graph.name, emitted_files(c, emission), &c.program});
    }
    const Measured measured = measure(models, core, {inputs});
    for (size_t k = 0; k < compiled.size(); ++k) {
      const EmulatedRun& run = measured.sets[0][k];
      EXPECT_TRUE(run.guards_intact()) << run.name << ": " << run.guards;
      const std::vector<Bytes> expected = testing::expected_outputs(compiled[k].graph, inputs[k]);
      ASSERT_EQ(run.outputs.size(), expected.size());
      for (size_t o = 0; o < expected.size(); ++o)
        EXPECT_TRUE(run.outputs[o] == expected[o]) << run.name << ", output " << o;
    }
  }
};

class KernelFirmware : public ::testing::TestWithParam<KernelsOfCore> {};

TEST_P(KernelFirmware, ComputesWhatTheReferenceDoes) {
  Firmware firmware{.core = GetParam().core, .weights = GetParam().weights};
  for (uint64_t seed = 1; seed <= testing::random_cases(14, 24); ++seed)
    firmware.add(GetParam().of(small_operators(seed)), "reorder", seed);
  EXPECT_THAT(firmware.kernels(), IsSupersetOf(GetParam().kernels));
  firmware.expect_outputs_of_the_reference(true);
}

TEST_P(KernelFirmware, ComputesTheSameWithWhatAnOperatorUses) {
  Firmware firmware{.core = GetParam().core, .weights = GetParam().weights};
  const std::vector<std::string> planners = {"reorder", "reorder", "stream:granularity=row"};
  for (uint64_t seed = 1; seed <= testing::random_cases(18, 36); ++seed)
    firmware.add(GetParam().of(single_operator(seed)), planners[seed / 6 % planners.size()], seed);
  firmware.expect_outputs_of_the_reference(false);
}

TEST_P(KernelFirmware, ComputesTheSameInParts) {
  Firmware firmware{.core = GetParam().core, .weights = GetParam().weights};
  const std::vector<std::string> planners = {"stream:granularity=row", "stream:granularity=pixel",
                                             "pex"};
  for (uint64_t seed = 1; seed <= testing::random_cases(12, 24); ++seed)
    firmware.add(GetParam().of(chain(seed)), planners[seed % planners.size()], seed);
  firmware.expect_outputs_of_the_reference(false);
}

TEST(DspFirmware, ComputesWithoutScratch) {
  Firmware firmware{.core = "cortex-m4"};
  for (uint64_t seed = 1; seed <= 24; ++seed)
    firmware.add(few_pixels(seed), "reorder", seed, std::nullopt);
  EXPECT_THAT(firmware.kernels(), IsSupersetOf({"conv_2d_1x1_dsp"}));
  firmware.expect_outputs_of_the_reference(false);
}

// Two or three channels of a depthwise convolution, as slices have them.
TEST(DspFirmware, ComputesFewChannels) {
  Firmware firmware{.core = "cortex-m4"};
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    testing::TestGraph net(seed);
    zoo::Random random(seed);
    const TensorId x = net.input({1, random.between(5, 13), random.between(5, 13), 1});
    const TensorId few = net.conv(x, random.between(1, 3), 1, 1);
    for (int64_t k = 2; k <= 5; ++k) net.output(net.depthwise(few, k, random.between(1, 2)));
    Graph graph = net.graph();
    graph.name = fmt::format("few_channels_{}", seed);
    clamp_outputs(graph);
    firmware.add(graph, "reorder", seed);
  }
  EXPECT_THAT(firmware.kernels(), IsSupersetOf({"depthwise_conv_2d_clamped_dsp"}));
  firmware.expect_outputs_of_the_reference(false);
}

/// The network in ONNX's arithmetic, as far as that has kernels.
Graph in_onnx(Graph graph) {
  for (Op& op : graph.ops) {
    const auto is_of_onnx = []<class Operator>(const Operator&) { return kIsOfOnnx<Operator>; };
    if (std::visit(is_of_onnx, op.attributes)) op.attributes.arithmetic = Arithmetic::kOnnx;
  }
  return graph;
}

class OnnxFirmware : public ::testing::TestWithParam<KernelsOfCore> {};

TEST_P(OnnxFirmware, ComputesWhatTheReferenceDoes) {
  Firmware firmware{.core = GetParam().core, .weights = GetParam().weights};
  for (uint64_t seed = 1; seed <= testing::random_cases(5, 12); ++seed) {
    firmware.add(in_onnx(small_operators(seed)), "reorder", seed);
    firmware.add(in_onnx(few_pixels(seed)), "reorder", seed);
    firmware.add(in_onnx(chain(seed)), "stream:granularity=pixel", seed);
  }
  EXPECT_THAT(firmware.kernels(), IsSupersetOf(GetParam().kernels));
  firmware.expect_outputs_of_the_reference(false);
}

INSTANTIATE_TEST_SUITE_P(
    Cores, OnnxFirmware,
    ::testing::Values(
        KernelsOfCore{"cortex-m4",
                      {"conv_2d_pairs_dsp", "conv_2d_1x1_dsp", "depthwise_conv_2d_to_even_dsp",
                       "depthwise_conv_2d_in_place_to_even_dsp", "mean_dsp"}},
        KernelsOfCore{"cortex-m4",
                      {"conv_2d_pairs_compact_dsp", "depthwise_conv_2d_compact_to_even_dsp"},
                      Weights::kCompact},
        KernelsOfCore{"cortex-m4+nofp", {"conv_2d_pairs_dsp", "depthwise_conv_2d_to_even_dsp"}},
        KernelsOfCore{"cortex-m55", {"conv_2d_mve", "conv_2d_1x1_mve", "depthwise_conv_2d_mve"}},
        KernelsOfCore{"cortex-m55+nomve.fp", {"conv_2d_mve", "depthwise_conv_2d_mve"}},
        KernelsOfCore{"cortex-m0", {}}, KernelsOfCore{"rv32imc", {}}),
    [](const auto& of) {
      std::string text = of.param.core;
      std::ranges::replace_if(
          text, [](char c) { return !(std::isalnum(static_cast<unsigned char>(c)) != 0); }, '_');
      return text + (of.param.weights == Weights::kFast ? "" : "_compact");
    });

/// The network with activations of int16.
Graph in_int16(Graph graph) {
  for (Tensor& tensor : graph.tensors) {
    if (tensor.is_constant() || tensor.type != DType::kInt8) continue;
    tensor.type = DType::kInt16;
    tensor.quantization.zero_points = {0};
    for (float& scale : tensor.quantization.scales) scale /= 256;
  }
  return graph;
}

TEST(DspFirmware, ComputesConvolutionsOfInt16InParts) {
  const std::vector<std::string> planners = {"stream:granularity=row", "stream:granularity=pixel",
                                             "reorder"};
  Firmware firmware{.core = "cortex-m4"};
  for (uint64_t seed = 1; seed <= 18; ++seed) {
    firmware.add(in_int16(chain(seed)), planners[seed % planners.size()], seed);
    firmware.add(in_int16(few_pixels(seed)), "reorder", seed);
  }
  EXPECT_THAT(firmware.kernels(), IsSupersetOf({"conv_2d_i16_depthwise_dsp", "conv_2d_i16_dsp"}));
  firmware.expect_outputs_of_the_reference(false);
}

/// Operators of a kind on int16 or, where `type` is that, on int8.
template <class Kind>
void add_random_operators(Firmware& firmware, DType type, uint64_t count) {
  const uint64_t kind = Attributes(Kind{}).index();
  for (uint64_t seed = kind; count > 0; seed += std::variant_size_v<AnyOperator>) {
    Graph graph = testing::random_op_graph(seed);
    const Op& op = graph.ops.front();
    if (graph.tensor(op.inputs[0]).type != type) continue;
    graph.name = fmt::format("operator_{}", seed);
    firmware.add(graph, "reorder", seed);
    --count;
  }
}

/// Constants to the power of the input, from beyond the largest number to below the smallest.
Graph steep_powers() {
  Graph graph{.name = "steep_powers"};
  std::vector<float> bases;
  for (int k = -40; k <= 40; ++k) bases.push_back(std::ldexp(1.1F, 3 * k));
  const Shape shape = {std::ssize(bases)};
  Bytes data(bases.size() * sizeof(float));
  std::memcpy(data.data(), bases.data(), data.size());
  graph.tensors = {{.name = "x", .shape = shape, .type = DType::kFloat32},
                   {.name = "bases", .shape = shape, .type = DType::kFloat32},
                   {.name = "y", .shape = shape, .type = DType::kFloat32}};
  graph.tensors[1].data = std::make_shared<const Bytes>(std::move(data));
  graph.ops = {{Pow{}, {TensorId{1}, TensorId{0}}, {TensorId{2}}}};
  graph.inputs = {Port{TensorId{0}}};
  graph.outputs = {Port{TensorId{2}}};
  return graph;
}

/// Weights of float32 and of int8, whole and in rows.
TEST(FloatFirmware, ComputesWhatTheReferenceDoes) {
  const std::vector<std::string> planners = {"reorder", "stream:granularity=row"};
  for (const char* core : {"cortex-m4", "rv32imc"}) {
    Firmware firmware{.core = core};
    add_random_operators<Lstm>(firmware, DType::kFloat32, 8);
    add_random_operators<Recurrent>(firmware, DType::kFloat32, 8);
    add_random_operators<Elementwise>(firmware, DType::kFloat32, 12);
    add_random_operators<Pow>(firmware, DType::kFloat32, 6);
    firmware.add(steep_powers(), "reorder", 1);
    for (uint64_t seed = 1; seed <= 12; ++seed) {
      const Graph graph = testing::in_float32(chain(seed), seed);
      ASSERT_FALSE(graph.ops.empty());
      firmware.add(graph, planners[seed % planners.size()], seed);
    }
    std::set<std::string> found;
    for (const Compiled& c : firmware.compiled) {
      for (const ProgramParams& given : c.program.params) found.insert(type_name(given.params));
    }
    EXPECT_THAT(found, IsSupersetOf({"FloatConv2DParams", "HybridConv2DParams", "FloatLstmParams",
                                     "HybridLstmParams", "FloatRecurrentParams"}));
    firmware.expect_outputs_of_the_reference(false);
  }
}

void expect_operators(const char* core, Weights weights, const std::set<std::string>& kernels) {
  Firmware firmware{.core = core, .weights = weights};
  add_random_operators<Conv2D>(firmware, DType::kInt16, 12);
  add_random_operators<DepthwiseConv2D>(firmware, DType::kInt16, 10);
  add_random_operators<FullyConnected>(firmware, DType::kInt16, 8);
  add_random_operators<TransposeConv>(firmware, DType::kInt16, 10);
  add_random_operators<TransposeConv>(firmware, DType::kInt8, 10);
  add_random_operators<SvdfFeatures>(firmware, DType::kInt8, 12);
  add_random_operators<Lstm>(firmware, DType::kInt8, 6);
  add_random_operators<StepLoop>(firmware, DType::kInt8, 6);
  add_random_operators<BatchMatMul>(firmware, DType::kInt8, 10);
  add_random_operators<Softmax>(firmware, DType::kInt8, 12);
  EXPECT_THAT(firmware.kernels(), IsSupersetOf(kernels));
  firmware.expect_outputs_of_the_reference(true);
}

TEST(DspFirmware, ComputesConvolutionsOfInt16AndSums) {
  expect_operators(
      "cortex-m4", Weights::kFast,
      {"batch_matmul_dsp", "conv_2d_i16_depthwise_dsp", "conv_2d_i16_dsp", "lstm_dsp",
       "softmax_i8_i16_dsp", "softmax_i8_i8_dsp", "step_loop_dsp", "svdf_features_i8_i16_dsp",
       "svdf_features_i8_i8_dsp", "transpose_conv_dsp", "transpose_conv_i16_dsp"});
}

TEST(DspFirmware, ComputesThemOfCompactWeights) {
  expect_operators("cortex-m4", Weights::kLeast,
                   {"batch_matmul_dsp", "conv_2d_i16_compact_dsp", "conv_2d_i16_depthwise_dsp",
                    "lstm_dsp", "transpose_conv_i16_compact_dsp"});
}

TEST(MveFirmware, ComputesConvolutionsOfInt16AndSums) {
  expect_operators("cortex-m55", Weights::kFast,
                   {"conv_2d_i16_mve", "lstm_mve", "step_loop_mve", "svdf_features_i8_i16_mve",
                    "svdf_features_i8_i8_mve", "transpose_conv_i16_mve", "transpose_conv_mve"});
}

TEST(MveFirmware, HasEveryWayToRoundOfMve) {
  std::set<int32_t> roundings;
  Firmware firmware{.core = "cortex-m55"};
  for (uint64_t seed = 1; seed <= 24; ++seed) firmware.add(small_operators(seed), "reorder", seed);
  for (const Compiled& c : firmware.compiled) {
    for (const ProgramParams& given : c.program.params) {
      const auto* p = std::get_if<runtime::Conv2DFoursParams>(&given.params);
      if (p != nullptr) roundings.insert(p->rounding);
    }
  }
  EXPECT_THAT(roundings, SizeIs(3));
}

INSTANTIATE_TEST_SUITE_P(
    Cores, KernelFirmware,
    ::testing::Values(
        KernelsOfCore{
            "cortex-m4",
            {"add_dsp", "average_pool_2d_dsp", "conv_2d_pairs_dsp", "depthwise_conv_2d_clamped_dsp",
             "depthwise_conv_2d_dsp", "max_pool_2d_dsp", "mean_dsp", "mul_dsp"}},
        KernelsOfCore{"cortex-m4",
                      {"conv_2d_pairs_compact_dsp", "depthwise_conv_2d_compact_dsp",
                       "depthwise_conv_2d_compact_clamped_dsp"},
                      Weights::kCompact},
        KernelsOfCore{"cortex-m4", {"conv_2d_pairs_nibbles_dsp"}, Weights::kCompact, true},
        KernelsOfCore{"cortex-m55",
                      {"conv_2d_1x1_nibbles_mve", "conv_2d_nibbles_mve"},
                      Weights::kCompact,
                      true},
        KernelsOfCore{"cortex-m0", {"conv_2d_nibbles"}, Weights::kLeast, true},
        KernelsOfCore{"rv32imc", {"conv_2d_nibbles"}, Weights::kLeast, true},
        KernelsOfCore{"cortex-m55",
                      {"add_mve", "average_pool_2d_mve", "conv_2d_1x1_mve", "conv_2d_mve",
                       "depthwise_conv_2d_mve", "lookup_i8_mve", "max_pool_2d_mve", "mean_mve",
                       "mul_mve", "resize_bilinear_mve"}}),
    [](const auto& of) {
      std::string name = ::testing::PrintToString(of.param);
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace thimble
