// SPDX-License-Identifier: Apache-2.0
// Sums, products and other arithmetic, element by element.
#include <fmt/format.h>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

/// An operator with a fused activation and nothing else.
template <class Operator>
Attributes fused(const TfliteOp& op) {
  return Operator{.activation = activation(op, options<tfl::ActivationOptions>(op).activation)};
}

template <bool kRemainder>
Attributes floor_div(const TfliteOp&) {
  return FloorDiv{kRemainder};
}

template <Function kFunction>
Attributes elementwise(const TfliteOp&) {
  return Elementwise{kFunction};
}

Attributes l2_normalization(const TfliteOp& op) {
  const auto* from = options_if_any<tfl::ActivationOptions>(op);
  if (from != nullptr && from->activation != tfl::ActivationFunctionType::NONE) {
    op.refuse(
        fmt::format("fused activation {} is not supported; supported is "
                    "NONE",
                    format_name(from->activation)));
  }
  return L2Normalization{};
}

/// The sum so far and the next input, one after the other.
void add_one_by_one(const TfliteOp& op, Expansion& steps) {
  if (op.inputs.size() == 1) return steps.finish(Reshape{}, {op.inputs[0]});
  const Shape shape = op.output().shape;
  TensorId sum = op.inputs[0];
  for (size_t k = 1; k + 1 < op.inputs.size(); ++k)
    sum = steps.make(Add{}, {sum, op.inputs[k]}, shape);
  steps.finish(Add{}, {sum, op.inputs.back()});
}

/// Each widened to int32 of one scale, in which they are added.
void add_widened(const TfliteOp& op, Expansion& steps) {
  constexpr double kWidening = 0x1p19;
  const Tensor first = op.input(0);
  const auto scale =
      static_cast<float>(static_cast<double>(first.quantization.scales[0]) / kWidening);
  // The original begins with what a raw 0 stands for.
  const auto begin = static_cast<int32_t>(-kWidening * first.quantization.zero_points[0]);
  TensorId sum;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const TensorId wide = steps.make(Quantize{}, {op.inputs[k]}, first.shape);
    steps.tensor(wide).type = DType::kInt32;
    steps.tensor(wide).quantization = {{scale}, {k == 0 ? begin : 0}, 0};
    if (k == 0) {
      sum = wide;
      continue;
    }
    sum = steps.make(Add{}, {sum, wide}, first.shape);
    steps.tensor(sum).type = DType::kInt32;
    steps.tensor(sum).quantization = {{scale}, {0}, 0};
  }
  steps.finish(Quantize{}, {sum});
}

/// Sums of int32, of which 2^19 stand for a raw difference of int8.
void add_n(const TfliteOp& op, Expansion& steps) {
  const Tensor first = op.input(0);
  const bool has_scale =
      first.quantization.scales.size() == 1 && first.quantization.zero_points.size() == 1;
  const bool is_float = first.type == DType::kFloat32;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const Tensor& x = op.input(k);
    const bool fits = is_float || (first.type == DType::kInt8 && has_scale &&
                                   x.quantization == first.quantization);
    if (fits && x.type == first.type && x.shape == first.shape) continue;
    op.refuse(
        fmt::format("inputs {} {} and {} {} are not supported; supported are float32, or int8 of "
                    "one scale and one zero point, of one shape",
                    name(first.type), to_string(first.shape), name(x.type), to_string(x.shape)));
  }
  if (is_float) return add_one_by_one(op, steps);
  add_widened(op, steps);
}

}  // namespace

OperatorList arithmetic_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = ABS, .attributes = plain<Abs>, .shape = first_input},
      {.code = ADD,
       .inputs = {2, 2},
       .attributes = fused<Add>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = ADD_N, .inputs = {1, OperatorKind::kNoLimit}, .expand = add_n, .shape = first_input},
      {.code = CEIL, .attributes = elementwise<Function::kCeil>, .shape = first_input},
      {.code = COS, .attributes = elementwise<Function::kCos>, .shape = first_input},
      {.code = DIV,
       .inputs = {2, 2},
       .attributes = fused<Div>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = EXP, .attributes = elementwise<Function::kExp>, .shape = first_input},
      {.code = FLOOR, .attributes = elementwise<Function::kFloor>, .shape = first_input},
      {.code = FLOOR_DIV,
       .inputs = {2, 2},
       .attributes = floor_div<false>,
       .shape = broadcast_inputs},
      {.code = FLOOR_MOD,
       .inputs = {2, 2},
       .attributes = floor_div<true>,
       .shape = broadcast_inputs},
      {.code = L2_NORMALIZATION, .attributes = l2_normalization, .shape = first_input},
      {.code = LOG, .attributes = elementwise<Function::kLog>, .shape = first_input},
      {.code = MAXIMUM,
       .inputs = {2, 2},
       .attributes = plain<Maximum>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = MINIMUM,
       .inputs = {2, 2},
       .attributes = plain<Minimum>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = MUL,
       .inputs = {2, 2},
       .attributes = fused<Mul>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = NEG, .attributes = elementwise<Function::kNeg>, .shape = first_input},
      {.code = POW, .inputs = {2, 2}, .attributes = plain<Pow>, .shape = broadcast_inputs},
      {.code = ROUND, .attributes = elementwise<Function::kRound>, .shape = first_input},
      {.code = RSQRT, .attributes = plain<Rsqrt>, .shape = first_input},
      {.code = SIN, .attributes = elementwise<Function::kSin>, .shape = first_input},
      {.code = SQRT, .attributes = elementwise<Function::kSqrt>, .shape = first_input},
      {.code = SQUARE, .attributes = elementwise<Function::kSquare>, .shape = first_input},
      {.code = SQUARED_DIFFERENCE,
       .inputs = {2, 2},
       .attributes = plain<SquaredDifference>,
       .shape = broadcast_inputs},
      {.code = SUB,
       .inputs = {2, 2},
       .attributes = fused<Sub>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
