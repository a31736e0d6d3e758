// SPDX-License-Identifier: Apache-2.0
// Constraints that several operators share. A predicate may rely on the constraints listed before
// it: common_constraints(), then the number of inputs, then ranks. Private to thimble/operators.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "thimble/operators/constraint.h"

namespace thimble {

/// What holds for every operator, first of all; the rest relies on it.
std::vector<Constraint> common_constraints();
std::vector<Constraint> join(std::initializer_list<std::vector<Constraint>> lists);

/// One positive, finite scale and a zero point that the type holds.
bool has_one_scale(const Tensor& tensor);
/// Both have the same scale and zero point, or neither has any.
bool same_quantization(const Tensor& a, const Tensor& b);
bool is_positive_scale(double scale);

bool one_input(const Graph& graph, const Op& op);
bool two_inputs(const Graph& graph, const Op& op);
inline constexpr Constraint kOneInput{"there is 1 input", one_input};
inline constexpr Constraint kTwoInputs{"there are 2 inputs", two_inputs};

/// All ranks, of every input and the output, lie in [kLowest, kHighest].
template <size_t kLowest, size_t kHighest>
bool ranks_within(const Graph& graph, const Op& op) {
  auto fits = [&](TensorId t) {
    const size_t rank = graph.tensor(t).shape.size();
    return rank >= kLowest && rank <= kHighest;
  };
  for (TensorId t : op.inputs) {
    if (!fits(t)) return false;
  }
  return fits(op.outputs[0]);
}
inline constexpr Constraint kRankAtMost6{"no operand has more than 6 axes", ranks_within<0, 6>};
inline constexpr Constraint kRank1To6{"the operands have 1 to 6 axes", ranks_within<1, 6>};
inline constexpr Constraint kRank1To4{"the operands have 1 to 4 axes", ranks_within<1, 4>};
inline constexpr Constraint kRank4{"input and output have 4 axes (NHWC)", ranks_within<4, 4>};

bool all_int8(const Graph& graph, const Op& op);
bool all_one_copied_type(const Graph& graph, const Op& op);
inline constexpr Constraint kAllInt8{"inputs and output are int8", all_int8};
bool all_float32(const Graph& graph, const Op& op);
inline constexpr Constraint kAllFloat32{"inputs and output are float32", all_float32};
bool all_int8_or_float32(const Graph& graph, const Op& op);
inline constexpr Constraint kAllInt8OrFloat32{"inputs and output are all int8 or all float32",
                                              all_int8_or_float32};
inline constexpr Constraint kAllOneCopiedType{
    "inputs and output have one type: bool, int8, uint8, int16, int32, uint32, int64 or "
    "float32",
    all_one_copied_type};

bool all_int8_or_int16(const Graph& graph, const Op& op);
inline constexpr Constraint kAllInt8OrInt16{"inputs and output are all int8 or all int16",
                                            all_int8_or_int16};
/// int32 is taken as it is: it needs no scale, and has no activation to be clamped to.
bool all_numbers(const Graph& graph, const Op& op);
bool quantised_have_one_scale(const Graph& graph, const Op& op);
inline constexpr Constraint kAllNumbers{
    "inputs and output are all int8, all int16, all int32 or all float32", all_numbers};
inline constexpr Constraint kQuantisedHaveOneScale{
    "int8 and int16 have one positive, finite scale each and a zero point within the type",
    quantised_have_one_scale, true};
template <class A>
bool int32_is_not_clamped(const Graph& graph, const Op& op) {
  return graph.tensor(op.outputs[0]).type != DType::kInt32 ||
         std::get<A>(op.attributes).activation == Activation::kNone;
}
template <class A>
inline constexpr Constraint kInt32IsNotClamped{"int32 has no fused activation",
                                               int32_is_not_clamped<A>};

/// Inputs and output are compared or chosen between as they are.
bool all_comparable(const Graph& graph, const Op& op);
inline constexpr Constraint kAllComparable{
    "inputs and output are all int8, all int16, all int32, all float32 or all bool",
    all_comparable};

bool all_int8_int16_or_float32(const Graph& graph, const Op& op);
inline constexpr Constraint kAllInt8Int16OrFloat32{
    "inputs and output are all int8, all int16 or all float32", all_int8_int16_or_float32};
/// Relies on every operand having one scale. Weights and bias have rules of their own.
bool int16_is_symmetric(const Graph& graph, const Op& op);
inline constexpr Constraint kInt16IsSymmetric{"zero points of int16 are 0", int16_is_symmetric,
                                              true};

bool all_have_one_scale(const Graph& graph, const Op& op);
bool all_same_quantization(const Graph& graph, const Op& op);
inline constexpr Constraint kAllHaveOneScale{
    "inputs and output have one positive, finite scale each and a zero point within the type",
    all_have_one_scale, true};
inline constexpr Constraint kAllSameQuantization{
    "inputs and output have the same scale and zero point", all_same_quantization, true};

/// From integer to integer: the difference to the zero point, shifted left, must stay within 32
/// bits.
bool rescale_fits(const Graph& graph, const Op& op);
inline constexpr Constraint kRescale{
    "between integers, input scale / output scale is below 2^22 (8 bits in), 2^14 (16 bits) or 1 "
    "(32 bits, with zero point 0)",
    rescale_fits, true};

/// A sum carries 20 more bits than int8, 15 more than int16; its scale to the output's must stay
/// below 1.
bool sum_scale_is_moderate(const Graph& graph, const Op& op);
inline constexpr Constraint kSumScaleIsModerate{
    "both input scales are below 2^19 (int16: 2^14) x output scale", sum_scale_is_moderate, true};

/// All inputs.
bool shapes_broadcast(const Graph& graph, const Op& op);
inline constexpr Constraint kShapesBroadcast{
    "the inputs' extents, aligned at the last axis, are equal or 1", shapes_broadcast};

/// output_shape_of() against the recorded shape. Last in a list: it relies on everything else.
bool output_has_its_shape(const Graph& graph, const Op& op);
inline constexpr Constraint kOutputShape{
    "the output has the shape that follows from the inputs and the attributes",
    output_has_its_shape};

}  // namespace thimble
