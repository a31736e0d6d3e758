// SPDX-License-Identifier: Apache-2.0
// The closed set of operators: one small struct of attributes each. A new one has a line in
// operators.def, too; every std::visit then asks for its overload, by the compiler or the linker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "thimble/model/activation.h"
#include "thimble/model/one_of.h"
#include "thimble/model/recurrent_attributes.h"

namespace thimble {

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
  bool least = false;  ///< the smallest instead (MIN_POOL_2D), which REDUCE_MIN becomes
  bool operator==(const MaxPool2D&) const = default;
};

/// axes: sorted, not negative, without repeats. The output shape tells whether they were kept.
struct Mean {
  std::vector<int> axes;
  bool operator==(const Mean&) const = default;
};

/// Mean without the division.
struct Sum {
  std::vector<int> axes;
  bool operator==(const Sum&) const = default;
};

/// Element by element, with broadcasting of either input. Here and below, int32 is taken as it is,
/// without a scale.
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

/// Input 0 over input 1; int32 towards zero.
struct Div {
  Activation activation = Activation::kNone;
  bool operator==(const Div&) const = default;
};

/// The largest whole number that is not above input 0 over input 1; or what is left of input 0
/// then, with the sign of input 1. float32, or int32, where 0 is what follows of a division by 0.
struct FloorDiv {
  bool remainder = false;  ///< FLOOR_MOD
  bool operator==(const FloorDiv&) const = default;
};

