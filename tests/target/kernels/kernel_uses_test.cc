// SPDX-License-Identifier: Apache-2.0
// How the kernels walk operands, what they are packed with, and what has no kernel.
#include "thimble/target/kernels/kernel_uses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>

#include "thimble/model/error.h"
#include "thimble/target/kernels/quantize.h"
#include "thimble/target/kernels/runtime_sources.h"

namespace thimble {
namespace {

using Axes = std::vector<std::vector<int>>;

Tensor int8_tensor(Shape shape, int32_t zero_point = 0) {
  return {"t", std::move(shape), DType::kInt8, {{0.5F}, {zero_point}, 0}, nullptr};
}

Tensor constant(Shape shape, const Bytes& data) {
  Tensor t = int8_tensor(std::move(shape));
  t.data = std::make_shared<Bytes>(data);
  return t;
}

Graph single(Attributes attributes, std::vector<Tensor> tensors) {
  Graph graph;
  Op op{std::move(attributes), {}, {}, 0};
  for (size_t k = 0; k < tensors.size(); ++k) {
    auto& list = k + 1 == tensors.size() ? op.outputs : op.inputs;
    list.push_back({static_cast<int32_t>(k)});
  }
  graph.tensors = std::move(tensors);
  graph.ops.push_back(op);
  return graph;
}

KernelUse only_use(const Graph& graph, Method method = Method::kCompute) {
  const std::vector<KernelUse> uses = kernel_uses(graph, graph.ops[0], method);
  EXPECT_EQ(uses.size(), 1u);
  return uses.at(0);
}

Graph fully_connected(const Shape& x, const Shape& out, int64_t depth) {
  return single(FullyConnected{},
                {int8_tensor(x),
                 constant({out.back(), depth}, Bytes(static_cast<size_t>(out.back() * depth))),
                 int8_tensor(out)});
}

TEST(KernelTable, NamesEveryKernelOnceAndShipsItsSource) {
  std::set<std::string> paths, names;
  for (const RuntimeFile& file : runtime_files()) paths.insert(std::string(file.path));
  for (const KernelInfo& kernel : kernels()) {
    EXPECT_TRUE(paths.contains(kernel.source())) << kernel.source();
    EXPECT_TRUE(names.insert(kernel.name).second) << kernel.name;
  }
}

// thimble_runtime/kernels.h: the rows of a family are told apart by their names.
TEST(KernelTable, NamesFollowTheGrammar) {
  const std::map<DType, std::string> letters = {{DType::kInt8, "_i8"},   {DType::kUInt8, "_u8"},
                                                {DType::kInt16, "_i16"}, {DType::kInt32, "_i32"},
                                                {DType::kInt64, "_i64"}, {DType::kFloat32, "_f32"},
                                                {DType::kBool, "_b8"}};
  std::map<Family, int> rows;
  for (const KernelInfo& kernel : kernels())
    rows[kernel.family] += kernel.set == InstructionSet::kPortable;
  for (const KernelInfo& kernel : kernels()) {
    const std::string name = kernel.name;
    if (kernel.set != InstructionSet::kPortable) {
      EXPECT_TRUE(name.ends_with(std::string("_") + thimble::name(kernel.set))) << name;
    } else if (rows[kernel.family] > 1 && kernel.family != Family::kCopy &&
               kernel.family != Family::kShiftIn && kernel.family != Family::kGather &&
               kernel.family != Family::kUpdateSlice &&
               kernel.family != Family::kConv2DAccumulate) {
      // Complete sums, of 32 bits, are not named.
      const bool of_sums =
          kernel.family == Family::kMeanFinalise || kernel.family == Family::kAveragePool2DFinalise;
      const bool to_sums = kernel.family == Family::kSumAccumulate;
      const DType first = of_sums ? kernel.out : kernel.in, last = to_sums ? first : kernel.out;
      const std::string in = letters.at(first), out = letters.at(last);
      const bool bits = (kernel.family == Family::kPad && name.starts_with("pad")) ||
                        (kernel.family == Family::kSelect && name.starts_with("select_")) ||
                        (kernel.family == Family::kResizeNearestNeighbor &&
                         name.starts_with("resize_nearest_neighbor"));
      const bool alike = in == out && (first == DType::kInt8 || name.ends_with(in));
      EXPECT_TRUE(bits || alike || name.ends_with(in + out)) << name;
    }
  }
}

TEST(KernelTable, HasAPortableRowForEachVariant) {
  for (const KernelInfo& kernel : kernels()) {
    const KernelId portable = portable_kernel(kernel.family, kernel.in, kernel.out);
    ASSERT_TRUE(portable.valid()) << kernel.name;
    EXPECT_TRUE(kernel.adapt != nullptr || info(portable).params == kernel.params) << kernel.name;
  }
}

TEST(RuntimeFiles, HoldTheFilesAsTheyAre) {
  for (const RuntimeFile& file : runtime_files()) {
    EXPECT_TRUE(file.text.starts_with("// SPDX-License-Identifier: Apache-2.0\n")) << file.path;
    const bool no_namespace = file.path == "include/thimble_runtime/uses.h" ||
                              file.path == "include/thimble_runtime/naked.h" ||
                              file.path == "include/thimble_runtime/storage.h" ||
                              file.path == "dsp/times_float_dsp.h" || file.path == "mve/assembly.h";
    EXPECT_TRUE(no_namespace || file.text.ends_with("}  // namespace thimble::runtime\n"))
        << file.path;
  }
}

TEST(FullyConnected, WalksAxesThatInputAndOutputShare) {
  const KernelUse use = only_use(fully_connected({2, 3, 16}, {2, 3, 5}, 16));
  EXPECT_EQ(use.in[0].axes, (Axes{{}, {0}, {1}, {2}}));
  EXPECT_EQ(use.out.axes, (Axes{{}, {0}, {1}, {2}}));
  EXPECT_EQ(use.limits, (Region{{0, 1}, {0, 2}, {0, 3}, {0, 5}}));
}

TEST(FullyConnected, MergesTheTrailingAxesOfAnImage) {
  const KernelUse use = only_use(fully_connected({1, 4, 4, 64}, {1, 10}, 1024));
  EXPECT_EQ(use.in[0].axes, (Axes{{}, {}, {0}, {1, 2, 3}}));
  EXPECT_EQ(use.out.axes, (Axes{{}, {}, {0}, {1}}));
  EXPECT_EQ(std::get<runtime::Conv2DParams>(use.params).in_per_group, 1024);
}

TEST(FullyConnected, MergesTheBatchWhereTheOutputDoes) {
  const KernelUse use = only_use(fully_connected({2, 3, 16}, {6, 5}, 16));
  EXPECT_EQ(use.in[0].axes, (Axes{{}, {}, {0, 1}, {2}}));
  EXPECT_EQ(use.out.axes, (Axes{{}, {}, {0}, {1}}));
}

TEST(FullyConnected, HasNoKernelWhereAnAxisWouldSplit) {
  const Graph graph = fully_connected({2, 9}, {3, 5}, 6);
  EXPECT_FALSE(has_kernel(graph, graph.ops[0], Method::kCompute));
}

TEST(BatchMatMul, WalksAdjointsTheOtherWayRound) {
  const KernelUse use =
      only_use(single(BatchMatMul{true, false}, {int8_tensor({3, 1, 4, 6}), int8_tensor({2, 4, 5}),
                                                 int8_tensor({3, 2, 6, 5})}));
  EXPECT_EQ(use.in[0].axes, (Axes{{0}, {}, {3}, {2}}));
  EXPECT_EQ(use.in[1].axes, (Axes{{}, {0}, {2}, {1}}));
  EXPECT_EQ(use.out.axes, (Axes{{0}, {1}, {2}, {3}}));
  EXPECT_EQ(std::get<runtime::BatchMatMulParams>(use.params).depth, 4);
}

TEST(Reshape, KeepsTheRowsThatBothSidesHave) {
  const auto axes = [](const Shape& x, const Shape& out) {
    const KernelUse use = only_use(single(Reshape{}, {int8_tensor(x), int8_tensor(out)}));
    return std::pair(use.in[0].axes, use.out.axes);
  };
  EXPECT_EQ(axes({1, 6, 8}, {1, 6, 2, 4}),
            std::pair(Axes({{}, {0}, {1}, {2}}), Axes({{}, {0}, {1}, {2, 3}})));
  EXPECT_EQ(axes({1, 3, 2, 8}, {6, 8}),
            std::pair(Axes({{}, {0}, {1, 2}, {3}}), Axes({{}, {}, {0}, {1}})));
  EXPECT_EQ(axes({2, 3}, {6}), std::pair(Axes({{}, {}, {}, {0, 1}}), Axes({{}, {}, {}, {0}})));
}

TEST(FullyConnected, AccumulatesOnlyAlongOneAxis) {
  const Graph row = fully_connected({2, 16}, {2, 5}, 16);
  const Graph image = fully_connected({1, 4, 4}, {1, 5}, 16);
  EXPECT_TRUE(has_kernel(row, row.ops[0], Method::kAccumulate));
  EXPECT_FALSE(has_kernel(image, image.ops[0], Method::kAccumulate));
}

TEST(FullyConnected, TakesVariableWeightsWithAKernelOfItsOwn) {
  const Graph graph =
      single(FullyConnected{}, {int8_tensor({1, 6}), int8_tensor({4, 6}), int8_tensor({1, 4})});
  const KernelUse use = only_use(graph);
  EXPECT_EQ(use.kernel, portable_kernel(Family::kFullyConnected));
  EXPECT_EQ(use.inputs, (std::vector<int>{0, 1}));
  EXPECT_EQ(use.in[1].axes, (Axes{{}, {}, {0}, {1}}));
  EXPECT_FALSE(has_kernel(graph, graph.ops[0], Method::kAccumulate));
}

TEST(ResizeNearestNeighbor, TabulatesRowsAndColumns) {
  const Graph graph =
      single(ResizeNearestNeighbor{}, {int8_tensor({1, 2, 3, 4}), int8_tensor({1, 4, 2, 4})});
  const auto constants = pack(graph, graph.ops[0], only_use(graph).kernel);
  ASSERT_EQ(constants.size(), 2u);
  EXPECT_EQ(constants[0].data, (Bytes{0, 0, 0, 0, 1, 0, 1, 0}));  // int16
  EXPECT_EQ(constants[1].data, (Bytes{0, 0, 1, 0}));
}

TEST(Conv2D, FoldsTheZeroPointIntoTheBias) {
  Tensor x = int8_tensor({1, 1, 1, 2}, 10);
  const Graph graph =
      single(Conv2D{}, {x, constant({2, 1, 1, 2}, {1, 2, 3, 0xFF}), int8_tensor({1, 1, 1, 2})});
  const auto constants = pack(graph, graph.ops[0], only_use(graph).kernel);
  ASSERT_EQ(constants.size(), 4u);
  EXPECT_EQ(constants[1].role, "bias");
  int32_t bias[2];
  std::memcpy(bias, constants[1].data.data(), sizeof(bias));
  EXPECT_THAT(bias, ::testing::ElementsAre(-30, -20));
}

TEST(Conv2D, HasNoKernelWhereTheFoldedBiasOverflows) {
  Tensor bias{"b", {1}, DType::kInt32, {{0.25F}, {0}, 0}, nullptr};
  bias.data = std::make_shared<Bytes>(Bytes{0xF0, 0xFF, 0xFF, 0x7F});
  Graph graph = single(Conv2D{}, {int8_tensor({1, 1, 1, 1}, -128), constant({1, 1, 1, 1}, {127}),
                                  bias, int8_tensor({1, 1, 1, 1})});
  EXPECT_FALSE(has_kernel(graph, graph.ops[0], Method::kCompute));
}

TEST(Conv2D, AccumulatesOneGroupOnly) {
  const Graph graph = single(Conv2D{}, {int8_tensor({1, 1, 1, 4}), constant({2, 1, 1, 2}, Bytes(4)),
                                        int8_tensor({1, 1, 1, 2})});
  EXPECT_TRUE(has_kernel(graph, graph.ops[0], Method::kCompute));
  EXPECT_FALSE(has_kernel(graph, graph.ops[0], Method::kAccumulate));
}

TEST(Conv2D, FinalisesWhatItsOutputWalks) {
  const Graph graph = single(Conv2D{}, {int8_tensor({1, 1, 1, 4}), constant({2, 1, 1, 4}, Bytes(8)),
                                        int8_tensor({1, 1, 1, 2})});
  const KernelUse use = only_use(graph, Method::kFinalise);
  EXPECT_EQ(use.kernel, kernel_named("conv_2d_finalise"));
  EXPECT_EQ(use.in[0], use.out);
}

TEST(DepthwiseConv2D, ExecutesInPlaceWithAPlaneOfScratch) {
  const Window same{3, 3, 1, 1, 1, 1, {1, 1, 1, 1}};
  const Graph graph = single(
      DepthwiseConv2D{same, 1, Activation::kNone},
      {int8_tensor({1, 5, 7, 2}), constant({1, 3, 3, 2}, Bytes(18)), int8_tensor({1, 5, 7, 2})});
  EXPECT_EQ(only_use(graph, Method::kInPlace).kernel,
            portable_kernel(Family::kDepthwiseConv2DInPlace));
  EXPECT_EQ(scratch(graph, graph.ops[0], Method::kInPlace).size_bytes, 35);
  EXPECT_EQ(scratch(graph, graph.ops[0], Method::kCompute).size_bytes, 0);
}

TEST(DepthwiseConv2D, HasNoKernelInPlaceWithAMultiplier) {
  const Graph graph = single(
      DepthwiseConv2D{{}, 2, Activation::kNone},
      {int8_tensor({1, 5, 7, 2}), constant({1, 1, 1, 4}, Bytes(4)), int8_tensor({1, 5, 7, 4})});
  EXPECT_FALSE(has_kernel(graph, graph.ops[0], Method::kInPlace));
}

// 3 x 3, one channel's scale after the other; zero points 0 and `output_zero`.
Graph same_depthwise(std::vector<float> weight_scales, Activation activation, int32_t output_zero) {
  const Window same{3, 3, 1, 1, 1, 1, {1, 1, 1, 1}};
  Tensor weights = constant({1, 3, 3, 2}, Bytes(18, 3));
  weights.quantization.scales = std::move(weight_scales);
  weights.quantization.zero_points.assign(weights.quantization.scales.size(), 0);
  Tensor out = int8_tensor({1, 5, 7, 2}, output_zero);
  out.quantization.scales = {1};
  Tensor in = int8_tensor({1, 5, 7, 2});
  in.quantization.scales = {1};
  return single(DepthwiseConv2D{same, 1, activation}, {in, weights, out});
}

TEST(DepthwiseConv2D, HasATailThatIsExactForAllChannels) {
  const auto tail = [](const Graph& graph) { return only_use(graph, Method::kCompute).tail; };
  const float eighth = 0x1p-8F;
  EXPECT_EQ(tail(same_depthwise({eighth, 0x1p-6F}, Activation::kRelu, -128)), DepthwiseTail::kRelu);
  EXPECT_EQ(tail(same_depthwise({eighth, 0x1p-12F}, Activation::kRelu, -128)),
            DepthwiseTail::kShifted);
  EXPECT_EQ(tail(same_depthwise({eighth, eighth}, Activation::kNone, 5)), DepthwiseTail::kClamped);
  EXPECT_EQ(tail(same_depthwise({eighth, 1}, Activation::kRelu, -128)), std::nullopt);
}

TEST(DepthwiseConv2D, IsPackedInWordsForDspCores) {
  const Graph graph = same_depthwise({0x1p-8F, 0x1p-6F}, Activation::kRelu, -128);
  const KernelUse use = only_use(graph, Method::kCompute);
  std::vector<std::string> names;
  for (const Candidate& candidate : candidates(use, core_named("cortex-m4")))
    names.emplace_back(info(candidate.kernel).name);
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "depthwise_conv_2d", "depthwise_conv_2d_dsp", "depthwise_conv_2d_shifted_dsp",
                "depthwise_conv_2d_clamped_dsp", "depthwise_conv_2d_compact_dsp",
                "depthwise_conv_2d_compact_shifted_dsp", "depthwise_conv_2d_compact_clamped_dsp"}));
  const KernelId kernel = kernel_named("depthwise_conv_2d_dsp");
  const std::vector<PackedConstant> constants = pack(graph, graph.ops[0], kernel);
  ASSERT_EQ(constants.size(), 1u);
  EXPECT_EQ(constants[0].shape, (Shape{2 * 9}));
  // 4 rows of 5 pairs of columns in two channels, padding of four channels, and slack.
  EXPECT_EQ(scratch_bytes(kernel, use), 2 * 5 * 4 * 4 + 4 + 64);
}

