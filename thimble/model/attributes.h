// SPDX-License-Identifier: Apache-2.0
// The closed set of operators: one small struct of attributes each. A new operator is a new member
// of Attributes, and does not compile until every std::visit over it has an overload for it.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace thimble {

/// Fused at the output of an operator: a clamp on real values.
enum class Activation : uint8_t { kNone, kRelu, kReluN1To1, kRelu6 };

/// Elements (all at the input's zero point) around height and width. May be negative nowhere.
struct Padding {
  int64_t top = 0, bottom = 0, left = 0, right = 0;
  bool operator==(const Padding&) const = default;
};

/// A window that slides over height and width. Output row y reads the input rows
/// y * stride_h - padding.top + k * dilation_h for k in [0, kernel_h).
struct Window {
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t stride_h = 1, stride_w = 1;
  int64_t dilation_h = 1, dilation_w = 1;
  Padding padding;
  bool operator==(const Window&) const = default;
};

/// inputs: x [N,H,W,C], weights [O,kh,kw,C/groups], optional bias [O]; groups = C /
/// weights.shape[3].
struct Conv2D {
  Window window;
  Activation activation = Activation::kNone;
  bool operator==(const Conv2D&) const = default;
};

/// inputs: x [N,H,W,C], weights [1,kh,kw,C*multiplier], optional bias; output channel o reads o /
/// multiplier.
struct DepthwiseConv2D {
  Window window;
  int64_t multiplier = 1;
  Activation activation = Activation::kNone;
  bool operator==(const DepthwiseConv2D&) const = default;
};

/// inputs: x [N,H,W,C], weights [O,kh,kw,C], optional bias [O]. Pixel (y, x) of the input adds to
/// the output's pixels (y * stride_h - padding.top + k, ...), k in [0, kernel_h), as far as the
/// output has them. Dilations are 1; padding.bottom and right do not count.
struct TransposeConv {
  Window window;
  Activation activation = Activation::kNone;
  bool operator==(const TransposeConv&) const = default;
};

/// inputs: x of any shape, read as [batch, K] row-major; weights [O,K]; optional bias [O].
/// output: [..., O] with batch rows.
struct FullyConnected {
  Activation activation = Activation::kNone;
  bool operator==(const FullyConnected&) const = default;
};

/// inputs: x [..., M, K] and y [..., K, N], either of which may be constant; an adjoint one has its
/// last two axes the other way round. Leading axes are batches, broadcast. output: [..., M, N].
struct BatchMatMul {
  bool adjoint_x = false, adjoint_y = false;
  bool operator==(const BatchMatMul&) const = default;
};

/// Padding is left out of the average.
struct AveragePool2D {
  Window window;
  Activation activation = Activation::kNone;
  bool operator==(const AveragePool2D&) const = default;
};

/// The square root of the mean of the squares, padding left out. float32.
struct L2Pool2D {
  Window window;
  Activation activation = Activation::kNone;
  bool operator==(const L2Pool2D&) const = default;
};

struct MaxPool2D {
  Window window;
  Activation activation = Activation::kNone;
  bool operator==(const MaxPool2D&) const = default;
};

/// axes: sorted, not negative, without repeats. The output shape tells whether they were kept.
struct Mean {
  std::vector<int> axes;
  bool operator==(const Mean&) const = default;
};

/// Element by element, with broadcasting of either input.
struct Add {
  Activation activation = Activation::kNone;
  bool operator==(const Add&) const = default;
};

struct Mul {
  Activation activation = Activation::kNone;
  bool operator==(const Mul&) const = default;
};

/// Input 0 less input 1.
struct Sub {
  Activation activation = Activation::kNone;
  bool operator==(const Sub&) const = default;
};

/// Input 0 over input 1. float32.
struct Div {
  Activation activation = Activation::kNone;
  bool operator==(const Div&) const = default;
};

/// (x - y)^2.
struct SquaredDifference {
  bool operator==(const SquaredDifference&) const = default;
};

/// The larger of both, element by element, with broadcasting; the smaller.
struct Maximum {
  bool operator==(const Maximum&) const = default;
};

struct Minimum {
  bool operator==(const Minimum&) const = default;
};

/// before, after: elements added per axis. value: quantised; PAD's is the zero point. Of float32:
/// the number's bits.
/// The paddings and PADV2's value come from constants in the file; they are not inputs here.
struct Pad {
  std::vector<int64_t> before, after;
  int32_t value = 0;
  bool operator==(const Pad&) const = default;
};

