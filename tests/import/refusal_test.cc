// SPDX-License-Identifier: Apache-2.0
// Well-formed flatbuffers whose content is damaged or not supported: each is refused, and the
// message says where, what, and what is supported.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <ostream>

#include "tflite_builder.h"
#include "thimble/import/tflite.h"
#include "thimble/model/error.h"

namespace thimble::testing {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

std::string message_of(const TfliteBuilder& builder) {
  try {
    (void)import_tflite(builder.bytes(), "net", "net.tflite");
  } catch (const CompileError& error) {
    return error.what();
  }
  return "(imported)";
}

struct Damage {
  const char* claim;
  std::function<void(TfliteBuilder&)> apply;
  const char* message;
};

/// What a failure names, instead of the bytes of the struct.
void PrintTo(const Damage& damage, std::ostream* out) { *out << damage.claim; }

class TfliteRefusal : public ::testing::TestWithParam<Damage> {};

TEST_P(TfliteRefusal, SaysWhatIsWrong) {
  TfliteBuilder b = small_network();
  GetParam().apply(b);
  EXPECT_THAT(message_of(b), ::testing::HasSubstr(GetParam().message));
}

tflite::Conv2DOptionsT& conv(TfliteBuilder& b) {
  return *b.op_at(0).builtin_options.AsConv2DOptions();
}

const Damage kOfTheModel[] = {
    {"OtherVersion", [](TfliteBuilder& b) { b.model.version = 2; },
     "net.tflite: schema version 2 is not supported; supported is 3"},
    {"NoSubgraph", [](TfliteBuilder& b) { b.model.subgraphs.clear(); },
     "net.tflite: is damaged: it has no subgraph"},
    {"TwoSubgraphs",
     [](TfliteBuilder& b) { b.model.subgraphs.push_back(std::make_unique<tflite::SubGraphT>()); },
     "net.tflite: has 2 subgraphs; supported is one"},
    {"NoOperators", [](TfliteBuilder& b) { b.network().operators.clear(); },
     "net.tflite: has no operators"},
    {"NoInputs", [](TfliteBuilder& b) { b.inputs({}); },
     "CONV_2D #0: is damaged: it reads tensor 0 't0', which has no data, is no input"},
    {"NoOutputs", [](TfliteBuilder& b) { b.outputs({}); },
     "net.tflite: network outputs: there are none"},
    {"InputOutOfRange", [](TfliteBuilder& b) { b.inputs({99}); },
     "net.tflite: network inputs: is damaged: there is no tensor 99"},
    {"AbsentInput", [](TfliteBuilder& b) { b.inputs({-1}); },
     "network inputs: is damaged: tensor -1 is no tensor"},
    {"InputListedTwice",
     [](TfliteBuilder& b) {
       b.inputs({0, 0});
     },
     "network inputs: is damaged: tensor 0 is listed twice"},
    {"ConstantAsInput", [](TfliteBuilder& b) { b.inputs({1}); },
     "network inputs: is damaged: it writes tensor 1 't1', which has a value already"},
    {"OutputListedOverAndOver", [](TfliteBuilder& b) { b.outputs(TfliteBuilder::Dims(1026, 8)); },
     "network outputs: more than 1024 are inputs, constants or listed twice"},
    {"OutputThatNothingComputes", [](TfliteBuilder& b) { b.outputs({b.tensor({2})}); },
     "network outputs: no operator computes tensor 9 't9'"},
};

const Damage kOfATensor[] = {
    {"UnsupportedType", [](TfliteBuilder& b) { b.at(3).type = TensorType::FLOAT16; },
     "net.tflite: tensor 3 't3': type FLOAT16 is not supported; supported are bool, int8"},
    {"UnknownType", [](TfliteBuilder& b) { b.at(3).type = static_cast<TensorType>(77); },
     "type 77 is not supported"},
    {"NegativeExtent",
     [](TfliteBuilder& b) {
       b.at(3).shape = {1, -1, 4, 4};
     },
     "tensor 3 't3': shape 1x-1x4x4 has a negative extent (dynamic shapes are not supported "
     "without --shape)"},
    {"ZeroExtent",
     [](TfliteBuilder& b) {
       b.at(3).shape = {1, 0, 4, 4};
     },
     "tensor 3 't3' has shape 1x0x4x4: tensors without elements are not supported"},
    {"HugeShapeBesideAZero",
     [](TfliteBuilder& b) {
       b.at(3).shape.assign(4, std::numeric_limits<int32_t>::max());
       b.at(3).shape[3] = 0;
     },
     "takes more than 2147483647 bytes"},
    {"HugeShape",
     [](TfliteBuilder& b) { b.at(3).shape.assign(4, std::numeric_limits<int32_t>::max()); },
     "takes more than 2147483647 bytes"},
    {"TooManyAxes", [](TfliteBuilder& b) { b.at(3).shape.assign(9, 1); },
     "has 9 axes; at most 8 are supported"},
    {"DynamicHeight",
     [](TfliteBuilder& b) {
       b.at(0).shape_signature = {1, -1, 8, 3};
     },
     "tensor 0 't0': axis 1 is dynamic; only a dynamic batch is supported"},
    {"DynamicBatchOfFour",
     [](TfliteBuilder& b) {
       b.at(0).shape[0] = 4;
       b.at(0).shape_signature = {-1, 8, 8, 3};
     },
     "axis 0 is dynamic"},
    {"Variable", [](TfliteBuilder& b) { b.at(3).is_variable = true; },
     "tensor 3 't3': variable tensors are not supported but as states of SVDF and "
     "UNIDIRECTIONAL_SEQUENCE_LSTM"},
    {"Sparse",
     [](TfliteBuilder& b) { b.at(1).sparsity = std::make_unique<tflite::SparsityParametersT>(); },
     "tensor 1 't1': sparse tensors are not supported"},
    {"BufferOutOfRange", [](TfliteBuilder& b) { b.at(3).buffer = 1000; },
     "tensor 3 't3': is damaged: there is no buffer 1000"},
    {"BufferTooShort", [](TfliteBuilder& b) { b.model.buffers[b.at(1).buffer]->data.pop_back(); },
     "tensor 1 't1': is damaged: 107 bytes of data for shape 4x3x3x3 of int8, which needs 108"},
    {"BufferBehindTheFile",
     [](TfliteBuilder& b) {
       auto& buffer = *b.model.buffers[b.at(1).buffer];
       buffer.data.clear();
       buffer.offset = 16;
       buffer.size = std::numeric_limits<uint64_t>::max() - 8;
     },
     "ends behind the file"},
};

const Damage kOfQuantisation[] = {
    {"CustomQuantisation",
     [](TfliteBuilder& b) { b.at(3).quantization->details.Set(tflite::CustomQuantizationT{}); },
     "tensor 3 't3': custom quantisation is not supported; supported is scale and zero point"},
    {"ZeroScale", [](TfliteBuilder& b) { b.at(3).quantization->scale = {0.0F}; },
     "scale 0 is not supported; a scale is finite and above 0"},
    {"ScaleNotANumber",
     [](TfliteBuilder& b) {
       b.at(3).quantization->scale = {std::numeric_limits<float>::quiet_NaN()};
     },
     "scale nan is not supported"},
    {"ScalesThatDoNotFit", [](TfliteBuilder& b) { b.at(1).quantization->scale.assign(3, 1.0F); },
     "is damaged: 3 scales do not fit axis 0 of shape 4x3x3x3"},
    {"AxisOutOfRange", [](TfliteBuilder& b) { b.at(1).quantization->quantized_dimension = -1; },
     "4 scales do not fit axis -1"},
    {"ZeroPointsThatDoNotFit",
     [](TfliteBuilder& b) {
       b.at(1).quantization->zero_point = {0, 0};
     },
     "is damaged: 4 scales, but 2 zero points"},
    {"ZeroPointOutOfRange", [](TfliteBuilder& b) { b.at(3).quantization->zero_point = {128}; },
     "is damaged: zero point 128 is outside of int8"},
};

const Damage kOfAnOperator[] = {
    {"UnsupportedOperator",
     [](TfliteBuilder& b) {
       b.model.operator_codes[3]->builtin_code = BuiltinOperator::MATRIX_DIAG;
       b.model.operator_codes[3]->deprecated_builtin_code = 113;
     },
     "net.tflite: MATRIX_DIAG #3: is not supported; docs/supported_ops.md lists those that are"},
    {"SeveralUnsupportedOperators",
     [](TfliteBuilder& b) {
       b.model.operator_codes[1]->builtin_code = BuiltinOperator::MULTINOMIAL;
       b.model.operator_codes[3]->builtin_code = BuiltinOperator::TOPK_V2;
     },
     "net.tflite: MULTINOMIAL #1: is not supported, as 2 of 4 operators: MULTINOMIAL #1, TOPK_V2 "
     "#3; "
     "docs/supported_ops.md lists"},
    {"CustomOperator",
     [](TfliteBuilder& b) { b.model.operator_codes[3]->builtin_code = BuiltinOperator::CUSTOM; },
     "net.tflite: custom operator #3: is not supported"},
    {"UnknownOperator",
     [](TfliteBuilder& b) {
       b.model.operator_codes[3]->builtin_code = static_cast<BuiltinOperator>(100000);
     },
     "net.tflite: operator code 100000 #3: is not supported"},
    {"CodeOutOfRange", [](TfliteBuilder& b) { b.op_at(2).opcode_index = 9; },
     "net.tflite: operator #2: is damaged: there is no operator code 9"},
    {"OperandOutOfRange", [](TfliteBuilder& b) { b.op_at(0).inputs[1] = 9; },
     "net.tflite: CONV_2D #0: is damaged: there is no tensor 9"},
    {"NegativeOperand", [](TfliteBuilder& b) { b.op_at(0).inputs[1] = -2; },
     "CONV_2D #0: is damaged: there is no tensor -2"},
    {"AbsentWeights", [](TfliteBuilder& b) { b.op_at(0).inputs[1] = -1; },
     "CONV_2D #0: is damaged: input 1 is absent"},
    {"TooFewInputs", [](TfliteBuilder& b) { b.op_at(0).inputs = {0}; },
     "CONV_2D #0: has 1 inputs; at least 2, at most 3 are supported"},
    {"TooManyInputs",
     [](TfliteBuilder& b) {
       b.op_at(3).inputs = {7, 7};
     },
     "SOFTMAX #3: has 2 inputs; at least 1, at most 1 are supported"},
    {"NoOutput", [](TfliteBuilder& b) { b.op_at(3).outputs = {}; },
     "SOFTMAX #3: has 0 outputs; supported is 1"},
    {"TwoProducers", [](TfliteBuilder& b) { b.op_at(3).outputs = {7}; },
     "SOFTMAX #3: is damaged: it writes tensor 7 't7', which has a value already"},
    {"WritesAConstant", [](TfliteBuilder& b) { b.op_at(3).outputs = {1}; },
     "which has a value already"},
    {"OutOfOrder",
     [](TfliteBuilder& b) { std::swap(b.network().operators[2], b.network().operators[3]); },
     "SOFTMAX #2: is damaged: it reads tensor 7 't7' before anything computes it"},
    {"Cycle", [](TfliteBuilder& b) { b.op_at(0).inputs[0] = 8; },
     "CONV_2D #0: is damaged: it reads tensor 8 't8' before anything computes it (operators out of "
     "order, or a cycle)"},
};

const Damage kOfOptions[] = {
    {"NoOptions", [](TfliteBuilder& b) { b.op_at(0).builtin_options.Reset(); },
     "CONV_2D #0: is damaged: its options are missing"},
    {"OptionsOfAnother",
     [](TfliteBuilder& b) { b.op_at(0).builtin_options.Set(tflite::SoftmaxOptionsT{}); },
     "its options are missing"},
    {"ZeroStride", [](TfliteBuilder& b) { conv(b).stride_h = 0; },
     "CONV_2D #0: is damaged: kernel 3x3, stride 0x2, dilation 1x1; each is at least 1"},
    {"NegativeDilation", [](TfliteBuilder& b) { conv(b).dilation_w_factor = -1; }, "dilation 1x-1"},
    {"UnknownPadding", [](TfliteBuilder& b) { conv(b).padding = static_cast<tflite::Padding>(2); },
     "padding 2 is not supported; supported are SAME and VALID"},
    {"FusedTanh",
     [](TfliteBuilder& b) {
       conv(b).fused_activation_function = tflite::ActivationFunctionType::TANH;
     },
     "CONV_2D #0: fused activation TANH is not supported; supported are NONE, RELU, RELU_N1_TO_1 "
     "and RELU6"},
    {"ShuffledWeights",
     [](TfliteBuilder& b) {
       b.op_at(2).builtin_options.AsFullyConnectedOptions()->weights_format =
           tflite::FullyConnectedOptionsWeightsFormat::SHUFFLED4x16INT8;
     },
     "FULLY_CONNECTED #2: shuffled weights are not supported"},
    {"BetaNotANumber",
     [](TfliteBuilder& b) {
       b.op_at(3).builtin_options.AsSoftmaxOptions()->beta =
           std::numeric_limits<float>::quiet_NaN();
     },
     "SOFTMAX #3: is damaged: beta is not finite"},
    {"ShapeComputedAtRunTime",
     [](TfliteBuilder& b) { b.op_at(1).inputs[1] = b.tensor({2}, TensorType::INT32); },
     "RESHAPE #1: its new extents are computed at run time; supported are constants"},
    {"ShapeOfFloats",
     [](TfliteBuilder& b) { b.op_at(1).inputs[1] = b.tensor({2}, TensorType::FLOAT32); },
     "RESHAPE #1: its new extents are of type float32; supported are int32 and int64"},
    {"WeightsWithoutData", [](TfliteBuilder& b) { b.model.buffers[b.at(1).buffer]->data.clear(); },
     "CONV_2D #0: is damaged: it reads tensor 1 't1', which has no data, is no input of the "
     "network, and no operator computes it"},
    {"AbsentOutput", [](TfliteBuilder& b) { b.op_at(3).outputs = {-1}; },
     "SOFTMAX #3: is damaged: output 0 is absent"},
    {"Handle", [](TfliteBuilder& b) { b.at(3).type = TensorType::RESOURCE; },
     "tensor 3 't3': type RESOURCE is not supported; supported are"},
    {"OtherExtents",
     [](TfliteBuilder& b) {
       b.at(5).shape = {2, 32};
     },
     "RESHAPE #1: is damaged: its parameters make shape 1x64, and its output has shape "
     "2x32"},
    {"TwoOpenExtents",
     [](TfliteBuilder& b) {
       b.model.buffers[b.at(4).buffer]->data = bytes_of<int32_t>({-1, -1});
     },
     "RESHAPE #1: is damaged: new extents of [-1, -1] for an input of shape 1x4x4x4"},
    {"ScaleOfTheOutput", [](TfliteBuilder& b) { b.at(8).quantization->scale = {0.5F}; },
     "int8 1x2 with scale 0.5 and zero point -3 -> int8 1x2 with scale 0.5 and zero point -128; "
     "beta 1"},
    {"ViolatedConstraint",
     [](TfliteBuilder& b) {
       b.at(3).shape = {1, 4, 4, 5};
     },
     "net.tflite: CONV_2D #0: is not supported like this; required: the output has the shape that "
     "follows from the inputs and the attributes; it has int8 1x8x8x3 with scale 0.5 and zero "
     "point -3, int8 4x3x3x3 with 4 scales from 0.25 to 0.25, int32 4 with scale 0.125 and zero "
     "point 0 -> int8 1x4x4x5 with scale 0.5 and zero point -3; kernel 3x3, stride 2x2, dilation "
     "1x1, padding 0, 1, 0 and 1, fused RELU6; 1x4x4x4 follows"},
};

std::string claim_of(const ::testing::TestParamInfo<Damage>& info) { return info.param.claim; }

INSTANTIATE_TEST_SUITE_P(Model, TfliteRefusal, ::testing::ValuesIn(kOfTheModel), claim_of);
INSTANTIATE_TEST_SUITE_P(Tensor, TfliteRefusal, ::testing::ValuesIn(kOfATensor), claim_of);
INSTANTIATE_TEST_SUITE_P(Quantisation, TfliteRefusal, ::testing::ValuesIn(kOfQuantisation),
                         claim_of);
INSTANTIATE_TEST_SUITE_P(Operator, TfliteRefusal, ::testing::ValuesIn(kOfAnOperator), claim_of);
INSTANTIATE_TEST_SUITE_P(Options, TfliteRefusal, ::testing::ValuesIn(kOfOptions), claim_of);

/// Tensor 0 (2x3) and a parameter -> an output of shape 2x3.
TfliteBuilder parametrised(BuiltinOperator code, const std::vector<int32_t>& parameter) {
  TfliteBuilder b;
  b.tensor({2, 3});
  const int32_t constant = b.constant(parameter);
  const int32_t output = b.tensor({2, 3});
  b.op(code, {0, constant}, {output});
  b.inputs({0});
  b.outputs({output});
  return b;
}

TEST(TfliteParameterRefusal, AxisOutOfRange) {
  EXPECT_EQ(message_of(parametrised(BuiltinOperator::MEAN, {-3})),
            "net.tflite: MEAN #0: is damaged: axis -3 of a tensor with 2 axes");
}

TEST(TfliteParameterRefusal, SizeOfAnotherOutput) {
  const auto resize = [](const std::vector<int32_t>& size) {
    TfliteBuilder b;
    b.tensor({1, 2, 3, 4});
    const int32_t constant = b.constant(size);
    const int32_t output = b.tensor({1, 4, 6, 4});
    b.op(BuiltinOperator::RESIZE_BILINEAR, {0, constant}, {output},
         tflite::ResizeBilinearOptionsT{});
    b.inputs({0});
    b.outputs({output});
    return message_of(b);
  };
  EXPECT_EQ(resize({4, 2147483647}),
            "net.tflite: RESIZE_BILINEAR #0: is damaged: a new size of [4, 2147483647] for an "
            "output of shape 1x4x6x4");
  EXPECT_EQ(resize({4, 6, 4}),
            "net.tflite: RESIZE_BILINEAR #0: is damaged: a new size of [4, 6, 4] for an output of "
            "shape 1x4x6x4");
}

TEST(TfliteParameterRefusal, AxisTwiceInAPermutation) {
  EXPECT_EQ(message_of(parametrised(BuiltinOperator::TRANSPOSE, {1, 1})),
            "net.tflite: TRANSPOSE #0: is damaged: {1, 1} is not a permutation of 2 axes");
}

TEST(TfliteParameterRefusal, PermutationTooShort) {
  EXPECT_EQ(message_of(parametrised(BuiltinOperator::TRANSPOSE, {0})),
            "net.tflite: TRANSPOSE #0: is damaged: {0} is not a permutation of 2 axes");
}

TEST(TfliteParameterRefusal, PaddingsOfAnotherShape) {
  EXPECT_EQ(message_of(parametrised(BuiltinOperator::PAD, {0, 0, 0, 0})),
            "net.tflite: PAD #0: is damaged: paddings of shape 4 for an input of shape 2x3");
}

TEST(TfliteParameterRefusal, NegativePaddings) {
  TfliteBuilder b = parametrised(BuiltinOperator::PAD, {0, 0, -1, 0});
  b.at(1).shape = {2, 2};
  EXPECT_EQ(message_of(b),
            "net.tflite: PAD #0: padding -1 is not supported; it is 0 to 2147483647");
}

/// Tensor 0 (2x3), its begins, and sizes or ends and strides.
TfliteBuilder sliced(BuiltinOperator code, const std::vector<std::vector<int32_t>>& parameters,
                     const std::vector<int32_t>& out) {
  TfliteBuilder b;
  std::vector<int32_t> operands = {b.tensor({2, 3})};
  for (const std::vector<int32_t>& values : parameters) operands.push_back(b.constant(values));
  const int32_t output = b.tensor(out);
  b.op(code, operands, {output}, tflite::StridedSliceOptionsT{});
  b.inputs({0});
  b.outputs({output});
  return b;
}

/// SPLIT of a 2x3 tensor along `axis`, into outputs of these shapes.
TfliteBuilder split(std::vector<int32_t> axis, const std::vector<TfliteBuilder::Dims>& shapes) {
  TfliteBuilder b;
  b.tensor({2, 3});
  const int32_t along = b.constant(axis);
  TfliteBuilder::Dims outputs;
  for (const TfliteBuilder::Dims& shape : shapes) outputs.push_back(b.tensor(shape));
  b.op(BuiltinOperator::SPLIT, {along, 0}, outputs);
  b.inputs({0});
  b.outputs(outputs.empty() ? TfliteBuilder::Dims{0} : outputs);
  return b;
}

TEST(TfliteParameterRefusal, SplitAlongNoAxis) {
  EXPECT_EQ(message_of(split({2}, {{2, 3}})),
            "net.tflite: SPLIT #0: is damaged: it splits a tensor with 2 axes along axis [2]");
}

TEST(TfliteParameterRefusal, SplitIntoLessThanThereIs) {
  EXPECT_EQ(message_of(split({1}, {{2, 1}, {2, 1}})),
            "net.tflite: SPLIT #0: is damaged: its outputs have 2 indices along axis 1, its input "
            "3");
}

TEST(TfliteParameterRefusal, SplitIntoOtherShapes) {
  EXPECT_EQ(message_of(split({1}, {{2, 1}, {1, 2}})),
            "net.tflite: SPLIT #0: is damaged: a slice of shape 2x2 as an output of shape 1x2");
  EXPECT_EQ(message_of(split({1}, {{2, 1}, {2, 2}})),
            "net.tflite: SPLIT #0: is damaged: its parameters make shape 2x1, and its output "
            "has shape 2x2");
}

TEST(TfliteParameterRefusal, SplitIntoNothing) {
  EXPECT_EQ(message_of(split({1}, {})),
            "net.tflite: SPLIT #0: has 0 outputs; supported is at least 1");
}

/// The message of an operator on a tensor of 2x3 and one parameter, into an output of that shape.
template <class Options>
std::string message_of_steps(BuiltinOperator code, const std::vector<int32_t>& parameter,
                             const TfliteBuilder::Dims& shape, Options options) {
  TfliteBuilder b;
  b.tensor({2, 3});
  const int32_t given = b.constant(parameter);
  const int32_t output = b.tensor(shape);
  b.op(code, {0, given}, {output}, options);
  b.inputs({0});
  b.outputs({output});
  return message_of(b);
}

TEST(TfliteParameterRefusal, GatherBeyondTheInput) {
  tflite::GatherOptionsT options;
  options.axis = 1;
  EXPECT_EQ(message_of_steps(BuiltinOperator::GATHER, {0, 3}, {2, 2}, options),
            "net.tflite: GATHER #0: is damaged: it gathers [0, 3] of 3 indices");
  options.batch_dims = 2;
  EXPECT_EQ(message_of_steps(BuiltinOperator::GATHER, {0, 1}, {2, 2}, options),
            "net.tflite: GATHER #0: is damaged: an input of shape 2x3 and an output of shape 2x2 "
            "with 2 batch axes");
  options.batch_dims = 1;
  EXPECT_EQ(message_of_steps(BuiltinOperator::GATHER, {0, 3}, {2}, options),
            "net.tflite: GATHER #0: is damaged: an input of shape 2x3 and an output of shape 2 "
            "with positions beyond the axis");
}

TEST(TfliteParameterRefusal, GatherNdBeyondTheInput) {
  EXPECT_EQ(message_of_steps(BuiltinOperator::GATHER_ND, {1, 3}, {}, tflite::GatherNdOptionsT{}),
            "net.tflite: GATHER_ND #0: is damaged: an input of shape 2x3 and an output of shape "
            "scalar with positions beyond an axis");
  EXPECT_EQ(message_of_steps(BuiltinOperator::GATHER_ND, {0, 0, 0}, {}, tflite::GatherNdOptionsT{}),
            "net.tflite: GATHER_ND #0: does not take shapes 2x3, 3");
}

TEST(TfliteParameterRefusal, SeveralAxesOfAnArgMax) {
  EXPECT_EQ(message_of_steps(BuiltinOperator::ARG_MAX, {0, 1}, {2}, tflite::ArgMaxOptionsT{}),
            "net.tflite: ARG_MAX #0: is damaged: 2 axes instead of 1");
}

TEST(TfliteRefusal, SumsOfSeveralInputsOfDifferentScales) {
  TfliteBuilder b;
  b.tensor({2, 3});
  b.tensor({3, 2});
  const int32_t output = b.tensor({2, 3});
  b.op(BuiltinOperator::ADD_N, {0, 1}, {output}, tflite::AddNOptionsT{});
  b.inputs({0, 1});
  b.outputs({output});
  EXPECT_EQ(message_of(b),
            "net.tflite: ADD_N #0: inputs int8 2x3 and int8 3x2 are not supported; supported are "
            "float32, or int8 of one scale and one zero point, of one shape");
}

TEST(TfliteParameterRefusal, MirrorsMoreThanThereIs) {
  tflite::MirrorPadOptionsT options;
  options.mode = tflite::MirrorPadMode::REFLECT;
  EXPECT_EQ(message_of_steps(BuiltinOperator::MIRROR_PAD, {0, 0, 3, 0}, {2, 6}, options),
            "net.tflite: MIRROR_PAD #0: is damaged: an input of shape 2x3 and an output of shape "
            "2x6 with paddings [0, 0, 3, 0]");
}

TEST(TfliteParameterRefusal, CopiesWithoutEnd) {
  EXPECT_EQ(
      message_of_steps(BuiltinOperator::TILE, {1, 100000}, {2, 300000}, tflite::SliceOptionsT{}),
      "net.tflite: TILE #0: 100000 copies along axis 1 are not supported; supported are 1 to "
      "1024");
}

TEST(TfliteParameterRefusal, BlocksOfTwoAxes) {
  tflite::DepthToSpaceOptionsT options;
  options.block_size = 2;
  TfliteBuilder b;
  b.tensor({2, 4});
  const int32_t output = b.tensor({4, 2});
  b.op(BuiltinOperator::DEPTH_TO_SPACE, {0}, {output}, options);
  b.inputs({0});
  b.outputs({output});
  EXPECT_EQ(message_of(b),
            "net.tflite: DEPTH_TO_SPACE #0: blocks of 2 of shape 2x4 are not supported; supported "
            "are blocks of at least 1 of 4 axes (NHWC)");
}

TEST(TfliteParameterRefusal, TransposedConvolutionOfAnotherShape) {
  TfliteBuilder b;
  b.tensor({1, 2, 2, 3});
  const int32_t weights = b.weights({4, 3, 3, 3}, 0), extents = b.constant({1, 4, 4, 4});
  const int32_t output = b.tensor({1, 5, 5, 4});
  tflite::TransposeConvOptionsT options;
  options.stride_h = options.stride_w = 2;
  b.op(BuiltinOperator::TRANSPOSE_CONV, {extents, weights, 0}, {output}, options);
  b.inputs({0});
  b.outputs({output});
  EXPECT_EQ(message_of(b),
            "net.tflite: TRANSPOSE_CONV #0: is damaged: output extents of [1, 4, 4, 4] for an "
            "output of shape 1x5x5x4");
}

TEST(TfliteParameterRefusal, SliceBeyondTheInput) {
  EXPECT_EQ(message_of(sliced(BuiltinOperator::SLICE, {{1, 2}, {1, 2}}, {1, 2})),
            "net.tflite: SLICE #0: is damaged: a slice of 2 from 2 along axis 1 of 3");
}

TEST(TfliteParameterRefusal, SliceOfAnotherRank) {
  EXPECT_EQ(message_of(sliced(BuiltinOperator::SLICE, {{1}, {1}}, {1})),
            "net.tflite: SLICE #0: is damaged: 1 begins for an input of shape 2x3");
}

TEST(TfliteParameterRefusal, SliceOfAnotherShapeThanTheOutput) {
  EXPECT_EQ(message_of(sliced(BuiltinOperator::STRIDED_SLICE, {{0, 0}, {2, 3}, {1, 2}}, {2, 3})),
            "net.tflite: STRIDED_SLICE #0: is damaged: a slice of shape 2x2 as an output of shape "
            "2x3");
}

TEST(TfliteParameterRefusal, EmptySlice) {
  EXPECT_EQ(message_of(sliced(BuiltinOperator::STRIDED_SLICE, {{0, 2}, {2, 1}, {1, 1}}, {2, 1})),
            "net.tflite: STRIDED_SLICE #0: is damaged: a slice of shape 2x0 as an output of shape "
            "2x1");
}

TEST(TfliteParameterRefusal, StrideZero) {
  EXPECT_EQ(message_of(sliced(BuiltinOperator::STRIDED_SLICE, {{0, 0}, {2, 3}, {1, 0}}, {2, 3})),
            "net.tflite: STRIDED_SLICE #0: stride 0 along axis 1 is not supported; it is not 0, "
            "within int32, and positive where the axis is dropped");
}

TEST(TfliteParameters, ASingleIndexHasNoStride) {
  const TfliteBuilder b =
      sliced(BuiltinOperator::STRIDED_SLICE, {{0, 2}, {2, 3}, {1, 0x7FFFFFF}}, {2, 1});
  const Graph graph = import_tflite(b.bytes(), "net", "net.tflite");
  EXPECT_EQ(std::get<Slice>(graph.ops[0].attributes).stride, (std::vector<int64_t>{1, 1}));
}

TEST(TfliteParameterRefusal, BooleansThatAreNone) {
  TfliteBuilder b;
  const int32_t x = b.tensor({2}, tflite::TensorType::BOOL);
  const int32_t y = b.constant({2}, tflite::TensorType::BOOL, {1, 255});
  const int32_t out = b.tensor({2}, tflite::TensorType::BOOL);
  b.op(BuiltinOperator::LOGICAL_OR, {x, y}, {out});
  b.inputs({x});
  b.outputs({out});
  EXPECT_EQ(message_of(b), "net.tflite: tensor 1 't1': is damaged: a boolean is 0 or 1");
}

TEST(TfliteParameterRefusal, DroppedAxisWithoutTheIndex) {
  TfliteBuilder b = sliced(BuiltinOperator::STRIDED_SLICE, {{2, 0}, {3, 3}, {1, 1}}, {3});
  b.op_at(0).builtin_options.AsStridedSliceOptions()->shrink_axis_mask = 1;
  EXPECT_EQ(message_of(b), "net.tflite: STRIDED_SLICE #0: is damaged: axis 0 of 2 has no index 2");
}

TEST(TfliteParameterRefusal, EndsThatCountFromTheBegins) {
  TfliteBuilder b = sliced(BuiltinOperator::STRIDED_SLICE, {{0, 0}, {2, 3}, {1, 1}}, {2, 3});
  b.op_at(0).builtin_options.AsStridedSliceOptions()->offset = true;
  EXPECT_EQ(message_of(b),
            "net.tflite: STRIDED_SLICE #0: ends that count from the begins are not supported");
}

TEST(TfliteParameterRefusal, MoreIndicesThanAxes) {
  TfliteBuilder b =
      sliced(BuiltinOperator::STRIDED_SLICE, {{0, 0, 0}, {2, 3, 1}, {1, 1, 1}}, {2, 3});
  EXPECT_EQ(message_of(b),
            "net.tflite: STRIDED_SLICE #0: is damaged: 3 begins, 3 ends and 3 strides for an input "
            "of shape 2x3");
}

}  // namespace
}  // namespace thimble::testing