TEST(Add, BroadcastsWithStrideZero) {
  const Graph graph =
      single(Add{}, {int8_tensor({7, 4, 7}), int8_tensor({1, 7}), int8_tensor({7, 4, 7})});
  const KernelUse use = only_use(graph);
  EXPECT_EQ(use.in[0].axes, (Axes{{}, {0}, {1}, {2}}));
  EXPECT_EQ(use.in[1].axes, (Axes{{}, {}, {}, {1}}));
}

TEST(Concat, GivesEachInputItsShareOfTheOutput) {
  const Graph graph = single(Concat{1, Activation::kNone},
                             {int8_tensor({2, 3}), int8_tensor({2, 5}), int8_tensor({2, 8})});
  const std::vector<KernelUse> uses = kernel_uses(graph, graph.ops[0], Method::kCompute);
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[1].inputs, (std::vector<int>{1}));
  EXPECT_EQ(uses[1].in[0].shift, (std::vector<int64_t>{0, 0, 0, 3}));
  EXPECT_EQ(uses[1].limits, (Region{{0, 1}, {0, 1}, {0, 2}, {3, 8}}));
}

TEST(Slice, StepsThroughTheInputAndLeavesDroppedAxesOut) {
  const Graph graph =
      single(Slice{{1, 3, 3}, {1, 2, -1}, {0}}, {int8_tensor({2, 9, 4}), int8_tensor({3, 2})});
  const KernelUse use = only_use(graph);
  EXPECT_EQ(use.kernel, copy_kernel(DType::kInt8));
  EXPECT_EQ(use.in[0].axes, (Axes{{}, {0}, {1}, {2}}));
  EXPECT_EQ(use.in[0].shift, (std::vector<int64_t>{0, -1, -3, -3}));
  EXPECT_EQ(use.in[0].step, (std::vector<int64_t>{1, 1, 2, -1}));
  EXPECT_EQ(use.out.axes, (Axes{{}, {}, {0}, {1}}));
  EXPECT_EQ(use.limits, (Region{{0, 1}, {0, 1}, {0, 3}, {0, 2}}));
}

