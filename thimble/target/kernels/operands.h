// SPDX-License-Identifier: Apache-2.0
// An operator with its tensors at hand, and what the operators' files implement. Private to
// thimble/target/kernels.
#pragma once

#include "thimble/target/kernels/kernel.h"

namespace thimble {

struct Operands {
  const Graph& graph;
  const Op& op;

  [[nodiscard]] bool is_uint8() const {
    return op.attributes.arithmetic == Arithmetic::kTfliteUint8;
  }
  [[nodiscard]] bool is_onnx() const { return op.attributes.arithmetic == Arithmetic::kOnnx; }
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

// What each operator's file defines.
// supported: whether there are kernels for it, by that method.
// uses: the calls; only where supported() holds.
#define THIMBLE_OPERATOR(Kind, name)                                      \
  [[nodiscard]] bool supported(const Kind& a, const Operands& t, Method); \
  [[nodiscard]] std::vector<KernelUse> uses(const Kind& a, const Operands& t, Method);
#include "thimble/model/operators.def"

}  // namespace thimble
