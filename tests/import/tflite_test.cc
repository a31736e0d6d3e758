// SPDX-License-Identifier: Apache-2.0
// What the importer makes of well-formed files.
#include "thimble/import/tflite.h"

#include <gtest/gtest.h>

#include <cstring>

#include "single_operator.h"
#include "tflite_builder.h"
#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"

namespace thimble::testing {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

Graph import(const TfliteBuilder& builder) {
  return import_tflite(builder.bytes(), "test", "test.tflite");
}

tflite::Conv2DOptionsT conv_options(tflite::Padding padding, int32_t stride, int32_t dilation) {
  tflite::Conv2DOptionsT options;
  options.padding = padding;
  options.stride_h = options.stride_w = stride;
  options.dilation_h_factor = options.dilation_w_factor = dilation;
  return options;
}

Window conv_window(int32_t extent, int32_t kernel, int32_t out, const tflite::Conv2DOptionsT& o) {
  TfliteBuilder b = with_input({1, extent, extent, 3});
  const int32_t weights = b.weights({4, kernel, kernel, 3}, 0);
  const int32_t bias = b.bias(4);
  const Graph g =
      import_single(std::move(b), BuiltinOperator::CONV_2D, {weights, bias}, {1, out, out, 4}, o);
  return std::get<Conv2D>(g.ops[0].attributes).window;
}

TEST(TfliteImport, TakesTheSmallNetwork) {
  const Graph g = import(small_network());
  EXPECT_EQ(g.name, "test");
  ASSERT_EQ(g.ops.size(), 4U);
  EXPECT_EQ(label(g.ops[2]), "FULLY_CONNECTED #2");
  EXPECT_EQ(g.inputs, (std::vector<Port>{{TensorId{0}, {}}}));
  EXPECT_EQ(g.outputs, (std::vector<Port>{{TensorId{8}, {}}}));
  EXPECT_EQ(g.ops[0].inputs, (std::vector<TensorId>{{0}, {1}, {2}}));
  EXPECT_EQ(g.tensors[1].quantization.scales, std::vector<float>(4, 0.25F));
  EXPECT_EQ(std::get<Conv2D>(g.ops[0].attributes).activation, Activation::kRelu6);
}

TEST(TfliteImport, LeavesOutAbsentAndShapeInputs) {
  const Graph g = import(small_network());
  EXPECT_EQ(g.ops[1].inputs, std::vector<TensorId>{{3}});
  EXPECT_EQ(g.ops[2].inputs, (std::vector<TensorId>{{5}, {6}}));
}

std::vector<float> floats_of(const Tensor& t) {
  std::vector<float> values(t.data->size() / sizeof(float));
  std::memcpy(values.data(), t.data->data(), t.data->size());
  return values;
}

// 1, -2, the least subnormal number, infinity is refused elsewhere.
TEST(TfliteImport, ExpandsWeightsOfFloat16) {
  TfliteBuilder b = with_input({1, 3}, TensorType::FLOAT32);
  const int32_t halves = b.constant({1, 3}, TensorType::FLOAT16,
                                    bytes_of(std::vector<uint16_t>{0x3C00, 0xC000, 0x0001}));
  const int32_t weights = b.tensor({1, 3}, TensorType::FLOAT32);
  const int32_t out = b.tensor({1, 1}, TensorType::FLOAT32);
  b.op(BuiltinOperator::DEQUANTIZE, {halves}, {weights}, tflite::DequantizeOptionsT());
  b.op(BuiltinOperator::FULLY_CONNECTED, {0, weights, -1}, {out}, tflite::FullyConnectedOptionsT());
  b.inputs({0});
  b.outputs({out});
  const Graph g = import(b);
  ASSERT_EQ(g.ops.size(), 1U);
  EXPECT_EQ(floats_of(g.tensor(g.ops[0].inputs[1])), (std::vector<float>{1, -2, 0x1p-24F}));
}

// An odd number of them: the last byte is half full.
TEST(TfliteImport, ExpandsWeightsOfInt4) {
  TfliteBuilder b = with_input({1, 3});
  const int32_t weights = b.weights({1, 3}, 0);
  b.at(weights).type = TensorType::INT4;
  b.model.buffers[b.at(weights).buffer]->data = {0x87, 0xFF};
  const int32_t out = b.tensor({1, 1});
  b.op(BuiltinOperator::FULLY_CONNECTED, {0, weights, -1}, {out}, tflite::FullyConnectedOptionsT());
  b.inputs({0});
  b.outputs({out});
  const Graph g = import(b);
  const Tensor& expanded = g.tensor(g.ops[0].inputs[1]);
  EXPECT_EQ(expanded.type, DType::kInt8);
  EXPECT_EQ(*expanded.data, (Bytes{7, 0xF8, 0xFF}));
}

TEST(TfliteImport, RefusesInt4OfAnotherLength) {
  TfliteBuilder b = with_input({1, 3});
  const int32_t weights = b.weights({1, 3}, 0);
  b.at(weights).type = TensorType::INT4;
  const int32_t out = b.tensor({1, 1});
  b.op(BuiltinOperator::FULLY_CONNECTED, {0, weights, -1}, {out}, tflite::FullyConnectedOptionsT());
  b.inputs({0});
  b.outputs({out});
  EXPECT_THROW((void)import(b), CompileError);
}

/// A fully connected layer of float32 with weights of int8, 2 x 2.
TfliteBuilder hybrid_layer(const std::vector<float>& scales, const std::vector<int64_t>& zeros) {
  TfliteBuilder b = with_input({1, 2}, TensorType::FLOAT32);
  const int32_t weights = b.weights({2, 2}, 0);
  b.at(weights).quantization->scale = scales;
  b.at(weights).quantization->zero_point = zeros;
  b.model.buffers[b.at(weights).buffer]->data = {1, 0xFF, 3, 4};
  const int32_t out = b.tensor({1, 2}, TensorType::FLOAT32);
  b.op(BuiltinOperator::FULLY_CONNECTED, {0, weights, -1}, {out}, tflite::FullyConnectedOptionsT());
  b.inputs({0});
  b.outputs({out});
  return b;
}

std::vector<float> outputs_of_ten_and_one(const Graph& g) {
  const TensorValues values = interpret(g, {bytes_of(std::vector<float>{10, 1})});
  return floats_of({.shape = {1, 2},
                    .type = DType::kFloat32,
                    .data = std::make_shared<const Bytes>(values[g.outputs[0].tensor.index()])});
}

TEST(TfliteImport, KeepsWeightsOfInt8WhereTheInputIsFloat32) {
  const Graph channels = import(hybrid_layer({0.5F, 2}, {0, 0}));
  EXPECT_EQ(channels.tensor(channels.ops[0].inputs[1]).type, DType::kInt8);
  EXPECT_EQ(outputs_of_ten_and_one(channels), (std::vector<float>{4.5F, 68}));
  const Graph alike = import(hybrid_layer({0.5F}, {1}));
  EXPECT_EQ(alike.tensor(alike.ops[0].inputs[1]).type, DType::kInt8);
  EXPECT_EQ(outputs_of_ten_and_one(alike), (std::vector<float>{-1, 11.5F}));
}

/// Zero points that differ from channel to channel, and scales that leave the numbers of float32.
TEST(TfliteImport, ExpandsWeightsThatKernelsDoNotDequantise) {
  const Graph g = import(hybrid_layer({0.5F, 2}, {0, 1}));
  const Tensor& expanded = g.tensor(g.ops[0].inputs[1]);
  EXPECT_EQ(expanded.type, DType::kFloat32);
  EXPECT_TRUE(expanded.quantization.scales.empty());
  EXPECT_EQ(floats_of(expanded), (std::vector<float>{0.5F, -0.5F, 4, 6}));
  EXPECT_THROW((void)import(hybrid_layer({3e38F}, {0})), CompileError);
}

TEST(TfliteImport, KeepsWeightsThatTheFileDequantises) {
  TfliteBuilder b = hybrid_layer({0.5F, 2}, {0, 0});
  const int32_t weights = b.op_at(0).inputs[1];
  const int32_t dequantised = b.tensor({2, 2}, TensorType::FLOAT32);
  b.op_at(0).inputs[1] = dequantised;
  b.op(BuiltinOperator::DEQUANTIZE, {weights}, {dequantised});
  std::swap(b.network().operators[0], b.network().operators[1]);
  const Graph g = import(b);
  ASSERT_EQ(g.ops.size(), 1U);
  EXPECT_EQ(g.tensor(g.ops[0].inputs[1]).type, DType::kInt8);
  EXPECT_EQ(outputs_of_ten_and_one(g), (std::vector<float>{4.5F, 68}));
}

/// As many as operators in steps may make of a small file.
TEST(TfliteImport, RefusesTooManyTensors) {
  TfliteBuilder b = with_input({1, 2});
  const int32_t out = b.tensor({1, 2});
  for (int k = 0; k < 1 << 18; ++k) b.tensor({1});
  b.op(BuiltinOperator::RELU, {0}, {out});
  b.inputs({0});
  b.outputs({out});
  try {
    (void)import(b);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_NE(std::string(error.what()).find("tensors by then"), std::string::npos);
  }
}

TEST(TfliteImport, PadsTheOddElementBehind) {
  const Window even = conv_window(8, 3, 4, conv_options(tflite::Padding::SAME, 2, 1));
  EXPECT_EQ(even.padding, (Padding{.top = 0, .bottom = 1, .left = 0, .right = 1}));
  const Window odd = conv_window(7, 3, 4, conv_options(tflite::Padding::SAME, 2, 1));
  EXPECT_EQ(odd.padding, (Padding{.top = 1, .bottom = 1, .left = 1, .right = 1}));
}

TEST(TfliteImport, PadsForTheDilatedKernel) {
  const Window window = conv_window(8, 3, 8, conv_options(tflite::Padding::SAME, 1, 2));
  EXPECT_EQ(window.padding, (Padding{.top = 2, .bottom = 2, .left = 2, .right = 2}));
}

TEST(TfliteImport, NeedsNoPaddingWhereStridesExceedTheKernel) {
  const Window window = conv_window(9, 1, 3, conv_options(tflite::Padding::SAME, 3, 1));
  EXPECT_EQ(window.padding, Padding{});
}

TEST(TfliteImport, ValidMeansNoPadding) {
  const Window window = conv_window(8, 3, 3, conv_options(tflite::Padding::VALID, 2, 1));
  EXPECT_EQ(window.padding, Padding{});
  EXPECT_EQ(window.kernel_h, 3);
  EXPECT_EQ(window.stride_w, 2);
}

TEST(TfliteImport, TakesTheMultiplierFromTheWeights) {
  TfliteBuilder b = with_input({1, 4, 4, 3});
  const int32_t weights = b.weights({1, 3, 3, 6}, 3);
  const int32_t bias = b.bias(6);
  tflite::DepthwiseConv2DOptionsT options;
  options.stride_h = options.stride_w = 1;
  options.depth_multiplier = 0;  // redundant, and often not filled in
  const Graph g = import_single(std::move(b), BuiltinOperator::DEPTHWISE_CONV_2D, {weights, bias},
                                {1, 4, 4, 6}, options);
  EXPECT_EQ(std::get<DepthwiseConv2D>(g.ops[0].attributes).multiplier, 2);
  EXPECT_EQ(g.tensors[1].quantization.axis, 3);
}

TEST(TfliteImport, CountsAxesFromTheFront) {
  TfliteBuilder b = with_input({1, 4, 5, 3});
  const int32_t axes = b.constant({-2, 1, 2});
  const Graph g =
      import_single(std::move(b), BuiltinOperator::MEAN, {axes}, {1, 3}, tflite::ReducerOptionsT{});
  EXPECT_EQ(std::get<Mean>(g.ops[0].attributes).axes, (std::vector<int>{1, 2}));
  EXPECT_EQ(g.ops[0].inputs, std::vector<TensorId>{{0}});
}

TEST(TfliteImport, CountsTheConcatAxisFromTheFront) {
  TfliteBuilder b = with_input({1, 2, 2, 3});
  const int32_t other = b.tensor({1, 2, 2, 5});
  const int32_t output = b.tensor({1, 2, 2, 8});
  tflite::ConcatenationOptionsT options;
  options.axis = -1;
  b.op(BuiltinOperator::CONCATENATION, {0, other}, {output}, options);
  b.inputs({0, other});
  b.outputs({output});
  EXPECT_EQ(std::get<Concat>(import(b).ops[0].attributes).axis, 3);
}

TEST(TfliteImport, SlicesToTheEndWhereTheSizeSaysSo) {
  TfliteBuilder b = with_input({4, 5});
  const int32_t begins = b.constant({2}, TensorType::INT64, bytes_of<int64_t>({1, 2}));
  const int32_t sizes = b.constant({2}, TensorType::INT64, bytes_of<int64_t>({2, -1}));
  const Graph g = import_single(std::move(b), BuiltinOperator::SLICE, {begins, sizes}, {2, 3},
                                tflite::SliceOptionsT{});
  EXPECT_EQ(std::get<Slice>(g.ops[0].attributes), (Slice{{1, 2}, {1, 1}, {}}));
  EXPECT_EQ(g.ops[0].inputs, std::vector<TensorId>{{0}});
}

TEST(TfliteImport, TakesALogistic) {
  TfliteBuilder b = with_input({2, 3});
  const int32_t output = b.tensor({2, 3});
  b.at(output).quantization->scale = {1.0F / 256};
  b.at(output).quantization->zero_point = {-128};
  b.op(BuiltinOperator::LOGISTIC, {0}, {output});
  b.inputs({0});
  b.outputs({output});
  EXPECT_EQ(import(b).ops[0].attributes, Attributes(Logistic{}));
}

TEST(TfliteImport, TakesTheActivationOfASub) {
  TfliteBuilder b = with_input({2, 3});
  const int32_t other = b.constant({3}, TensorType::INT8, Bytes{1, 2, 3});
  tflite::SubOptionsT options;
  options.fused_activation_function = tflite::ActivationFunctionType::RELU;
  const Graph g = import_single(std::move(b), BuiltinOperator::SUB, {other}, {2, 3}, options);
  EXPECT_EQ(g.ops[0].attributes, Attributes(Sub{Activation::kRelu}));
  EXPECT_EQ(g.ops[0].inputs.size(), 2U);
}

TEST(TfliteImport, TakesAGeluWithAndWithoutOptions) {
  const auto gelu = [](auto... options) {
    TfliteBuilder b = with_input({2, 3});
    const int32_t output = b.tensor({2, 3});
    b.op(BuiltinOperator::GELU, {0}, {output}, options...);
    b.inputs({0});
    b.outputs({output});
    return std::get<Gelu>(import(b).ops[0].attributes).approximate;
  };
  tflite::GeluOptionsT by_tanh;
  by_tanh.approximate = true;
  EXPECT_FALSE(gelu());
  EXPECT_FALSE(gelu(tflite::GeluOptionsT{}));
  EXPECT_TRUE(gelu(by_tanh));
}

TEST(TfliteImport, TakesASplitApartIntoSlices) {
  TfliteBuilder b = with_input({2, 6});
  const int32_t axis = b.constant({-1});
  const int32_t left = b.tensor({2, 3}), right = b.tensor({2, 3});
  b.op(BuiltinOperator::SPLIT, {axis, 0}, {left, right});
  b.inputs({0});
  b.outputs({left, right});
  const Graph g = import(b);
  ASSERT_EQ(g.ops.size(), 2U);
  EXPECT_EQ(g.ops[0].attributes, Attributes(Slice{{0, 0}, {1, 1}, {}}));
  EXPECT_EQ(g.ops[1].attributes, Attributes(Slice{{0, 3}, {1, 1}, {}}));
  for (const Op& op : g.ops) {
    EXPECT_EQ(op.inputs, std::vector<TensorId>{{0}});
    EXPECT_EQ(op.file_index, 0);
  }
}

/// Names of the operators; all but the last were made on the way.
std::vector<std::string> steps_of(const Graph& g) {
  std::vector<std::string> names;
  for (const Op& op : g.ops) {
    names.emplace_back(name(op.attributes));
    EXPECT_EQ(op.file_index, names.size() == g.ops.size() ? 0 : -1);
  }
  return names;
}

TEST(TfliteImport, TakesDepthToSpaceForATransposeBetweenReshapes) {
  TfliteBuilder b = with_input({1, 2, 3, 8});
  tflite::DepthToSpaceOptionsT options;
  options.block_size = 2;
  const Graph g =
      import_single(std::move(b), BuiltinOperator::DEPTH_TO_SPACE, {}, {1, 4, 6, 2}, options);
  EXPECT_EQ(steps_of(g), (std::vector<std::string>{"RESHAPE", "TRANSPOSE", "RESHAPE", "RESHAPE"}));
  EXPECT_EQ(g.ops[1].attributes, Attributes(Transpose{{0, 1, 3, 2, 4, 5}}));
  EXPECT_EQ(g.tensor(g.ops[0].outputs[0]).shape, (Shape{1, 2, 3, 2, 2, 2}));
}

TEST(TfliteImport, GathersRunsOfPositions) {
  TfliteBuilder b = with_input({9, 2});
  const int32_t positions = b.constant({1, 3, 5, 4, 4});
  const Graph g = import_single(std::move(b), BuiltinOperator::GATHER, {positions}, {5, 2},
                                tflite::GatherOptionsT{});
  EXPECT_EQ(steps_of(g),
            (std::vector<std::string>{"SLICE", "SLICE", "SLICE", "CONCATENATION", "RESHAPE"}));
  EXPECT_EQ(g.ops[0].attributes, Attributes(Slice{{1, 0}, {2, 1}, {}}));
}

TEST(TfliteImport, GathersOfEachBatch) {
  TfliteBuilder b = with_input({2, 3});
  const int32_t positions = b.constant({2, 1}, TensorType::INT32, bytes_of<int32_t>({2, 0}));
  tflite::GatherOptionsT options;
  options.axis = 1;
  options.batch_dims = 1;
  const Graph g =
      import_single(std::move(b), BuiltinOperator::GATHER, {positions}, {2, 1}, options);
  EXPECT_EQ(steps_of(g).at(3), "SLICE");
  EXPECT_EQ(g.ops.at(3).attributes, Attributes(Slice{{2, 0}, {1, 1}, {}}));  // of 6 x 1: 2 and 3
}

TEST(TfliteImport, GathersAlongSeveralAxes) {
  TfliteBuilder b = with_input({2, 3, 4});
  const int32_t positions = b.constant({2, 2}, TensorType::INT32, bytes_of<int32_t>({1, 2, 0, 1}));
  const Graph g = import_single(std::move(b), BuiltinOperator::GATHER_ND, {positions}, {2, 4},
                                tflite::GatherNdOptionsT{});
  EXPECT_EQ(steps_of(g), (std::vector<std::string>{"RESHAPE", "SLICE", "RESHAPE"}));
  EXPECT_EQ(g.ops[1].attributes, Attributes(Slice{{5, 0}, {-4, 1}, {}}));
}

// A zero point of -3 gives 3 too many, as in the original.
TEST(TfliteImport, TakesAddNForSumsThatBeginWithARawZero) {
  TfliteBuilder b;
  const int32_t x = b.tensor({2, 3}), y = b.tensor({2, 3}), output = b.tensor({2, 3});
  b.op(BuiltinOperator::ADD_N, {x, y}, {output}, tflite::AddNOptionsT{});
  b.inputs({x, y});
  b.outputs({output});
  const Graph g = import(b);
  EXPECT_EQ(steps_of(g), (std::vector<std::string>{"QUANTIZE", "QUANTIZE", "ADD", "QUANTIZE"}));
  const Quantization &first = g.tensor(g.ops[0].outputs[0]).quantization,
                     &second = g.tensor(g.ops[1].outputs[0]).quantization;
  EXPECT_EQ(first.zero_points, std::vector<int32_t>{3 << 19});
  EXPECT_EQ(second.zero_points, std::vector<int32_t>{0});
  const Tensor& in = g.tensor(TensorId{x});
  EXPECT_EQ(second.scales[0], in.quantization.scales[0] * 0x1p-19F);
}

TEST(TfliteImport, TakesLogicalNotForAComparisonWithFalse) {
  TfliteBuilder b;
  const int32_t input = b.tensor({2, 3}, TensorType::BOOL);
  const int32_t output = b.tensor({2, 3}, TensorType::BOOL);
  b.op(BuiltinOperator::LOGICAL_NOT, {input}, {output}, tflite::LogicalNotOptionsT{});
  b.inputs({input});
  b.outputs({output});
  const Graph g = import(b);
  EXPECT_EQ(g.ops[0].attributes, Attributes(Comparison{Relation::kEqual}));
  EXPECT_EQ(*g.tensor(g.ops[0].inputs[1]).data, Bytes{0});
}

TEST(TfliteImport, TurnsTheOperandsOfATransposedConvolution) {
  TfliteBuilder b = with_input({1, 2, 2, 3});
  const int32_t weights = b.weights({4, 3, 3, 3}, 0), extents = b.constant({1, 4, 4, 4});
  const int32_t output = b.tensor({1, 4, 4, 4});
  tflite::TransposeConvOptionsT options;
  options.padding = tflite::Padding::SAME;
  options.stride_h = options.stride_w = 2;
  b.op(BuiltinOperator::TRANSPOSE_CONV, {extents, weights, 0}, {output}, options);
  b.inputs({0});
  b.outputs({output});
  const Graph g = import(b);
  EXPECT_EQ(g.ops[0].inputs, (std::vector<TensorId>{{0}, {weights}}));
  const Window window{.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2, .padding = {}};
  EXPECT_EQ(g.ops[0].attributes, Attributes(TransposeConv{window}));
}

TEST(TfliteImport, PadsWithTheZeroPoint) {
  TfliteBuilder b = with_input({2, 3});
  const int32_t paddings = b.constant({2, 2}, TensorType::INT32, bytes_of<int32_t>({0, 1, 2, 3}));
  const Graph g =
      import_single(std::move(b), BuiltinOperator::PAD, {paddings}, {3, 8}, tflite::PadOptionsT{});
  EXPECT_EQ(std::get<Pad>(g.ops[0].attributes), (Pad{{0, 2}, {1, 3}, -3}));
}

TEST(TfliteImport, PadsWithTheGivenValueAndInt64Paddings) {
  TfliteBuilder b = with_input({2, 3});
  const int32_t paddings = b.constant({2, 2}, TensorType::INT64, bytes_of<int64_t>({0, 1, 2, 3}));
  const int32_t value = b.constant({}, TensorType::INT8, Bytes{0xF9});
  const Graph g = import_single(std::move(b), BuiltinOperator::PADV2, {paddings, value}, {3, 8},
                                tflite::PadV2OptionsT{});
  EXPECT_EQ(std::get<Pad>(g.ops[0].attributes), (Pad{{0, 2}, {1, 3}, -7}));
}

TEST(TfliteImport, TakesTheOptionsOfAResize) {
  tflite::ResizeNearestNeighborOptionsT nearest;
  nearest.align_corners = true;
  TfliteBuilder b = with_input({1, 3, 4, 5});
  const int32_t size = b.constant({7, 8});
  EXPECT_EQ(import_single(std::move(b), BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, {size},
                          {1, 7, 8, 5}, nearest)
                .ops[0]
                .attributes,
            Attributes(ResizeNearestNeighbor{.align_corners = true}));
  tflite::ResizeBilinearOptionsT bilinear;
  bilinear.half_pixel_centers = true;
  b = with_input({1, 3, 4, 5});
  const int32_t other = b.constant({2}, TensorType::INT64, bytes_of<int64_t>({7, 8}));
  EXPECT_EQ(
      import_single(std::move(b), BuiltinOperator::RESIZE_BILINEAR, {other}, {1, 7, 8, 5}, bilinear)
          .ops[0]
          .attributes,
      Attributes(ResizeBilinear{.half_pixel_centers = true}));
}

TEST(TfliteImport, TakesThePermutation) {
  TfliteBuilder b = with_input({1, 3, 4, 5});
  const int32_t permutation = b.constant({0, 2, 3, 1});
  const Graph g = import_single(std::move(b), BuiltinOperator::TRANSPOSE, {permutation},
                                {1, 4, 5, 3}, tflite::TransposeOptionsT{});
  EXPECT_EQ(std::get<Transpose>(g.ops[0].attributes).permutation, (std::vector<int>{0, 2, 3, 1}));
}

TEST(TfliteImport, FillsInMissingZeroPoints) {
  TfliteBuilder none = small_network();
  none.at(1).quantization->zero_point = {};
  EXPECT_EQ(import(none).tensors[1].quantization.zero_points, std::vector<int32_t>(4, 0));
  TfliteBuilder one = small_network();
  one.at(1).quantization->zero_point = {0};
  EXPECT_EQ(import(one), import(none));
}

TEST(TfliteImport, MendsTheAxisOfABias) {
  TfliteBuilder b = small_network();
  b.at(2).quantization->scale.assign(4, 0.125F);
  b.at(2).quantization->zero_point.assign(4, 0);
  b.at(2).quantization->quantized_dimension = 3;  // the weights' axis, as old converters wrote it
  EXPECT_EQ(import(b).tensors[2].quantization.axis, 0);
}

TEST(TfliteImport, ReadsOldOperatorCodes) {
  TfliteBuilder b = small_network();
  for (auto& code : b.model.operator_codes)
    code->builtin_code = BuiltinOperator::ADD;  // its default
  EXPECT_EQ(import(b), import(small_network()));
}

TEST(TfliteImport, TakesADynamicBatchAsOne) {
  TfliteBuilder b = small_network();
  b.at(0).shape_signature = {-1, 8, 8, 3};
  EXPECT_EQ(import(b), import(small_network()));
}

TEST(TfliteImport, ReadsBuffersBehindTheFlatbuffer) {
  TfliteBuilder b = small_network();
  const Bytes weights(108, 7);
  b.model.buffers[b.at(1).buffer]->data = weights;
  const Graph inside = import(b);
  auto& buffer = *b.model.buffers[b.at(1).buffer];
  buffer.data.clear();
  buffer.size = weights.size();
  buffer.offset = 2;  // any value but the default, so that the field has its place
  buffer.offset = b.bytes().size();
  Bytes file = b.bytes();
  file.insert(file.end(), weights.begin(), weights.end());
  EXPECT_EQ(import_tflite(file, "test", "test.tflite"), inside);
}

TEST(TfliteImport, ReadsFromAnyAddress) {
  const Bytes file = small_network().bytes();
  Bytes shifted = {0};
  shifted.insert(shifted.end(), file.begin(), file.end());
  EXPECT_EQ(import_tflite(std::span(shifted).subspan(1), "test", "test.tflite"),
            import(small_network()));
}

TEST(TfliteImport, SharesTheDataOfASharedBuffer) {
  TfliteBuilder b = small_network();
  const int32_t twin = b.tensor({4, 3, 3, 3});
  b.at(twin).buffer = b.at(1).buffer;
  const Graph g = import(b);
  EXPECT_EQ(g.tensors[1].data, g.tensors[static_cast<size_t>(twin)].data);
}

TEST(TfliteImport, MakesNamesPrintable) {
  TfliteBuilder b = small_network();
  b.at(0).name = "a\nb\x1b[2Jc \xC3\xA9 \xFF\xC3";
  EXPECT_EQ(import(b).tensors[0].name, "a?b?[2Jc \xC3\xA9 ??");
}

}  // namespace
}  // namespace thimble::testing