TEST(Logistic, LooksUpWhatTheInterpreterSays) {
  Tensor out = int8_tensor({4}, -128);
  out.quantization.scales = {0x1p-8F};
  const Graph graph = single(Logistic{}, {int8_tensor({4}, 0), out});
  const KernelUse use = only_use(graph);
  EXPECT_EQ(use.kernel, portable_kernel(Family::kLookup));
  const auto constants = pack(graph, graph.ops[0], use.kernel);
  ASSERT_EQ(constants.size(), 1u);
  const PackedConstant& table = constants[0];
  EXPECT_EQ(table.role, "table");
  ASSERT_EQ(table.data.size(), 256u);
  EXPECT_EQ(table.data[0], 0x80);    // of -128: 0
  EXPECT_EQ(table.data[128], 0);     // of 0: a half
  EXPECT_EQ(table.data[255], 0x7F);  // of 127: 1
}

TEST(SquaredDifference, TakesTheSquareOfTheCommonScale) {
  const Graph graph =
      single(SquaredDifference{}, {int8_tensor({4}), int8_tensor({1}), int8_tensor({4})});
  const KernelUse use = only_use(graph);
  const auto& p = std::get<runtime::AddParams>(use.params);
  EXPECT_EQ(p.left_shift, 7);
  const double scale = 2 * static_cast<double>(graph.tensors[0].quantization.scales[0]);
  const double output = static_cast<double>(graph.tensors[2].quantization.scales[0]);
  EXPECT_NEAR(std::ldexp(p.output_scale.multiplier, p.output_scale.shift - 31),
              scale * scale / 0x1p14 / output, 1e-9);
}