/// Input 0 to the power of input 1, as the C library's pow. float32.
struct Pow {
  bool operator==(const Pow&) const = default;
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

enum class Relation : uint8_t { kEqual, kNotEqual, kGreater, kGreaterEqual, kLess, kLessEqual };

/// How input 0 may compare to input 1 then, as bits: 1 less, 2 equal, 4 greater, 8 neither (NaN).
[[nodiscard]] int32_t accepted(Relation relation);

/// Whether input 0 is in that relation to input 1: bool, element by element, with broadcasting.
struct Comparison {
  Relation relation = Relation::kEqual;
  bool operator==(const Comparison&) const = default;
};

/// inputs: condition (bool), x, y, broadcast. x where the condition holds, y elsewhere.
struct Select {
  bool operator==(const Select&) const = default;
};

/// The number as another type: reals towards zero, what does not fit by its low bits.
struct Cast {
  bool operator==(const Cast&) const = default;
};

/// axis: not negative, not in the output. The index (int32) of the first of the largest values.
struct ArgMax {
  int axis = 0;
  bool least = false;  ///< of the smallest instead (ARG_MIN)
  bool last = false;   ///< the last of equal ones
  bool operator==(const ArgMax&) const = default;
};

/// Sums of the values up to each along an axis, which is not negative.
struct CumSum {
  int axis = 0;
  bool exclusive = false;  ///< without the value itself
  bool reverse = false;    ///< from the end
  bool operator==(const CumSum&) const = default;
};

/// Over the root of the sum of squares along the last axis.
struct L2Normalization {
  bool operator==(const L2Normalization&) const = default;
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
  Activation range = Activation::kRelu;  ///< or kReluN1To1 or kRelu0To1
  bool operator==(const Relu&) const = default;
};

/// x where x >= 0, alpha x below.
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
  kAtan,
  kCeil,
  kCos,
  kErf,
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

/// inputs: x, indices (int32), whose first axes are the first `batch_axes` of x. output: x with the
/// other axes of the indices in place of `axis`, which is not negative: along it stands what they
/// say. An index beyond either end means the element at that end.
struct Gather {
  int axis = 0;
  int batch_axes = 0;
  bool operator==(const Gather&) const = default;
};

/// inputs: x, an update of as many axes, begins (int32), one for each axis. output: x with the
/// update over it from the begins on, which are moved so that it lies within.
struct UpdateSlice {
  bool operator==(const UpdateSlice&) const = default;
};

/// The boxes of objects that a network has found (TFLite_Detection_PostProcess). float32.
/// inputs: encodings [1,B,>=4] (y, x, height, width against an anchor), scores [1,B,C], anchors
/// [B,4], constant. output [6 D + 1 + R]: D boxes (ymin, xmin, ymax, xmax), their classes, their
/// scores, and how many there are; the rest of each is 0. R: room for 4 * detections_per_class
/// numbers where suppression is regular, else none.
struct DetectionPostProcess {
  int32_t max_detections = 1;        ///< D
  int32_t detections_per_class = 1;  ///< of regular suppression
  int32_t classes = 1;               ///< C, or one less: the first is the background
  bool regular = false;              ///< each class is suppressed on its own
  float score_threshold = 0, iou_threshold = 1;
  float scales[4] = {1, 1, 1, 1};  ///< of y, x, height and width
  bool operator==(const DetectionPostProcess&) const = default;
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

// The audio front end of TensorFlow Lite Micro (docs/ports.md): integers as they are, without a
// scale. What the original leaves undefined is defined here.

/// inputs: samples [..,N] and weights [N], constant, int16. output: their products, shifted right
/// and limited to int16.
struct SignalWindow {
  int32_t shift = 0;
  bool operator==(const SignalWindow&) const = default;
};

/// input: samples [N] int16. output: a scalar, int32: how far to the left the largest magnitude can
/// go within int16; 0 where there is none, or -32768 is the last to count (see the reference).
struct SignalAutoShift {
  bool operator==(const SignalAutoShift&) const = default;
};

/// inputs: samples [N] int16, and a scalar, int32. output: the low 16 bits of the samples, shifted
/// left by the scalar modulo 32.
struct SignalShift {
  bool operator==(const SignalShift&) const = default;
};

/// input: samples [..,N] int16, zeros behind them. output [..,size + 2]: real and imaginary parts
/// of the frequencies 0 to size / 2, int16, rounded as kissfft with 16 bits does.
struct SignalRfft {
  int32_t size = 0;  ///< the product of twos, threes and fives
  bool operator==(const SignalRfft&) const = default;
};

/// input: real and imaginary parts [..,size + 2] of the frequencies 0 to size / 2, int16. output
/// [..,size]: the samples of that spectrum, int16, rounded as kissfft with 16 bits does.
struct SignalIrfft {
  int32_t size = 0;  ///< as of SignalRfft
  bool operator==(const SignalIrfft&) const = default;
};

/// input: real and imaginary parts [2 M], int16. output [M], uint32: the sums of their squares at
/// the indices [begin, end), 0 elsewhere.
struct SignalEnergy {
  int32_t begin = 0, end = 0;
  bool operator==(const SignalEnergy&) const = default;
};

/// inputs: energies [M] uint32, then constants of int16: weights [W], unweights [W], and per band,
/// of which there is one more than channels: first energy, first weight, their number [C+1] each.
/// output [C], uint64: channel c sums the energies of band c with their unweights, and of band
/// c + 1 with their weights, modulo 2^64.
struct SignalFilterBank {
  bool operator==(const SignalFilterBank&) const = default;
};

/// inputs: [C] uint64, and a scalar, int32. output [C], uint32: the rounded roots, shifted right by
/// the scalar modulo 32.
struct SignalSquareRoot {
  bool operator==(const SignalSquareRoot&) const = default;
};

/// What spectral subtraction knows of the noise at this time. inputs: the signal [C] and the
/// estimate so far [C]. output: the estimate, all uint32. Even channels have the first of each
/// pair.
struct SignalNoise {
  int32_t smoothing[2] = {0, 0}, one_minus_smoothing[2] = {0, 0};
  int32_t smoothing_bits = 0;
  int32_t bits = 0;       ///< fraction bits of the smoothing
  bool clamping = false;  ///< to the signal
  bool operator==(const SignalNoise&) const = default;
};

/// inputs: the signal and the estimate of its noise [C]. output: what is left, all uint32.
struct SignalSubtraction {
  int32_t min_signal_remaining = 0;
  int32_t smoothing_bits = 0;
  int32_t bits = 0;  ///< fraction bits of what remains at least
  bool operator==(const SignalSubtraction&) const = default;
};

/// Automatic gain control. inputs: the signal and the estimate of its noise [C], uint32, and gains
/// [125], a constant of int16: pieces of a function of the noise. output: [C], uint32.
struct SignalPcan {
  int32_t shift = 0;  ///< of signal * gain, to the right
  bool operator==(const SignalPcan&) const = default;
};

/// input: [C] uint32. output [C], int16: scale * its logarithm after a shift to the left.
struct SignalLog {
  int32_t scale = 0;
  int32_t correction_bits = 0;
  bool operator==(const SignalLog&) const = default;
};

/// A variant of what stands behind Nothing, since each of a list begins with a comma.
template <class Nothing, class... Kinds>
struct VariantBehind {
  using Type = std::variant<Kinds...>;
};
#define THIMBLE_OPERATOR(Kind, name) , Kind
using AnyOperator = VariantBehind<void
#include "thimble/model/operators.def"
                                  >::Type;

/// What numbers an operator makes of the same operands: whose kernels it is equal to, bit by bit.
enum class Arithmetic : uint8_t {
  kTflite,       ///< TensorFlow Lite's reference kernels of int8, int16 and float32
  kTfliteUint8,  ///< those of uint8: int8 that was uint8, and is more than shifted by 128
  kOnnx,         ///< ONNX Runtime's kernels of int8; where it has none, float32 rounded to even
};

/// What an operator is and does.
class Attributes : public OneOf<AnyOperator> {
 public:
  Attributes() = default;
  using OneOf::OneOf;
  Attributes(OneOf kind, Arithmetic computed_in)
      : OneOf(std::move(kind)), arithmetic(computed_in) {}
  bool operator==(const Attributes&) const = default;

