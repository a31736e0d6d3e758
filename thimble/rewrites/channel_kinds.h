// SPDX-License-Identifier: Apache-2.0
// What operators do with channels, as lists: each operator stands in one of them, or has a case of
// its own where channels are tied (channel_sets.cc) and where they go
// (remove_constant_channels.cc). Neither has a default: a new operator does not compile before
// somebody has thought of it.
#pragma once

#include "thimble/model/attributes.h"

namespace thimble {

/// One operand; each channel of the output is made of the same one of it alone.
template <class A>
inline constexpr bool kGoesByChannel =
    kIsOneOf<A, Abs, AveragePool2D, Cast, Dequantize, Elementwise, Elu, Gelu, HardSwish, L2Pool2D,
             LeakyRelu, Logistic, MaxPool2D, Quantize, Relu, Relu6, ResizeBilinear,
             ResizeNearestNeighbor, Rsqrt, Tanh>;

/// Element by element, with broadcasting; any operand may be a constant.
template <class A>
inline constexpr bool kGoesByElement =
    kIsOneOf<A, Add, Div, FloorDiv, Maximum, Minimum, Mul, Prelu, SquaredDifference, Sub>;

/// One operand, whose shapes and axes say whether channels stay what they are.
template <class A>
inline constexpr bool kMovesElements = kIsOneOf<A, Mean, Pad, Reshape, Sum, Transpose>;

/// Needs all channels of its operands, and gives all of its output.
template <class A>
inline constexpr bool kNeedsAllChannels =
    kIsSignal<A> || kIsRecurrent<A> ||
    kIsOneOf<A, ArgMax, BatchMatMul, Comparison, CumSum, DetectionPostProcess, Gather,
             L2Normalization, LogSoftmax, Select, Softmax, TransposeConv, UpdateSlice>;

}  // namespace thimble