TEST(Mean, LeavesReducedAxesOutOfTheOutputsWalk) {
  const Graph graph = single(Mean{{1, 2}}, {int8_tensor({2, 3, 3, 5}), int8_tensor({2, 5})});
  const KernelUse use = only_use(graph);
  EXPECT_EQ(use.out.axes, (Axes{{0}, {}, {}, {1}}));
  EXPECT_EQ(use.limits, (Region{{0, 2}, {0, 1}, {0, 1}, {0, 5}}));
}

TEST(Transpose, WalksTheInputInTheOutputsAxesBeyondFour) {
  const Graph graph = single(Transpose{{3, 0, 2, 1, 4}},
                             {int8_tensor({7, 2, 5, 4, 1}), int8_tensor({4, 7, 5, 2, 1})});
  const KernelUse use = only_use(graph);
  EXPECT_EQ(use.in[0].axes, (Axes{{3}, {0}, {2}, {1}, {4}}));
  EXPECT_EQ(use.out.axes, (Axes{{0}, {1}, {2}, {3}, {4}}));
}

TEST(Reshape, IsOneRowOnBothSides) {
  const Graph graph = single(Reshape{}, {int8_tensor({2, 3, 4}), int8_tensor({24})});
  const KernelUse use = only_use(graph);
  EXPECT_EQ(use.kernel, copy_kernel(DType::kInt8));
  EXPECT_EQ(use.in[0].axes, (Axes{{}, {}, {}, {0, 1, 2}}));
  EXPECT_EQ(use.limits.back(), (Interval{0, 24}));
}

