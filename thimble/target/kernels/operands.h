// SPDX-License-Identifier: Apache-2.0
// An operator with its tensors at hand, and what the operators' files implement. Private to
// thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/kernel.h"

namespace thimble {

struct Operands {
  const Graph& graph;
  const Op& op;

  [[nodiscard]] size_t count() const { return op.inputs.size(); }
  [[nodiscard]] const Tensor& in(size_t k) const { return graph.tensor(op.inputs.at(k)); }
  [[nodiscard]] const Tensor& out() const { return graph.tensor(op.outputs.at(0)); }
  /// Null if there is none.
  [[nodiscard]] const Tensor* bias() const { return count() > 2 ? &in(2) : nullptr; }
};

/// Scale and zero point of a tensor with one scale.
[[nodiscard]] inline float scale_of(const Tensor& t) { return t.quantization.scales.at(0); }
[[nodiscard]] inline int32_t zero_point_of(const Tensor& t) {
  return t.quantization.zero_points.empty() ? 0 : t.quantization.zero_points[0];
}

/// Means and pooling over images take chunks along their rows.
constexpr size_t kSummedAxis = 1;
/// The axis of operand 0 whose chunks an operator accumulates.
template <class Op>
[[nodiscard]] size_t accumulated_axis(const Op&, size_t) {
  return kSummedAxis;
}
[[nodiscard]] inline size_t accumulated_axis(const Conv2D&, size_t rank) { return rank - 1; }
[[nodiscard]] inline size_t accumulated_axis(const FullyConnected&, size_t rank) {
  return rank - 1;
}
/// sum_accumulate over the axes of x for which reduced[axis] holds. out: as for the whole operator.
[[nodiscard]] KernelUse sum_use(const Operands& t, const std::vector<bool>& reduced,
                                const OperandAxes& out);

/// The type of elements that are taken as they are: bool is int8.
[[nodiscard]] inline DType raw_type(DType type) {
  return type == DType::kBool ? DType::kInt8 : type;
}

/// Whether the portable kernels have the family for the types of operand 0 and the output.
[[nodiscard]] inline bool has_row(Family family, const Operands& t) {
  return portable_kernel(family, t.in(0).type, t.out().type).valid();
}

/// Whether there are kernels for it: each operator answers for the methods that it knows.
[[nodiscard]] bool supported(const Conv2D&, const Operands&, Method);
[[nodiscard]] bool supported(const DepthwiseConv2D&, const Operands&, Method);
[[nodiscard]] bool supported(const FullyConnected&, const Operands&, Method);
[[nodiscard]] bool supported(const BatchMatMul&, const Operands&, Method);
[[nodiscard]] bool supported(const AveragePool2D&, const Operands&, Method);
[[nodiscard]] bool supported(const MaxPool2D&, const Operands&, Method);
[[nodiscard]] bool supported(const Mean&, const Operands&, Method);
[[nodiscard]] bool supported(const Add&, const Operands&, Method);
[[nodiscard]] bool supported(const Mul&, const Operands&, Method);
[[nodiscard]] bool supported(const Pad&, const Operands&, Method);
[[nodiscard]] bool supported(const Reshape&, const Operands&, Method);
[[nodiscard]] bool supported(const Transpose&, const Operands&, Method);
[[nodiscard]] bool supported(const LeakyRelu&, const Operands&, Method);
[[nodiscard]] bool supported(const Softmax&, const Operands&, Method);
[[nodiscard]] bool supported(const Relu&, const Operands&, Method);
[[nodiscard]] bool supported(const Relu6&, const Operands&, Method);
[[nodiscard]] bool supported(const Quantize&, const Operands&, Method);
[[nodiscard]] bool supported(const Dequantize&, const Operands&, Method);
[[nodiscard]] bool supported(const Concat&, const Operands&, Method);
[[nodiscard]] bool supported(const Logistic&, const Operands&, Method);
[[nodiscard]] bool supported(const Slice&, const Operands&, Method);
[[nodiscard]] bool supported(const ResizeNearestNeighbor&, const Operands&, Method);
[[nodiscard]] bool supported(const ResizeBilinear&, const Operands&, Method);
[[nodiscard]] bool supported(const Sub&, const Operands&, Method);
[[nodiscard]] bool supported(const SquaredDifference&, const Operands&, Method);
[[nodiscard]] bool supported(const Rsqrt&, const Operands&, Method);
[[nodiscard]] bool supported(const Gelu&, const Operands&, Method);
[[nodiscard]] bool supported(const TransposeConv&, const Operands&, Method);
[[nodiscard]] bool supported(const Maximum&, const Operands&, Method);
[[nodiscard]] bool supported(const Minimum&, const Operands&, Method);
[[nodiscard]] bool supported(const Tanh&, const Operands&, Method);
[[nodiscard]] bool supported(const Elu&, const Operands&, Method);
[[nodiscard]] bool supported(const HardSwish&, const Operands&, Method);
[[nodiscard]] bool supported(const Abs&, const Operands&, Method);
[[nodiscard]] bool supported(const LogSoftmax&, const Operands&, Method);
[[nodiscard]] bool supported(const Prelu&, const Operands&, Method);
[[nodiscard]] bool supported(const Sum&, const Operands&, Method);
[[nodiscard]] bool supported(const Div&, const Operands&, Method);
[[nodiscard]] bool supported(const Comparison&, const Operands&, Method);
[[nodiscard]] bool supported(const Select&, const Operands&, Method);
[[nodiscard]] bool supported(const Cast&, const Operands&, Method);
[[nodiscard]] bool supported(const Gather&, const Operands&, Method);
[[nodiscard]] bool supported(const UpdateSlice&, const Operands&, Method);
[[nodiscard]] bool supported(const DetectionPostProcess&, const Operands&, Method);
[[nodiscard]] bool supported(const ArgMax&, const Operands&, Method);
[[nodiscard]] bool supported(const CumSum&, const Operands&, Method);
[[nodiscard]] bool supported(const L2Normalization&, const Operands&, Method);
[[nodiscard]] bool supported(const SvdfFeatures&, const Operands&, Method);
[[nodiscard]] bool supported(const ShiftIn&, const Operands&, Method);
[[nodiscard]] bool supported(const SvdfOutput&, const Operands&, Method);
[[nodiscard]] bool supported(const Lstm&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalWindow&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalAutoShift&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalShift&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalRfft&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalIrfft&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalEnergy&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalFilterBank&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalSquareRoot&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalNoise&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalSubtraction&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalPcan&, const Operands&, Method);
[[nodiscard]] bool supported(const SignalLog&, const Operands&, Method);
[[nodiscard]] bool supported(const L2Pool2D&, const Operands&, Method);
[[nodiscard]] bool supported(const Elementwise&, const Operands&, Method);
[[nodiscard]] bool supported(const FloorDiv&, const Operands&, Method);

/// The calls; only where supported() holds.
[[nodiscard]] std::vector<KernelUse> uses(const Conv2D&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const DepthwiseConv2D&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const FullyConnected&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const BatchMatMul&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const AveragePool2D&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const MaxPool2D&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Mean&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Add&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Mul&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Pad&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Reshape&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Transpose&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const LeakyRelu&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Softmax&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Relu&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Relu6&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Quantize&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Dequantize&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Concat&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Logistic&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Slice&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const ResizeNearestNeighbor&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const ResizeBilinear&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Sub&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SquaredDifference&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Rsqrt&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Gelu&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const TransposeConv&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Maximum&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Minimum&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Tanh&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Elu&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const HardSwish&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Abs&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const LogSoftmax&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Prelu&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Sum&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Div&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Comparison&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Select&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Cast&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Gather&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const UpdateSlice&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const DetectionPostProcess&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const ArgMax&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const CumSum&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const L2Normalization&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SvdfFeatures&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const ShiftIn&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SvdfOutput&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Lstm&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalWindow&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalAutoShift&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalShift&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalRfft&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalIrfft&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalEnergy&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalFilterBank&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalSquareRoot&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalNoise&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalSubtraction&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalPcan&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const SignalLog&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const L2Pool2D&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const Elementwise&, const Operands&, Method);
[[nodiscard]] std::vector<KernelUse> uses(const FloorDiv&, const Operands&, Method);

}  // namespace thimble
