// SPDX-License-Identifier: Apache-2.0
// The overloads that each operator's file defines; operators.cc visits Attributes with them, so
// that an operator without one does not compile. Private to thimble/operators.
#pragma once

#include <vector>

#include "thimble/operators/op_view.h"
#include "thimble/operators/operators.h"

namespace thimble {

/// Access map; one InputMap per input.
AccessMap access_map_of(const Conv2D& a, const OpView& v);
AccessMap access_map_of(const DepthwiseConv2D& a, const OpView& v);
AccessMap access_map_of(const FullyConnected& a, const OpView& v);
AccessMap access_map_of(const BatchMatMul& a, const OpView& v);
AccessMap access_map_of(const AveragePool2D& a, const OpView& v);
AccessMap access_map_of(const MaxPool2D& a, const OpView& v);
AccessMap access_map_of(const Mean& a, const OpView& v);
AccessMap access_map_of(const Add& a, const OpView& v);
AccessMap access_map_of(const Mul& a, const OpView& v);
AccessMap access_map_of(const Pad& a, const OpView& v);
AccessMap access_map_of(const Reshape& a, const OpView& v);
AccessMap access_map_of(const Transpose& a, const OpView& v);
AccessMap access_map_of(const Softmax& a, const OpView& v);
AccessMap access_map_of(const Relu& a, const OpView& v);
AccessMap access_map_of(const Relu6& a, const OpView& v);
AccessMap access_map_of(const LeakyRelu& a, const OpView& v);
AccessMap access_map_of(const Quantize& a, const OpView& v);
AccessMap access_map_of(const Dequantize& a, const OpView& v);
AccessMap access_map_of(const Concat& a, const OpView& v);
AccessMap access_map_of(const Logistic& a, const OpView& v);
AccessMap access_map_of(const Slice& a, const OpView& v);
AccessMap access_map_of(const ResizeNearestNeighbor& a, const OpView& v);
AccessMap access_map_of(const ResizeBilinear& a, const OpView& v);
AccessMap access_map_of(const Sub& a, const OpView& v);
AccessMap access_map_of(const SquaredDifference& a, const OpView& v);
AccessMap access_map_of(const Rsqrt& a, const OpView& v);
AccessMap access_map_of(const Gelu& a, const OpView& v);
AccessMap access_map_of(const TransposeConv& a, const OpView& v);
AccessMap access_map_of(const Maximum& a, const OpView& v);
AccessMap access_map_of(const Minimum& a, const OpView& v);
AccessMap access_map_of(const Tanh& a, const OpView& v);
AccessMap access_map_of(const Elu& a, const OpView& v);
AccessMap access_map_of(const HardSwish& a, const OpView& v);
AccessMap access_map_of(const Abs& a, const OpView& v);
AccessMap access_map_of(const LogSoftmax& a, const OpView& v);
AccessMap access_map_of(const Prelu& a, const OpView& v);
AccessMap access_map_of(const Sum& a, const OpView& v);
AccessMap access_map_of(const Div& a, const OpView& v);
AccessMap access_map_of(const Comparison& a, const OpView& v);
AccessMap access_map_of(const Select& a, const OpView& v);
AccessMap access_map_of(const Cast& a, const OpView& v);
AccessMap access_map_of(const ArgMax& a, const OpView& v);
AccessMap access_map_of(const CumSum& a, const OpView& v);
AccessMap access_map_of(const L2Normalization& a, const OpView& v);
AccessMap access_map_of(const SvdfFeatures& a, const OpView& v);
AccessMap access_map_of(const ShiftIn& a, const OpView& v);
AccessMap access_map_of(const SvdfOutput& a, const OpView& v);
AccessMap access_map_of(const Lstm& a, const OpView& v);
AccessMap access_map_of(const SignalWindow& a, const OpView& v);
AccessMap access_map_of(const SignalAutoShift& a, const OpView& v);
AccessMap access_map_of(const SignalShift& a, const OpView& v);
AccessMap access_map_of(const SignalRfft& a, const OpView& v);
AccessMap access_map_of(const SignalEnergy& a, const OpView& v);
AccessMap access_map_of(const SignalFilterBank& a, const OpView& v);
AccessMap access_map_of(const SignalSquareRoot& a, const OpView& v);
AccessMap access_map_of(const SignalNoise& a, const OpView& v);
AccessMap access_map_of(const SignalSubtraction& a, const OpView& v);
AccessMap access_map_of(const SignalPcan& a, const OpView& v);
AccessMap access_map_of(const SignalLog& a, const OpView& v);
AccessMap access_map_of(const L2Pool2D& a, const OpView& v);
AccessMap access_map_of(const Elementwise& a, const OpView& v);
AccessMap access_map_of(const FloorDiv& a, const OpView& v);

/// Multiply-accumulates per element of the output.
int64_t macs_per_element(const Conv2D& a, const OpView& v);
int64_t macs_per_element(const DepthwiseConv2D& a, const OpView& v);
int64_t macs_per_element(const FullyConnected& a, const OpView& v);
int64_t macs_per_element(const BatchMatMul& a, const OpView& v);
int64_t macs_per_element(const AveragePool2D& a, const OpView& v);
int64_t macs_per_element(const MaxPool2D& a, const OpView& v);
int64_t macs_per_element(const Mean& a, const OpView& v);
int64_t macs_per_element(const Add& a, const OpView& v);
int64_t macs_per_element(const Mul& a, const OpView& v);
int64_t macs_per_element(const Pad& a, const OpView& v);
int64_t macs_per_element(const Reshape& a, const OpView& v);
int64_t macs_per_element(const Transpose& a, const OpView& v);
int64_t macs_per_element(const Softmax& a, const OpView& v);
int64_t macs_per_element(const Relu& a, const OpView& v);
int64_t macs_per_element(const Relu6& a, const OpView& v);
int64_t macs_per_element(const LeakyRelu& a, const OpView& v);
int64_t macs_per_element(const Quantize& a, const OpView& v);
int64_t macs_per_element(const Dequantize& a, const OpView& v);
int64_t macs_per_element(const Concat& a, const OpView& v);
int64_t macs_per_element(const Logistic& a, const OpView& v);
int64_t macs_per_element(const Slice& a, const OpView& v);
int64_t macs_per_element(const ResizeNearestNeighbor& a, const OpView& v);
int64_t macs_per_element(const ResizeBilinear& a, const OpView& v);
int64_t macs_per_element(const Sub& a, const OpView& v);
int64_t macs_per_element(const SquaredDifference& a, const OpView& v);
int64_t macs_per_element(const Rsqrt& a, const OpView& v);
int64_t macs_per_element(const Gelu& a, const OpView& v);
int64_t macs_per_element(const TransposeConv& a, const OpView& v);
int64_t macs_per_element(const Maximum& a, const OpView& v);
int64_t macs_per_element(const Minimum& a, const OpView& v);
int64_t macs_per_element(const Tanh& a, const OpView& v);
int64_t macs_per_element(const Elu& a, const OpView& v);
int64_t macs_per_element(const HardSwish& a, const OpView& v);
int64_t macs_per_element(const Abs& a, const OpView& v);
int64_t macs_per_element(const LogSoftmax& a, const OpView& v);
int64_t macs_per_element(const Prelu& a, const OpView& v);
int64_t macs_per_element(const Sum& a, const OpView& v);
int64_t macs_per_element(const Div& a, const OpView& v);
int64_t macs_per_element(const Comparison& a, const OpView& v);
int64_t macs_per_element(const Select& a, const OpView& v);
int64_t macs_per_element(const Cast& a, const OpView& v);
int64_t macs_per_element(const ArgMax& a, const OpView& v);
int64_t macs_per_element(const CumSum& a, const OpView& v);
int64_t macs_per_element(const L2Normalization& a, const OpView& v);
int64_t macs_per_element(const SvdfFeatures& a, const OpView& v);
int64_t macs_per_element(const ShiftIn& a, const OpView& v);
int64_t macs_per_element(const SvdfOutput& a, const OpView& v);
/// Of all times of a sequence.
int64_t macs_per_sequence(const Lstm& a, const OpView& v);
/// Of the audio front end none count: what they do is no product of matrices.
template <class Signal>
requires kIsSignal<Signal> int64_t macs_per_element(const Signal&, const OpView&) { return 0; }
int64_t macs_per_element(const L2Pool2D& a, const OpView& v);
int64_t macs_per_element(const Elementwise& a, const OpView& v);
int64_t macs_per_element(const FloorDiv& a, const OpView& v);

/// Output shape, relying on the constraints about operands, ranks and attributes only. Where the
/// attributes leave it open: the recorded one.
Shape output_shape_of(const Conv2D& a, const OpView& v);
Shape output_shape_of(const DepthwiseConv2D& a, const OpView& v);
Shape output_shape_of(const FullyConnected& a, const OpView& v);
Shape output_shape_of(const BatchMatMul& a, const OpView& v);
Shape output_shape_of(const AveragePool2D& a, const OpView& v);
Shape output_shape_of(const MaxPool2D& a, const OpView& v);
Shape output_shape_of(const Mean& a, const OpView& v);
Shape output_shape_of(const Add& a, const OpView& v);
Shape output_shape_of(const Mul& a, const OpView& v);
Shape output_shape_of(const Pad& a, const OpView& v);
Shape output_shape_of(const Reshape& a, const OpView& v);
Shape output_shape_of(const Transpose& a, const OpView& v);
Shape output_shape_of(const Softmax& a, const OpView& v);
Shape output_shape_of(const Relu& a, const OpView& v);
Shape output_shape_of(const Relu6& a, const OpView& v);
Shape output_shape_of(const LeakyRelu& a, const OpView& v);
Shape output_shape_of(const Quantize& a, const OpView& v);
Shape output_shape_of(const Dequantize& a, const OpView& v);
Shape output_shape_of(const Concat& a, const OpView& v);
Shape output_shape_of(const Logistic& a, const OpView& v);
Shape output_shape_of(const Slice& a, const OpView& v);
Shape output_shape_of(const ResizeNearestNeighbor& a, const OpView& v);
Shape output_shape_of(const ResizeBilinear& a, const OpView& v);
Shape output_shape_of(const Sub& a, const OpView& v);
Shape output_shape_of(const SquaredDifference& a, const OpView& v);
Shape output_shape_of(const Rsqrt& a, const OpView& v);
Shape output_shape_of(const Gelu& a, const OpView& v);
Shape output_shape_of(const TransposeConv& a, const OpView& v);
Shape output_shape_of(const Maximum& a, const OpView& v);
Shape output_shape_of(const Minimum& a, const OpView& v);
Shape output_shape_of(const Tanh& a, const OpView& v);
Shape output_shape_of(const Elu& a, const OpView& v);
Shape output_shape_of(const HardSwish& a, const OpView& v);
Shape output_shape_of(const Abs& a, const OpView& v);
Shape output_shape_of(const LogSoftmax& a, const OpView& v);
Shape output_shape_of(const Prelu& a, const OpView& v);
Shape output_shape_of(const Sum& a, const OpView& v);
Shape output_shape_of(const Div& a, const OpView& v);
Shape output_shape_of(const Comparison& a, const OpView& v);
Shape output_shape_of(const Select& a, const OpView& v);
Shape output_shape_of(const Cast& a, const OpView& v);
Shape output_shape_of(const ArgMax& a, const OpView& v);
Shape output_shape_of(const CumSum& a, const OpView& v);
Shape output_shape_of(const L2Normalization& a, const OpView& v);
Shape output_shape_of(const SvdfFeatures& a, const OpView& v);
Shape output_shape_of(const ShiftIn& a, const OpView& v);
Shape output_shape_of(const SvdfOutput& a, const OpView& v);
Shape output_shape_of(const Lstm& a, const OpView& v);
Shape output_shape_of(const SignalWindow& a, const OpView& v);
Shape output_shape_of(const SignalAutoShift& a, const OpView& v);
Shape output_shape_of(const SignalShift& a, const OpView& v);
Shape output_shape_of(const SignalRfft& a, const OpView& v);
Shape output_shape_of(const SignalEnergy& a, const OpView& v);
Shape output_shape_of(const SignalFilterBank& a, const OpView& v);
Shape output_shape_of(const SignalSquareRoot& a, const OpView& v);
Shape output_shape_of(const SignalNoise& a, const OpView& v);
Shape output_shape_of(const SignalSubtraction& a, const OpView& v);
Shape output_shape_of(const SignalPcan& a, const OpView& v);
Shape output_shape_of(const SignalLog& a, const OpView& v);
Shape output_shape_of(const L2Pool2D& a, const OpView& v);
Shape output_shape_of(const Elementwise& a, const OpView& v);
Shape output_shape_of(const FloorDiv& a, const OpView& v);

/// What holds for this operator beyond common_constraints() (predicates.h).
std::vector<Constraint> constraints_of(const Conv2D& a);
std::vector<Constraint> constraints_of(const DepthwiseConv2D& a);
std::vector<Constraint> constraints_of(const FullyConnected& a);
std::vector<Constraint> constraints_of(const BatchMatMul& a);
std::vector<Constraint> constraints_of(const AveragePool2D& a);
std::vector<Constraint> constraints_of(const MaxPool2D& a);
std::vector<Constraint> constraints_of(const Mean& a);
std::vector<Constraint> constraints_of(const Add& a);
std::vector<Constraint> constraints_of(const Mul& a);
std::vector<Constraint> constraints_of(const Pad& a);
std::vector<Constraint> constraints_of(const Reshape& a);
std::vector<Constraint> constraints_of(const Transpose& a);
std::vector<Constraint> constraints_of(const Softmax& a);
std::vector<Constraint> constraints_of(const Relu& a);
std::vector<Constraint> constraints_of(const Relu6& a);
std::vector<Constraint> constraints_of(const LeakyRelu& a);
std::vector<Constraint> constraints_of(const Quantize& a);
std::vector<Constraint> constraints_of(const Dequantize& a);
std::vector<Constraint> constraints_of(const Concat& a);
std::vector<Constraint> constraints_of(const Logistic& a);
std::vector<Constraint> constraints_of(const Slice& a);
std::vector<Constraint> constraints_of(const ResizeNearestNeighbor& a);
std::vector<Constraint> constraints_of(const ResizeBilinear& a);
std::vector<Constraint> constraints_of(const Sub& a);
std::vector<Constraint> constraints_of(const SquaredDifference& a);
std::vector<Constraint> constraints_of(const Rsqrt& a);
std::vector<Constraint> constraints_of(const Gelu& a);
std::vector<Constraint> constraints_of(const TransposeConv& a);
std::vector<Constraint> constraints_of(const Maximum& a);
std::vector<Constraint> constraints_of(const Minimum& a);
std::vector<Constraint> constraints_of(const Tanh& a);
std::vector<Constraint> constraints_of(const Elu& a);
std::vector<Constraint> constraints_of(const HardSwish& a);
std::vector<Constraint> constraints_of(const Abs& a);
std::vector<Constraint> constraints_of(const LogSoftmax& a);
std::vector<Constraint> constraints_of(const Prelu& a);
std::vector<Constraint> constraints_of(const Sum& a);
std::vector<Constraint> constraints_of(const Div& a);
std::vector<Constraint> constraints_of(const Comparison& a);
std::vector<Constraint> constraints_of(const Select& a);
std::vector<Constraint> constraints_of(const Cast& a);
std::vector<Constraint> constraints_of(const ArgMax& a);
std::vector<Constraint> constraints_of(const CumSum& a);
std::vector<Constraint> constraints_of(const L2Normalization& a);
std::vector<Constraint> constraints_of(const SvdfFeatures& a);
std::vector<Constraint> constraints_of(const ShiftIn& a);
std::vector<Constraint> constraints_of(const SvdfOutput& a);
std::vector<Constraint> constraints_of(const Lstm& a);
std::vector<Constraint> constraints_of(const SignalWindow& a);
std::vector<Constraint> constraints_of(const SignalAutoShift& a);
std::vector<Constraint> constraints_of(const SignalShift& a);
std::vector<Constraint> constraints_of(const SignalRfft& a);
std::vector<Constraint> constraints_of(const SignalEnergy& a);
std::vector<Constraint> constraints_of(const SignalFilterBank& a);
std::vector<Constraint> constraints_of(const SignalSquareRoot& a);
std::vector<Constraint> constraints_of(const SignalNoise& a);
std::vector<Constraint> constraints_of(const SignalSubtraction& a);
std::vector<Constraint> constraints_of(const SignalPcan& a);
std::vector<Constraint> constraints_of(const SignalLog& a);
std::vector<Constraint> constraints_of(const L2Pool2D& a);
std::vector<Constraint> constraints_of(const Elementwise& a);
std::vector<Constraint> constraints_of(const FloorDiv& a);

}  // namespace thimble