TEST(Relu6, HasNoKernelAcrossScales) {
  Graph graph = single(Relu6{}, {int8_tensor({4}), int8_tensor({4})});
  EXPECT_TRUE(has_kernel(graph, graph.ops[0], Method::kCompute));
  graph.tensors[1].quantization.scales[0] = 0.25F;
  EXPECT_FALSE(has_kernel(graph, graph.ops[0], Method::kCompute));
}

TEST(Bind, ChecksTheNumberOfConstants) {
  const KernelParams params = runtime::Conv2DParams{};
  const int8_t byte = 0;
  const std::vector<const void*> three(3, &byte), five(5, &byte);
  EXPECT_THROW((void)thimble::bind(params, three), InternalError);
  EXPECT_THROW((void)thimble::bind(params, five), InternalError);
}

TEST(QuantizeScale, NormalisesTheMultiplier) {
  EXPECT_EQ(quantize_scale(1).multiplier, 1 << 30);
  EXPECT_EQ(quantize_scale(1).shift, 1);
  EXPECT_EQ(quantize_scale(0.375).multiplier, 3 << 29);
  EXPECT_EQ(quantize_scale(0.375).shift, -1);
  EXPECT_EQ(quantize_scale(0).multiplier, 0);
}

TEST(QuantizeScale, CarriesARoundedUpFraction) {
  const runtime::Scale scale = quantize_scale(1 - 0x1p-40);
  EXPECT_EQ(scale.multiplier, 1 << 30);
  EXPECT_EQ(scale.shift, 1);
}

TEST(QuantizeScale, TakesTheTiniestAsZero) {
  EXPECT_EQ(quantize_scale(0x1p-32).multiplier, 1 << 30);
  EXPECT_EQ(quantize_scale(0x1p-32).shift, -31);
  EXPECT_EQ(quantize_scale(0x1p-33).multiplier, 0);
  EXPECT_EQ(quantize_scale(0x1p-33).shift, 0);
}

TEST(ClampRange, FollowsTheActivation) {
  Tensor out = int8_tensor({1}, -10);
  out.quantization.scales = {0.1F};
  EXPECT_EQ(clamp_range(Activation::kNone, out).min, -128);
  EXPECT_EQ(clamp_range(Activation::kRelu, out).min, -10);
  EXPECT_EQ(clamp_range(Activation::kRelu, out).max, 127);
  EXPECT_EQ(clamp_range(Activation::kRelu6, out).max, 50);
  EXPECT_EQ(clamp_range(Activation::kReluN1To1, out).min, -20);
  EXPECT_EQ(clamp_range(Activation::kReluN1To1, out).max, 0);
}

}  // namespace
}  // namespace thimble
