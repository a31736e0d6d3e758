// SPDX-License-Identifier: Apache-2.0
// CAST, QUANTIZE and DEQUANTIZE.
#include <memory>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"
#include "thimble/model/dequantised.h"

namespace thimble {
namespace {

/// uint8 is int8 that is so much less when it is imported.
constexpr int32_t kLowered = 128;

Tensor as_numbers(const Shape& shape) {
  return {.name = "", .shape = shape, .type = DType::kInt32, .quantization = {}, .data = nullptr};
}

TensorId plus(Expansion& steps, TensorId x, int32_t number) {
  const Tensor like = as_numbers(steps.tensor(x).shape);
  return steps.make_as(Add{}, {x, steps.make_int32(number)}, like);
}

TensorId as_int32(Expansion& steps, TensorId x) {
  if (steps.tensor(x).type == DType::kInt32) return x;
  return steps.make_as(Cast{}, {x}, as_numbers(steps.tensor(x).shape));
}

/// A cast to bool says whether the value is not 0.
void cast(const TfliteOp& op, Expansion& steps) {
  TensorId x = op.inputs[0];
  const DType in = op.input(0).type, out = op.output().type;
  const bool from_uint8 = op.was_uint8(x), to_uint8 = op.was_uint8(op.outputs[0]);
  if (in == out && from_uint8 == to_uint8) return steps.finish(Reshape{}, {x});
  if (from_uint8) x = plus(steps, as_int32(steps, x), kLowered);
  if (to_uint8) x = plus(steps, as_int32(steps, x), -kLowered);
  if (steps.tensor(x).type == out) return steps.finish(Reshape{}, {x});
  if (out != DType::kBool) return steps.finish(Cast{}, {x});
  if (in == DType::kInt8 || in == DType::kInt16) x = as_int32(steps, x);
  const Tensor like = steps.tensor(x);
  steps.finish(Comparison{Relation::kNotEqual}, {x, steps.make_zero(like)});
}

/// That of a constant becomes no operator: its output becomes a constant.
void dequantize(const TfliteOp& op, Expansion& steps) {
  const Tensor& x = op.input(0);
  Tensor& out = steps.tensor(op.outputs[0]);
  const bool is_float = x.type == DType::kFloat32;  // once float16
  const bool is_quantised =
      (x.type == DType::kInt8 || x.type == DType::kInt16) && !x.quantization.scales.empty();
  if (!x.is_constant() || out.is_constant() || out.type != DType::kFloat32 ||
      out.shape != x.shape || !(is_float || is_quantised))
    return steps.finish(Dequantize{}, {op.inputs[0]});
  out.data = is_float ? x.data : dequantised(x).data;
}

}  // namespace

OperatorList element_type_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = CAST, .expand = cast, .shape = first_input, .uint8 = kComputes},
      {.code = DEQUANTIZE, .expand = dequantize, .shape = first_input, .uint8 = kComputes},
      {.code = QUANTIZE, .attributes = plain<Quantize>, .shape = first_input, .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
