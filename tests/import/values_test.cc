// SPDX-License-Identifier: Apache-2.0
// What networks of one or two operators compute once they are imported, against values by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/import/tflite_builder.h"
#include "thimble/import/tflite.h"
#include "thimble/reference/elements.h"
#include "thimble/reference/interpreter.h"

namespace thimble {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using testing::TfliteBuilder;
using tflite::BuiltinOperator;
using tflite::TensorType;

/// Values of the network's only output.
template <class T, class Input>
std::vector<T> outputs_of(const TfliteBuilder& net, const std::vector<Input>& input) {
  const Graph graph = import_tflite(net.bytes(), "net", "net.tflite");
  const TensorValues values = interpret(graph, {bytes_of(input)});
  return reference::elements_from<T>(values[graph.outputs.at(0).tensor.index()]);
}

/// From an input of that type and shape to an output.
TfliteBuilder single(BuiltinOperator code, TensorType in, const TfliteBuilder::Dims& shape,
                     TensorType out, const TfliteBuilder::Dims& made,
                     const TfliteBuilder::Dims& parameters = {}, bool has_parameters = false) {
  TfliteBuilder net;
  TfliteBuilder::Dims operands{net.tensor(shape, in)};
  if (has_parameters) operands.push_back(net.constant(parameters));
  const int32_t output = net.tensor(made, out);
  for (const int32_t id : {0, output}) {
    if (net.at(id).type == TensorType::UINT8) net.at(id).quantization->zero_point = {3};
  }
  net.op(code, operands, {output});
  net.inputs({0});
  net.outputs({output});
  return net;
}

TfliteBuilder reduced(BuiltinOperator code, TensorType type, const TfliteBuilder::Dims& shape,
                      const TfliteBuilder::Dims& made, const TfliteBuilder::Dims& axes) {
  return single(code, type, shape, type, made, axes, true);
}

TEST(ImportedValues, ArgMaxOfInt64) {
  TfliteBuilder net = reduced(BuiltinOperator::ARG_MAX, TensorType::INT8, {2, 3}, {2}, {-1});
  net.at(2).type = TensorType::INT64;
  EXPECT_THAT((outputs_of<int64_t, int8_t>(net, {1, 7, 3, 9, 9, 2})), ElementsAre(1, 0));
  const int32_t real = net.tensor({2}, TensorType::FLOAT32);
  net.op(BuiltinOperator::CAST, {2}, {real});
  net.outputs({real});
  EXPECT_THAT((outputs_of<float, int8_t>(net, {1, 7, 3, 9, 9, 2})), ElementsAre(1, 0));
}

// Scale 0.5, zero point -3: 0 is raw -3, 1 is -1, -1 is -5.
TEST(ImportedValues, ClampsBetweenOtherBounds) {
  const auto clamped = [](BuiltinOperator code) {
    return outputs_of<int8_t, int8_t>(single(code, TensorType::INT8, {5}, TensorType::INT8, {5}),
                                      {-128, -5, -3, -2, 127});
  };
  EXPECT_THAT(clamped(BuiltinOperator::RELU_N1_TO_1), ElementsAre(-5, -5, -3, -2, -1));
  EXPECT_THAT(clamped(BuiltinOperator::RELU_0_TO_1), ElementsAre(-3, -3, -3, -2, -1));
  const auto real = [](BuiltinOperator code) {
    return outputs_of<float, float>(
        single(code, TensorType::FLOAT32, {4}, TensorType::FLOAT32, {4}), {-2, -0.5F, 0.5F, 7});
  };
  EXPECT_THAT(real(BuiltinOperator::RELU_N1_TO_1), ElementsAre(-1, -0.5F, 0.5F, 1));
  EXPECT_THAT(real(BuiltinOperator::RELU_0_TO_1), ElementsAre(0, 0, 0.5F, 1));
}

// Less the zero point of -3: -10 and 4 become 5 and 4.
TEST(ImportedValues, LeakyReluWithANegativeAlpha) {
  TfliteBuilder net =
      single(BuiltinOperator::LEAKY_RELU, TensorType::INT8, {2}, TensorType::INT8, {2});
  tflite::LeakyReluOptionsT options;
  options.alpha = -0.5F;
  net.op_at(0).builtin_options.Set(options);
  EXPECT_THAT((outputs_of<int8_t, int8_t>(net, {-13, 1})), ElementsAre(2, 1));
}

TEST(ImportedValues, SelectsByRowsOrByAScalar) {
  const auto selected = [](const TfliteBuilder::Dims& condition, const Bytes& chosen) {
    TfliteBuilder net;
    const int32_t x = net.tensor({2, 2});
    const int32_t y = net.constant({2, 2}, TensorType::INT8, {50, 60, 70, 80});
    const int32_t c = net.constant(condition, TensorType::BOOL, chosen);
    const int32_t out = net.tensor({2, 2});
    net.op(BuiltinOperator::SELECT, {c, x, y}, {out});
    net.inputs({x});
    net.outputs({out});
    return outputs_of<int8_t, int8_t>(net, {1, 2, 3, 4});
  };
  EXPECT_THAT(selected({2}, {0, 1}), ElementsAre(50, 60, 3, 4));
  EXPECT_THAT(selected({}, {0}), ElementsAre(50, 60, 70, 80));
  EXPECT_THAT(selected({2, 2}, {1, 0, 0, 1}), ElementsAre(1, 60, 70, 4));
}

TEST(ImportedValues, AnyAndAll) {
  const Bytes x = {0, 1, 0, 0, 0, 0, 1, 1, 1};
  const auto rows = [&](BuiltinOperator code) {
    return outputs_of<uint8_t, uint8_t>(reduced(code, TensorType::BOOL, {3, 3}, {3}, {1}), x);
  };
  EXPECT_THAT(rows(BuiltinOperator::REDUCE_ANY), ElementsAre(1, 0, 1));
  EXPECT_THAT(rows(BuiltinOperator::REDUCE_ALL), ElementsAre(0, 0, 1));
}

TEST(ImportedValues, ReductionsOverNoAxis) {
  for (const BuiltinOperator code : {BuiltinOperator::MEAN, BuiltinOperator::SUM,
                                     BuiltinOperator::REDUCE_MAX, BuiltinOperator::REDUCE_MIN}) {
    TfliteBuilder net = reduced(code, TensorType::INT8, {2, 2}, {2, 2}, {});
    EXPECT_THAT((outputs_of<int8_t, int8_t>(net, {-128, -3, 5, 127})),
                ElementsAre(-128, -3, 5, 127))
        << tflite::EnumNameBuiltinOperator(code);
  }
  TfliteBuilder finer = reduced(BuiltinOperator::MEAN, TensorType::INT8, {4}, {4}, {});
  finer.at(2).quantization->scale = {0.25F};
  EXPECT_THAT((outputs_of<int8_t, int8_t>(finer, {-128, -3, 5, 127})),
              ElementsAre(-128, -3, 13, 127));
}

TEST(ImportedValues, CastsToBool) {
  const auto casted = [](TensorType type) {
    return single(BuiltinOperator::CAST, type, {3}, TensorType::BOOL, {3});
  };
  EXPECT_THAT((outputs_of<uint8_t, int8_t>(casted(TensorType::INT8), {-3, 0, 1})),
              ElementsAre(1, 0, 1));
  EXPECT_THAT((outputs_of<uint8_t, int16_t>(casted(TensorType::INT16), {-3, 0, 256})),
              ElementsAre(1, 0, 1));
  EXPECT_THAT((outputs_of<uint8_t, int32_t>(casted(TensorType::INT32), {-3, 0, 1 << 30})),
              ElementsAre(1, 0, 1));
  EXPECT_THAT((outputs_of<uint8_t, float>(casted(TensorType::FLOAT32), {0.25F, -0.0F, 1e-20F})),
              ElementsAre(1, 0, 1));
}

TEST(ImportedValues, CastsFromAndToUint8) {
  TfliteBuilder from =
      single(BuiltinOperator::CAST, TensorType::UINT8, {3}, TensorType::FLOAT32, {3});
  EXPECT_THAT((outputs_of<float, uint8_t>(from, {0, 127, 255})), ElementsAre(0, 127, 255));
  from.at(0).quantization = nullptr;
  EXPECT_THAT((outputs_of<float, uint8_t>(from, {0, 127, 255})), ElementsAre(0, 127, 255));
  from.at(1).type = TensorType::BOOL;
  EXPECT_THAT((outputs_of<uint8_t, uint8_t>(from, {0, 128, 255})), ElementsAre(0, 1, 1));
  from.at(1).type = TensorType::INT8;
  EXPECT_THAT((outputs_of<int8_t, uint8_t>(from, {0, 128, 255})), ElementsAre(0, -128, -1));
  const TfliteBuilder to =
      single(BuiltinOperator::CAST, TensorType::INT32, {4}, TensorType::UINT8, {4});
  EXPECT_THAT((outputs_of<uint8_t, int32_t>(to, {0, 200, 256, -1})), ElementsAre(0, 200, 0, 255));
}

// Three axes are padded, with others between them.
TEST(ImportedValues, PadsOfFiveAxes) {
  TfliteBuilder net;
  net.tensor({1, 1, 1, 1, 2});
  const int32_t table =
      net.constant({5, 2}, TensorType::INT32, bytes_of<int32_t>({1, 0, 0, 0, 0, 1, 0, 0, 1, 0}));
  const int32_t out = net.tensor({2, 1, 2, 1, 3});
  net.op(BuiltinOperator::PAD, {0, table}, {out}, tflite::PadOptionsT{});
  net.inputs({0});
  net.outputs({out});
  EXPECT_THAT((outputs_of<int8_t, int8_t>(net, {10, 20})),
              ElementsAre(-3, -3, -3, -3, -3, -3, -3, 10, 20, -3, -3, -3));
}

TEST(ImportedValues, ScalarsOfSlices) {
  TfliteBuilder net;
  const int32_t x = net.tensor({2}), a = net.tensor({}), b = net.tensor({});
  net.op(BuiltinOperator::UNPACK, {x}, {a, b}, tflite::UnpackOptionsT{});
  net.inputs({x});
  net.outputs({b});
  EXPECT_THAT((outputs_of<int8_t, int8_t>(net, {3, 4})), ElementsAre(4));
}

// An input, a constant, and one tensor twice.
TEST(ImportedValues, OutputsThatNoOperatorMakes) {
  TfliteBuilder net = single(BuiltinOperator::RELU, TensorType::INT8, {2}, TensorType::INT8, {2});
  const int32_t constant = net.constant({2}, TensorType::INT8, {8, 9});
  net.outputs({0, constant, 1, 1});
  const Graph graph = import_tflite(net.bytes(), "net", "net.tflite");
  const TensorValues values = interpret(graph, {Bytes{5, 6}});
  std::vector<Bytes> outputs;
  std::vector<TensorId> tensors;
  for (const Port& port : graph.outputs) {
    outputs.push_back(values[port.tensor.index()]);
    EXPECT_THAT(tensors, ::testing::Not(::testing::Contains(port.tensor)));
    tensors.push_back(port.tensor);
  }
  EXPECT_THAT(outputs, ElementsAre(Bytes{5, 6}, Bytes{8, 9}, Bytes{5, 6}, Bytes{5, 6}));
}

/// Reads positions from its input; the table has rows 10 20, 30 40, 50 60.
TfliteBuilder looked_up(BuiltinOperator code, const TfliteBuilder::Dims& positions,
                        const TfliteBuilder::Dims& made, TensorType type = TensorType::INT32) {
  TfliteBuilder net;
  const int32_t x = net.tensor(positions, type);
  const int32_t table = net.constant({3, 2}, TensorType::INT8, {10, 20, 30, 40, 50, 60});
  net.at(table).quantization = std::make_unique<tflite::QuantizationParametersT>();
  net.at(table).quantization->scale = {0.5F};
  net.at(table).quantization->zero_point = {-3};
  const int32_t out = net.tensor(made);
  if (code == BuiltinOperator::GATHER) {
    net.op(code, {table, x}, {out}, tflite::GatherOptionsT{});
  } else if (code == BuiltinOperator::GATHER_ND) {
    net.op(code, {table, x}, {out});
  } else {
    net.op(code, {x, table}, {out});
  }
  net.inputs({x});
  net.outputs({out});
  return net;
}

TEST(ImportedValues, GathersAtRunTime) {
  const TfliteBuilder rows = looked_up(BuiltinOperator::GATHER, {2}, {2, 2});
  EXPECT_THAT((outputs_of<int8_t, int32_t>(rows, {2, 0})), ElementsAre(50, 60, 10, 20));
  EXPECT_THAT((outputs_of<int8_t, int32_t>(rows, {-9, 9})), ElementsAre(10, 20, 50, 60));
  const TfliteBuilder wide = looked_up(BuiltinOperator::GATHER, {1}, {1, 2}, TensorType::INT64);
  EXPECT_THAT((outputs_of<int8_t, int64_t>(wide, {1})), ElementsAre(30, 40));
}

TEST(ImportedValues, GathersTuplesAtRunTime) {
  const TfliteBuilder elements = looked_up(BuiltinOperator::GATHER_ND, {3, 2}, {3});
  EXPECT_THAT((outputs_of<int8_t, int32_t>(elements, {2, 1, 0, 0, 1, 0})), ElementsAre(60, 10, 30));
  const TfliteBuilder rows = looked_up(BuiltinOperator::GATHER_ND, {2, 1}, {2, 2});
  EXPECT_THAT((outputs_of<int8_t, int32_t>(rows, {2, 0})), ElementsAre(50, 60, 10, 20));
}

TEST(ImportedValues, LooksUpEmbeddings) {
  TfliteBuilder net = looked_up(BuiltinOperator::EMBEDDING_LOOKUP, {2}, {2, 2});
  EXPECT_THAT((outputs_of<int8_t, int32_t>(net, {1, 1})), ElementsAre(30, 40, 30, 40));
  net.at(1).quantization->zero_point = {0};
  net.at(2).type = TensorType::FLOAT32;
  net.at(2).quantization = nullptr;
  EXPECT_THAT((outputs_of<float, int32_t>(net, {1, 2})), ElementsAre(15, 20, 25, 30));
}

TEST(ImportedValues, UpdatesASlice) {
  TfliteBuilder net;
  const int32_t x = net.constant({4}, TensorType::INT32, bytes_of<int32_t>({1, 2, 3, 4}));
  const int32_t update = net.constant({2}, TensorType::INT32, bytes_of<int32_t>({8, 9}));
  const int32_t begin = net.tensor({1}, TensorType::INT64),
                out = net.tensor({4}, TensorType::INT32);
  for (const auto& tensor : net.network().tensors) tensor->quantization = nullptr;
  net.op(BuiltinOperator::DYNAMIC_UPDATE_SLICE, {x, update, begin}, {out});
  net.inputs({begin});
  net.outputs({out});
  EXPECT_THAT((outputs_of<int32_t, int64_t>(net, {1})), ElementsAre(1, 8, 9, 4));
  EXPECT_THAT((outputs_of<int32_t, int64_t>(net, {7})), ElementsAre(1, 2, 8, 9));
}

TEST(ImportedValues, ZerosLikeAnother) {
  TfliteBuilder net =
      single(BuiltinOperator::ZEROS_LIKE, TensorType::FLOAT32, {2}, TensorType::FLOAT32, {2});
  const int32_t sum = net.tensor({2}, TensorType::FLOAT32);
  net.op(BuiltinOperator::ADD, {0, 1}, {sum}, tflite::AddOptionsT{});
  net.outputs({sum});
  EXPECT_THAT((outputs_of<float, float>(net, {3, 4})), ElementsAre(3, 4));
}

TEST(ImportedValues, BroadcastsToExtentsThatFollow) {
  TfliteBuilder net;
  const int32_t x = net.tensor({1, 2}), a = net.constant({3, 1}), b = net.constant({2});
  const int32_t extents = net.tensor({2}, TensorType::INT32), out = net.tensor({3, 2});
  net.op(BuiltinOperator::BROADCAST_ARGS, {a, b}, {extents});
  net.op(BuiltinOperator::BROADCAST_TO, {x, extents}, {out});
  net.inputs({x});
  net.outputs({out});
  EXPECT_THAT((outputs_of<int8_t, int8_t>(net, {5, 6})), ElementsAre(5, 6, 5, 6, 5, 6));
}

// Halfway between 10 and 21 is 15.5, which is rounded up.
TEST(ImportedValues, ResizesUint8InFloat32) {
  TfliteBuilder net = single(BuiltinOperator::RESIZE_BILINEAR, TensorType::UINT8, {1, 1, 2, 1},
                             TensorType::UINT8, {1, 1, 4, 1}, {1, 4}, true);
  net.op_at(0).builtin_options.Set(tflite::ResizeBilinearOptionsT{});
  EXPECT_THAT((outputs_of<uint8_t, uint8_t>(net, {10, 21})), ElementsAre(10, 16, 21, 21));
  EXPECT_THAT((outputs_of<uint8_t, uint8_t>(net, {255, 0})), ElementsAre(255, 128, 0, 0));
}

// The weights' rows are the file's columns.
TEST(ImportedValues, WeightsThatAreTransposedInTheFile) {
  TfliteBuilder net;
  const int32_t x = net.tensor({1, 2}, TensorType::FLOAT32);
  const int32_t columns = net.constant({2, 2}, TensorType::FLOAT32, bytes_of<float>({1, 2, 3, 4}));
  const int32_t order = net.constant({1, 0});
  const int32_t rows = net.tensor({2, 2}, TensorType::FLOAT32);
  const int32_t out = net.tensor({1, 2}, TensorType::FLOAT32);
  net.op(BuiltinOperator::TRANSPOSE, {columns, order}, {rows}, tflite::TransposeOptionsT{});
  net.op(BuiltinOperator::FULLY_CONNECTED, {x, rows, -1}, {out}, tflite::FullyConnectedOptionsT{});
  net.inputs({x});
  net.outputs({out});
  EXPECT_THAT((outputs_of<float, float>(net, {10, 1})), ElementsAre(13, 24));
}

TEST(ImportedValues, NothingOfOperatorsThatNobodyReads) {
  TfliteBuilder net = single(BuiltinOperator::RELU, TensorType::INT8, {2}, TensorType::INT8, {2});
  const int32_t a = net.tensor({2}), b = net.tensor({2});
  net.op(BuiltinOperator::TOPK_V2, {0}, {a});
  net.op(BuiltinOperator::RELU, {a}, {b});
  EXPECT_EQ(import_tflite(net.bytes(), "net", "net.tflite").ops.size(), 1U);
}

}  // namespace
}  // namespace thimble