/// Same elements in row-major order; the new shape is the output tensor's. One input.
struct Reshape {
  bool operator==(const Reshape&) const = default;
};

/// output axis i is input axis permutation[i]. One input.
struct Transpose {
  std::vector<int> permutation;
  bool operator==(const Transpose&) const = default;
};

/// Over the last axis.
struct Softmax {
  float beta = 1;
  bool operator==(const Softmax&) const = default;
};

struct Relu {
  bool operator==(const Relu&) const = default;
};

/// x where x >= 0, alpha x below. int8 or int16.
struct LeakyRelu {
  float alpha = 0;
  bool operator==(const LeakyRelu&) const = default;
};

struct Relu6 {
  bool operator==(const Relu6&) const = default;
};

/// float32 or integer in, integer out.
struct Quantize {
  bool operator==(const Quantize&) const = default;
};

/// Integer in, float32 out.
struct Dequantize {
  bool operator==(const Dequantize&) const = default;
};

/// axis: not negative.
struct Concat {
  int axis = 0;
  Activation activation = Activation::kNone;
  bool operator==(const Concat&) const = default;
};

/// The logarithm of softmax over the last axis.
struct LogSoftmax {
  bool operator==(const LogSoftmax&) const = default;
};

/// inputs: x, alpha (broadcast to x). x where x >= 0, alpha x below.
struct Prelu {
  bool operator==(const Prelu&) const = default;
};

/// 1 / (1 + e^-x).
struct Logistic {
  bool operator==(const Logistic&) const = default;
};

/// The hyperbolic tangent.
struct Tanh {
  bool operator==(const Tanh&) const = default;
};

/// x where x >= 0, e^x - 1 below.
struct Elu {
  bool operator==(const Elu&) const = default;
};

/// x * relu6(x + 3) / 6.
struct HardSwish {
  bool operator==(const HardSwish&) const = default;
};

/// |x|.
struct Abs {
  bool operator==(const Abs&) const = default;
};

/// 1 / sqrt(x). Where x is 0 or below: the largest value of the output's type.
struct Rsqrt {
  bool operator==(const Rsqrt&) const = default;
};

/// x Phi(x), Phi the normal distribution: by the error function, or approximately by tanh.
struct Gelu {
  bool approximate = false;
  bool operator==(const Gelu&) const = default;
};

/// Functions of one number that are there for float32 alone. kRound: halves to even.
enum class Function : uint8_t {
  kCeil,
  kCos,
  kExp,
  kFloor,
  kLog,
  kNeg,
  kRound,
  kSin,
  kSqrt,
  kSquare
};

/// The function of every element.
struct Elementwise {
  Function function = Function::kCeil;
  bool operator==(const Elementwise&) const = default;
};

/// Index i along an axis is the input's begin + i * stride, and the output's extents say how many
/// there are. A negative stride runs backwards. dropped, ascending: axes of which one index stays,
/// and which the output lacks; its axes are the others in order. SLICE has strides of 1.
struct Slice {
  std::vector<int64_t> begin, stride;
  std::vector<int> dropped;
  bool operator==(const Slice&) const = default;
};

/// To the output's height and width: each pixel from one of the input (model/resize.h).
struct ResizeNearestNeighbor {
  bool align_corners = false;
  bool half_pixel_centers = false;
  bool operator==(const ResizeNearestNeighbor&) const = default;
};

/// To the output's height and width: each pixel between up to four of the input (model/resize.h).
struct ResizeBilinear {
  bool align_corners = false;
  bool half_pixel_centers = false;
  bool operator==(const ResizeBilinear&) const = default;
};

using Attributes =
    std::variant<Conv2D, DepthwiseConv2D, FullyConnected, BatchMatMul, AveragePool2D, MaxPool2D,
                 Mean, Add, Mul, Pad, Reshape, Transpose, Softmax, Relu, Relu6, LeakyRelu, Quantize,
                 Dequantize, Concat, Logistic, Slice, ResizeNearestNeighbor, ResizeBilinear, Sub,
                 SquaredDifference, Rsqrt, Gelu, TransposeConv, Maximum, Minimum, Tanh, Elu,
                 HardSwish, Abs, LogSoftmax, Prelu, Div, L2Pool2D, Elementwise>;

/// The operator's name in the field's spelling: "CONV_2D", "DEPTHWISE_CONV_2D", ...
[[nodiscard]] const char* name(const Attributes& attributes);
/// The same for identifiers: "conv_2d", "depthwise_conv_2d", ...
[[nodiscard]] const char* snake_name(const Attributes& attributes);

}  // namespace thimble