  Arithmetic arithmetic = Arithmetic::kTflite;
};

/// Operators that uint8 computes otherwise (docs/arithmetic.md): products of scales are formed in
/// float32 (quotients of SUB in float64), averages round ties up, functions and CONCATENATION's
/// rescaling go through float32.
template <class Operator>
inline constexpr bool kDiffersInUint8 =
    kIsOneOf<Operator, Conv2D, DepthwiseConv2D, TransposeConv, AveragePool2D, Mul, Sub, Quantize,
             Prelu, Logistic, Tanh>;

/// Operators that Arithmetic::kOnnx computes with integers; of all others it computes numbers.
template <class Operator>
inline constexpr bool kOfIntegersInOnnx =
    kIsOneOf<Operator, Conv2D, DepthwiseConv2D, TransposeConv, FullyConnected, BatchMatMul, Mean,
             Sum, Add, Mul>;

/// Operators that have kernels for Arithmetic::kOnnx: these, and functions of one value.
template <class Operator>
inline constexpr bool kIsOfOnnx =
    kOfIntegersInOnnx<Operator> ||
    kIsOneOf<Operator, AveragePool2D, Quantize, Relu, Relu6, LeakyRelu, Logistic, Tanh, Elu,
             HardSwish, Gelu, Abs, Rsqrt>;

/// What is left of operators with a state once that is an input and an output.
template <class Operator>
inline constexpr bool kIsRecurrent =
    std::is_same_v<Operator, SvdfFeatures> || std::is_same_v<Operator, ShiftIn> ||
    std::is_same_v<Operator, SvdfOutput> || std::is_same_v<Operator, Lstm>;

/// Operators of the audio front end.
template <class Operator>
inline constexpr bool kIsSignal =
    std::is_same_v<Operator, SignalWindow> || std::is_same_v<Operator, SignalAutoShift> ||
    std::is_same_v<Operator, SignalShift> || std::is_same_v<Operator, SignalRfft> ||
    std::is_same_v<Operator, SignalIrfft> || std::is_same_v<Operator, SignalEnergy> ||
    std::is_same_v<Operator, SignalFilterBank> || std::is_same_v<Operator, SignalSquareRoot> ||
    std::is_same_v<Operator, SignalNoise> || std::is_same_v<Operator, SignalSubtraction> ||
    std::is_same_v<Operator, SignalPcan> || std::is_same_v<Operator, SignalLog>;

/// The operator's name in the field's spelling: "CONV_2D", "DEPTHWISE_CONV_2D", ...
[[nodiscard]] const char* name(const Attributes& attributes);
/// The operator's name for identifiers: "conv_2d", "depthwise_conv_2d", ...
[[nodiscard]] std::string snake_name(const Attributes& attributes);

}  // namespace thimble
