// SPDX-License-Identifier: Apache-2.0
#include "tests/operators/refusals.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>

#include "tests/operators/literal_ops.h"
#include "tests/operators/spoil.h"

namespace thimble::testing {
namespace {

using namespace spoil;

const Refusal kOperands[] = {
    {"relu", "every operand is a tensor", [](Graph& g) { op(g).inputs[0] = {99}; }},
    {"relu", "every operand is a tensor", [](Graph& g) { op(g).outputs[0] = {}; }},
    {"relu", "one output", [](Graph& g) { op(g).outputs.clear(); }},
    {"relu", "at least one input", [](Graph& g) { op(g).inputs.clear(); }},
    {"relu", "not a constant", [](Graph& g) { output(g).data = std::make_shared<Bytes>(24); }},
    {"relu", "every extent is at least 1",
     [](Graph& g) {
       set_all_shapes(g, {2, 0});
     }},
    {"relu", "every extent is at least 1",
     [](Graph& g) {
       set_all_shapes(g, {-2, -3});
     }},
    {"relu", "smaller than 2 GiB",
     [](Graph& g) {
       set_all_shapes(g, {1 << 16, 1 << 15});
     }},
    {"relu", "smaller than 2 GiB",
     [](Graph& g) {
       set_all_shapes(g, {int64_t{1} << 32, int64_t{1} << 32});
     }},
    {"dequantize", "smaller than 2 GiB", [](Graph& g) { set_all_shapes(g, {1 << 29}); }},
    {"add", "bytes of their shape",
     [](Graph& g) { operand(g, 1).data = std::make_shared<Bytes>(3); }},
    {"relu", "there is 1 input", [](Graph& g) { op(g).inputs.push_back({0}); }},
    {"add", "there are 2 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"select_v2", "there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"conv_2d", "2 or 3 inputs", [](Graph& g) { op(g).inputs.resize(1); }},
    {"fully_connected", "2 or 3 inputs", [](Graph& g) { op(g).inputs.push_back({0}); }},
};

const Refusal kShapes[] = {
    {"relu", "no operand has more than 6 axes", [](Graph& g) { set_all_shapes(g, Shape(7, 1)); }},
    {"transpose", "1 to 6 axes", [](Graph& g) { set_all_shapes(g, {}); }},
    {"arg_max", "the input has 1 to 6 axes", [](Graph& g) { set_all_shapes(g, Shape(7, 1)); }},
    {"softmax", "1 to 4 axes", [](Graph& g) { set_all_shapes(g, Shape(5, 1)); }},
    {"max_pool_2d", "4 axes (NHWC)",
     [](Graph& g) {
       set_all_shapes(g, {6, 6, 3});
     }},
    {"conv_2d", "the bias has 1",
     [](Graph& g) {
       set_shape(g, 2, {1, 6});
     }},
    {"depthwise_conv_2d", "have 4 axes",
     [](Graph& g) {
       set_shape(g, 0, {6, 6, 2});
     }},
    {"fully_connected", "the weights have 2",
     [](Graph& g) {
       set_shape(g, 1, {5, 1, 4});
     }},
    {"fully_connected", "trailing axes",
     [](Graph& g) {
       set_shape(g, 1, {5, 6});
     }},
    {"batch_matmul", "2 to 6 axes", [](Graph& g) { set_shape(g, 1, {4}); }},
    {"batch_matmul", "as long as each column",
     [](Graph& g) {
       set_shape(g, 1, {4, 5});
     }},
    {"batch_matmul", "aligned at the matrices",
     [](Graph& g) {
       set_shape(g, 1, {3, 5, 4});
     }},
    {"batch_matmul", "follows from the inputs",
     [](Graph& g) {
       set_shape(g, 2, {2, 5, 3});
     }},
    {"mean", "1 to 4 axes", [](Graph& g) { set_shape(g, 0, Shape(5, 1)); }},
    {"add", "equal or 1", [](Graph& g) { set_shape(g, 1, {5}); }},
    {"sub", "equal or 1", [](Graph& g) { set_shape(g, 1, {5}); }},
    {"squared_difference", "equal or 1", [](Graph& g) { set_shape(g, 1, {5}); }},
    {"relu", "follows from the inputs",
     [](Graph& g) {
       set_shape(g, 1, {2, 12});
     }},
    {"conv_2d", "follows from the inputs",
     [](Graph& g) {
       set_shape(g, 3, {1, 4, 4, 6});
     }},
    {"conv_2d", "follows from the inputs",
     [](Graph& g) {
       set_shape(g, 0, {1, 6, 2, 4});
     }},
    {"reshape", "as many elements",
     [](Graph& g) {
       set_shape(g, 1, {5, 5});
     }},
    {"concatenation", "axis only",
     [](Graph& g) {
       set_shape(g, 1, {3, 5});
     }},
    {"concatenation", "axis only", [](Graph& g) { set_shape(g, 1, {2}); }},
};

const Refusal kAttributes[] = {
    {"conv_2d", "1 to 65535", [](Graph& g) { attributes<Conv2D>(g).window.stride_h = 0; }},
    {"conv_2d", "0 to 65535", [](Graph& g) { attributes<Conv2D>(g).window.padding.left = -1; }},
    {"conv_2d", "1 to 65535",
     [](Graph& g) { attributes<Conv2D>(g).window.dilation_w = int64_t{1} << 62; }},
    {"conv_2d", "high and wide as the weights",
     [](Graph& g) { attributes<Conv2D>(g).window.kernel_h = 2; }},
    {"conv_2d", "the weights' input channels divide",
     [](Graph& g) {
       set_shape(g, 1, {6, 3, 3, 3});
     }},
    {"conv_2d", "the number of groups",
     [](Graph& g) {
       set_shape(g, 1, {6, 3, 3, 1});
     }},
    {"depthwise_conv_2d", "whose first extent is 1",
     [](Graph& g) {
       set_shape(g, 1, {2, 3, 3, 6});
     }},
    {"depthwise_conv_2d", "times the multiplier",
     [](Graph& g) { attributes<DepthwiseConv2D>(g).multiplier = 2; }},
    {"average_pool_2d", "the dilation is 1",
     [](Graph& g) { attributes<AveragePool2D>(g).window.dilation_h = 2; }},
    {"max_pool_2d", "padding is less than the window",
     [](Graph& g) { attributes<MaxPool2D>(g).window.padding.top = 2; }},
    {"transpose_conv", "which have the input's channels",
     [](Graph& g) { attributes<TransposeConv>(g).window.dilation_h = 2; }},
    {"transpose_conv", "at most 65535",
     [](Graph& g) {
       set_shape(g, 3, {1, 65536, 9, 6});
     }},
    {"log_softmax", "at most 4095 elements",
     [](Graph& g) { operand(g, 0).shape.back() = output(g).shape.back() = 4096; }},
    {"mean", "each is an axis of the input", [](Graph& g) { attributes<Mean>(g).axes = {4}; }},
    {"mean", "at least one axis", [](Graph& g) { attributes<Mean>(g).axes = {}; }},
    {"sum", "at least one axis is reduced", [](Graph& g) { attributes<Sum>(g).axes = {}; }},
    {"gather", "ones of the operands'", [](Graph& g) { attributes<Gather>(g).axis = 3; }},
    {"gather", "before the axis", [](Graph& g) { attributes<Gather>(g).batch_axes = 2; }},
    {"gather", "same extents along the batch axes",
     [](Graph& g) {
       set_shape(g, 1, {3, 5});
     }},
    {"gather", "the output has the shape",
     [](Graph& g) {
       set_shape(g, 1, {2, 6});
     }},
    {"dynamic_update_slice", "there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"dynamic_update_slice", "1 to 4 axes", [](Graph& g) { set_all_shapes(g, Shape(5, 1)); }},
    {"dynamic_update_slice", "there is a begin for each", [](Graph& g) { set_shape(g, 2, {2}); }},
    {"dynamic_update_slice", "the input's number of axes",
     [](Graph& g) {
       set_shape(g, 1, {3, 2});
     }},
    {"dynamic_update_slice", "nowhere larger",
     [](Graph& g) {
       set_shape(g, 1, {1, 3, 5});
     }},
    {"dynamic_update_slice", "the output has the shape",
     [](Graph& g) {
       output(g).shape = {2, 3, 5};
     }},
    {"detection_post_process", "there are 3 inputs", [](Graph& g) { op(g).inputs.pop_back(); }},
    {"detection_post_process", "3 axes, anchors 2",
     [](Graph& g) {
       set_shape(g, 0, {7, 4});
     }},
    {"detection_post_process", "the anchors are a constant",
     [](Graph& g) { operand(g, 2).data = nullptr; }},
    {"detection_post_process", "at least 4 numbers",
     [](Graph& g) {
       set_shape(g, 0, {1, 7, 3});
     }},
    {"detection_post_process", "none or one for the background",
     [](Graph& g) { attributes<DetectionPostProcess>(g).classes = 1; }},
    {"detection_post_process", "are 1 to 65535",
     [](Graph& g) { attributes<DetectionPostProcess>(g).max_detections = 0; }},
    {"detection_post_process", "above 0 and at most 1",
     [](Graph& g) { attributes<DetectionPostProcess>(g).iou_threshold = 0; }},
    {"detection_post_process", "finite and not 0",
     [](Graph& g) { attributes<DetectionPostProcess>(g).scales[2] = 0; }},
    {"detection_post_process", "the output has the shape",
     [](Graph& g) { attributes<DetectionPostProcess>(g).regular = true; }},
    {"arg_max", "the axis is one of the input's", [](Graph& g) { attributes<ArgMax>(g).axis = 3; }},
    {"cumsum", "the axis is one of the input's", [](Graph& g) { attributes<CumSum>(g).axis = -1; }},
    {"l2_normalization", "at most 32768 elements",
     [](Graph& g) { operand(g, 0).shape.back() = output(g).shape.back() = 32769; }},
    {"mean", "fewer than 2^23",
     [](Graph& g) {
       set_shape(g, 0, {1, 1 << 12, 1 << 11, 3});
     }},
    {"pad", "one pair of numbers", [](Graph& g) { attributes<Pad>(g).before = {1}; }},
    {"pad", "one pair of numbers",
     [](Graph& g) {
       attributes<Pad>(g).after = {-1, 0};
     }},
    {"pad", "the value is within the type", [](Graph& g) { attributes<Pad>(g).value = 128; }},
    {"transpose", "each axis of the input once",
     [](Graph& g) {
       attributes<Transpose>(g).permutation = {0, 0, 1};
     }},
    {"transpose", "each axis of the input once",
     [](Graph& g) {
       attributes<Transpose>(g).permutation = {0, 1, 3};
     }},
    {"softmax", "beta is finite",
     [](Graph& g) { attributes<Softmax>(g).beta = std::numeric_limits<float>::infinity(); }},
    {"leaky_relu", "alpha is finite",
     [](Graph& g) { attributes<LeakyRelu>(g).alpha = std::numeric_limits<float>::quiet_NaN(); }},
    {"softmax", "beta x input scale is within 2^-26 and 2^4",
     [](Graph& g) { attributes<Softmax>(g).beta = 16 / operand(g, 0).quantization.scales[0]; }},
    {"softmax", "beta x input scale is within 2^-26",
     [](Graph& g) { attributes<Softmax>(g).beta = 0; }},
    {"softmax", "at most 4095 elements (int16: 65535)",
     [](Graph& g) { operand(g, 0).shape.back() = output(g).shape.back() = 4096; }},
    {"concatenation", "one of the first input's", [](Graph& g) { attributes<Concat>(g).axis = 2; }},
    {"slice", "one for each axis",
     [](Graph& g) {
       attributes<Slice>(g).begin = {1, 3};
     }},
    {"slice", "no stride is 0",
     [](Graph& g) {
       attributes<Slice>(g).stride = {1, 0, -1};
     }},
    {"slice", "no stride is 0",
     [](Graph& g) {
       attributes<Slice>(g).stride = {1, int64_t{1} << 62, -1};
     }},
    {"slice", "without those that are dropped",
     [](Graph& g) {
       attributes<Slice>(g).dropped = {0, 0};
     }},
    {"slice", "without those that are dropped",
     [](Graph& g) { attributes<Slice>(g).dropped = {3}; }},
    {"slice", "without those that are dropped",
     [](Graph& g) { attributes<Slice>(g).dropped = {}; }},
    {"slice", "every index is within",
     [](Graph& g) {
       attributes<Slice>(g).begin = {2, 3, 3};
     }},
    {"slice", "every index is within",
     [](Graph& g) {
       set_shape(g, 1, {4, 2});
     }},
    {"slice", "every index is within",
     [](Graph& g) {
       set_shape(g, 1, {3, 5});
     }},
    {"resize_nearest_neighbor", "the input's batch and channels",
     [](Graph& g) {
       set_shape(g, 1, {1, 4, 6, 5});
     }},
    {"resize_nearest_neighbor", "widths are 1 to 32767",
     [](Graph& g) {
       set_shape(g, 1, {1, 4, 32768, 4});
     }},
    {"resize_bilinear", "the input's batch and channels",
     [](Graph& g) {
       set_shape(g, 1, {2, 4, 6, 4});
     }},
    {"resize_bilinear", "are not both set",
     [](Graph& g) { attributes<ResizeBilinear>(g).align_corners = true; }},
    {"resize_bilinear", "rounded to steps of 1/1024",
     [](Graph& g) {
       set_shape(g, 1, {1, 4, 1800, 4});
     }},
    {"concatenation", "no fused activation",
     [](Graph& g) { attributes<Concat>(g).activation = Activation::kRelu; }},
};

const Refusal kTypes[] = {
    {"relu", "are all int8, all int16 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"elu", "are all int8 or all float32", [](Graph& g) { output(g).type = DType::kInt16; }},
    {"pad", "have one type: int8, int16, int32", [](Graph& g) { output(g).type = DType::kInt16; }},
    {"div", "constants of float32 are finite",
     [](Graph& g) {
       in_float(g);
       set_all(operand(g, 1), std::numeric_limits<float>::infinity());
     }},
    {"floor_div", "inputs and output are all int32 or all float32",
     [](Graph& g) { operand(g, 0).type = DType::kInt32; }},
    {"l2_pool_2d", "inputs and output are float32",
     [](Graph& g) { operand(g, 0).type = DType::kInt32; }},
    {"ceil", "inputs and output are float32", [](Graph& g) { output(g).type = DType::kInt16; }},
    {"fully_connected", "weights of int16 and float32 inputs are constant",
     [](Graph& g) {
       in_float(g);
       operand(g, 1).data = nullptr;
     }},
    {"fully_connected", "weights of int16 and float32 inputs are constant",
     [](Graph& g) {
       operand(g, 0).type = output(g).type = DType::kInt16;
       operand(g, 0).quantization.zero_points = output(g).quantization.zero_points = {0};
       operand(g, 1).data = nullptr;
     }},
    {"transpose_conv", "or all are float32",
     [](Graph& g) {
       const Tensor weights = operand(g, 1);
       in_float(g);
       operand(g, 1) = weights;
     }},
    {"conv_2d", "or all are float32",
     [](Graph& g) {
       in_float(g);
       operand(g, 1).type = DType::kInt8;
       set_shape(g, 1, operand(g, 1).shape);
     }},
    {"reshape", "have one type",
     [](Graph& g) {
       for (Tensor& t : g.tensors) t.type = DType::kUInt64;
     }},
    {"concatenation", "have one type", [](Graph& g) { operand(g, 1).type = DType::kUInt8; }},
    {"conv_2d", "input and output both int8 or both int16",
     [](Graph& g) { operand(g, 0).type = DType::kInt16; }},
    {"conv_2d", "the bias is int32", [](Graph& g) { operand(g, 2).type = DType::kFloat32; }},
    {"conv_2d", "weights and bias are constants", [](Graph& g) { operand(g, 1).data = nullptr; }},
    {"fully_connected", "the bias is a constant", [](Graph& g) { operand(g, 2).data = nullptr; }},
    {"logistic", "are all int8, all int16 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"leaky_relu", "both int8, both int16 or both float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"sub", "all int8, all int16, all int32 or all float32",
     [](Graph& g) { operand(g, 1).type = DType::kInt16; }},
    {"squared_difference", "are all int8, all int16 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"rsqrt", "are all int8, all int16 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"gelu", "inputs and output are all int8 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"abs", "are all int8, all int16 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"sum", "are all int8, all int16 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"maximum", "all int8, all int16, all int32, all float32 or all bool",
     [](Graph& g) { output(g).type = DType::kBool; }},
    {"div", "are all int8, all int32 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"add", "int32 has no fused activation",
     [](Graph& g) {
       for (Tensor& t : g.tensors) t.type = DType::kInt32;
       attributes<Add>(g).activation = Activation::kRelu;
     }},
    {"equal", "both inputs are int8, int32, float32 or bool",
     [](Graph& g) { output(g).type = DType::kInt8; }},
    {"select_v2", "the condition is bool", [](Graph& g) { operand(g, 0).type = DType::kInt8; }},
    {"cast", "and the output another one", [](Graph& g) { output(g).type = DType::kInt8; }},
    {"gather", "the indices are int32", [](Graph& g) { operand(g, 1).type = DType::kInt64; }},
    {"gather", "at most 32 bits",
     [](Graph& g) { operand(g, 0).type = output(g).type = DType::kInt64; }},
    {"dynamic_update_slice", "the begins are int32",
     [](Graph& g) { operand(g, 2).type = DType::kInt64; }},
    {"detection_post_process", "inputs and output are float32",
     [](Graph& g) { output(g).type = DType::kInt8; }},
    {"floor_div", "all int32 or all float32", [](Graph& g) { output(g).type = DType::kInt32; }},
    {"arg_max", "and the output int32", [](Graph& g) { output(g).type = DType::kInt8; }},
    {"cumsum", "inputs and output are all int8 or all float32",
     [](Graph& g) { output(g).type = DType::kInt16; }},
    {"slice", "have one type", [](Graph& g) { output(g).type = DType::kInt16; }},
    {"softmax", "the output int8 or int16, or both are int16 or float32",
     [](Graph& g) { output(g).type = DType::kFloat32; }},
    {"quantize", "float32->int8", [](Graph& g) { output(g).type = DType::kFloat32; }},
    {"dequantize", "the output float32", [](Graph& g) { output(g).type = DType::kInt8; }},
};

const Refusal kQuantization[] = {
    {"relu", "one positive, finite scale", [](Graph& g) { set_scale(operand(g, 0), 0); }},
    {"relu", "one positive, finite scale",
     [](Graph& g) { set_scale(operand(g, 0), std::numeric_limits<float>::infinity()); }},
    {"relu", "one positive, finite scale",
     [](Graph& g) { set_scale(operand(g, 0), std::numeric_limits<float>::quiet_NaN()); }},
    {"relu", "one positive, finite scale", [](Graph& g) { output(g).quantization = {}; }},
    {"relu", "zero point within the type",
     [](Graph& g) { output(g).quantization.zero_points = {128}; }},
    {"sub", "below 2^19 (int16: 2^14) x output scale",
     [](Graph& g) { set_scale(output(g), 9e-7F); }},
    {"squared_difference", "below 2^12 (int16: 2^-2) x output scale",
     [](Graph& g) { set_scale(output(g), 6e-5F); }},
    {"add", "int8 and int16 have one positive, finite scale",
     [](Graph& g) { output(g).quantization = {}; }},
    {"div", "below 2^16 x the second's", [](Graph& g) { set_scale(output(g), 1e-5F); }},
    {"equal", "scales of int8 are below 1", [](Graph& g) { set_scale(operand(g, 1), 1); }},
    {"gather", "the output's scale and zero point",
     [](Graph& g) { set_scale(operand(g, 0), 0.25F); }},
    {"dynamic_update_slice", "the output's scale and zero point",
     [](Graph& g) { set_scale(operand(g, 1), 0.25F); }},
    {"select_v2", "the output's scale and zero point",
     [](Graph& g) { set_scale(operand(g, 2), 0.25F); }},
    {"cumsum", "below 2^19 x output scale", [](Graph& g) { set_scale(output(g), 9e-7F); }},
    {"l2_normalization", "scale is 1/128", [](Graph& g) { set_scale(output(g), 1.0F / 127); }},
    {"softmax", "int16 in has zero point 0",
     [](Graph& g) { operand(g, 0).type = output(g).type = DType::kInt16; }},
    {"rsqrt", "within 2^-11 and 2^30", [](Graph& g) { set_scale(output(g), 1e-9F); }},
    {"rsqrt", "within 2^-11 and 2^30", [](Graph& g) { set_scale(output(g), 3000); }},
    {"gelu", "within 2^-100 and 2^100", [](Graph& g) { set_scale(operand(g, 0), 0x1p100F); }},
    {"gelu", "within 2^-100 and 2^100", [](Graph& g) { set_scale(output(g), 0x1p-100F); }},
    {"add", "zero points of int16 are 0",
     [](Graph& g) {
       for (Tensor& t : g.tensors) t.type = DType::kInt16;
     }},
    {"conv_2d", "(int16: 0)",
     [](Graph& g) { operand(g, 0).type = output(g).type = DType::kInt16; }},
    {"prelu", "alpha's scale is below 2^14", [](Graph& g) { set_scale(output(g), 1e-5F); }},
    {"tanh", "scale is 1/128", [](Graph& g) { set_scale(output(g), 1.0F / 127); }},
    {"tanh", "above 2^-27", [](Graph& g) { set_scale(operand(g, 0), 0x1p-27F); }},
    {"hard_swish", "within 2^-20 and 2^10", [](Graph& g) { set_scale(operand(g, 0), 0x1p-20F); }},
    {"hard_swish", "127 x output scale", [](Graph& g) { set_scale(output(g), 0.003F); }},
    {"log_softmax", "scale is 1/16", [](Graph& g) { set_scale(output(g), 0.0624F); }},
    {"log_softmax", "within 2^-26 and 2^4", [](Graph& g) { set_scale(operand(g, 0), 16); }},
    {"relu", "RELU_0_TO_1 are not of int16",
     [](Graph& g) {
       attributes<Relu>(g).range = Activation::kRelu0To1;
       for (Tensor& t : g.tensors) {
         t.type = DType::kInt16;
         t.quantization.zero_points = {0};
       }
     }},
    {"leaky_relu", "|alpha|", [](Graph& g) { g.ops[0].attributes = LeakyRelu{-1e30F}; }},
    {"leaky_relu", "|alpha|", [](Graph& g) { g.ops[0].attributes = LeakyRelu{1e30F}; }},
    {"relu6", "same scale and zero point", [](Graph& g) { set_scale(output(g), 0.25F); }},
    {"slice", "same scale and zero point", [](Graph& g) { set_scale(output(g), 0.25F); }},
    {"logistic", "scale is 1/256", [](Graph& g) { set_scale(output(g), 1.0F / 255); }},
    {"logistic", "scale is 1/256", [](Graph& g) { output(g).quantization.zero_points = {-127}; }},
    {"logistic", "above 2^-27", [](Graph& g) { set_scale(operand(g, 0), 0x1p-27F); }},
    {"concatenation", "same scale and zero point",
     [](Graph& g) { operand(g, 1).quantization.zero_points = {4}; }},
    {"conv_2d", "zero point within int8", [](Graph& g) { output(g).quantization = {}; }},
    {"conv_2d", "zero points 0", [](Graph& g) { operand(g, 1).quantization.zero_points = {300}; }},
    {"conv_2d", "one scale per output channel",
     [](Graph& g) {
       operand(g, 1).quantization = {{1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}, 0};
     }},
    {"depthwise_conv_2d", "one scale per output channel",
     [](Graph& g) {
       operand(g, 1).quantization = {{1, 1, 1, 1, 1, 1}, {0, 0, 0, 0, 0, 0}, 0};
     }},
    {"transpose_conv", "one per output channel, and zero points 0",
     [](Graph& g) {
       operand(g, 1).quantization = {{1}, {5}, 0};
     }},
    {"fully_connected", "within int8 (int16 inputs: 0)",
     [](Graph& g) {
       operand(g, 0).type = output(g).type = DType::kInt16;
       operand(g, 0).quantization.zero_points = output(g).quantization.zero_points = {0};
       operand(g, 1).quantization.zero_points = {5};
     }},
    {"fully_connected", "are constant and have one scale per output channel",
     [](Graph& g) {
       operand(g, 1).quantization = {{1, 1}, {0, 0}, 0};
     }},
    {"conv_2d", "below 2^30", [](Graph& g) { set_scale(output(g), 1e-12F); }},
    {"conv_2d", "one element per output channel", [](Graph& g) { set_shape(g, 2, {5}); }},
    {"conv_2d", "stays within 32 bits", [](Graph& g) { set_scale(output(g), 1e-8F); }},
    {"conv_2d", "stays within 32 bits",
     [](Graph& g) { set_all(operand(g, 2), std::numeric_limits<int32_t>::max()); }},
    {"batch_matmul", "below 2^30 (int16: 2^14)", [](Graph& g) { set_scale(output(g), 1e-12F); }},
    {"batch_matmul", "stays within 32 bits", [](Graph& g) { set_scale(output(g), 1e-6F); }},
    {"relu", "below 2^22", [](Graph& g) { set_scale(output(g), 1e-8F); }},
    {"add", "2^19 (int16: 2^14) x output scale", [](Graph& g) { set_scale(output(g), 1e-7F); }},
    {"mul", "2^14 (int16: 1) x output scale", [](Graph& g) { set_scale(output(g), 1e-6F); }},
    {"mean", "within 2^-30 and 2^20", [](Graph& g) { set_scale(output(g), 1e-7F); }},
    {"softmax", "1/256", [](Graph& g) { set_scale(output(g), 1.0F / 255); }},
    {"softmax", "1/65536", [](Graph& g) { output(g).type = DType::kInt16; }},
    {"quantize", "within the type", [](Graph& g) { output(g).quantization = {}; }},
    {"quantize", "(32 bits, with zero point 0)",
     [](Graph& g) { operand(g, 0).type = DType::kInt32; }},
    {"dequantize", "within the type", [](Graph& g) { operand(g, 0).quantization = {}; }},
};

}  // namespace

std::vector<Refusal> refusals() {
  std::vector<Refusal> result;
  result.insert(result.end(), std::begin(kOperands), std::end(kOperands));
  result.insert(result.end(), std::begin(kShapes), std::end(kShapes));
  result.insert(result.end(), std::begin(kAttributes), std::end(kAttributes));
  result.insert(result.end(), std::begin(kTypes), std::end(kTypes));
  result.insert(result.end(), std::begin(kQuantization), std::end(kQuantization));
  std::ranges::copy(refusals_of_sequences(), std::back_inserter(result));
  return result;
}

}  // namespace thimble::testing
