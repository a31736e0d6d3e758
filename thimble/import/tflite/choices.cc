// SPDX-License-Identifier: Apache-2.0
// CAST, SELECT and LOGICAL_NOT of a .tflite file.
#include <fmt/format.h>

#include <utility>

#include "thimble/import/tflite/expansions.h"

namespace thimble {
namespace {

/// uint8 is int8 that is so much less when it is imported.
constexpr int32_t kLowered = 128;

Tensor of_type(DType type, const Shape& shape) {
  return {.name = "", .shape = shape, .type = type, .quantization = {}, .data = nullptr};
}

TensorId plus(Expansion& steps, TensorId x, int32_t number) {
  const Tensor like = of_type(DType::kInt32, steps.tensor(x).shape);
  return steps.make_as(Add{}, {x, steps.make_int32(number)}, like);
}

TensorId as_int32(Expansion& steps, TensorId x) {
  if (steps.tensor(x).type == DType::kInt32) return x;
  return steps.make_as(Cast{}, {x}, of_type(DType::kInt32, steps.tensor(x).shape));
}

}  // namespace

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

void select(const TfliteOp& op, Expansion& steps) {
  const Shape condition = op.input(0).shape, x = op.input(1).shape, y = op.input(2).shape;
  const bool of_rows = condition.size() == 1 && !x.empty() && condition[0] == x[0];
  if (x != y || !(condition == x || condition.empty() || of_rows)) {
    op.refuse(
        fmt::format("a condition of shape {} for {} and {} is not supported; supported are two of "
                    "one shape, and a condition that has it, or its first extent alone, or is a "
                    "scalar",
                    to_string(condition), to_string(x), to_string(y)));
  }
  TensorId chosen = op.inputs[0];
  if (of_rows && x.size() > 1) {
    Shape rows(x.size(), 1);
    rows[0] = x[0];
    chosen = steps.make_as(Reshape{}, {chosen}, of_type(DType::kBool, rows));
  }
  steps.finish(Select{}, {chosen, op.inputs[1], op.inputs[2]});
}

void logical_not(const TfliteOp& op, Expansion& steps) {
  steps.finish(Comparison{Relation::kEqual},
               {op.inputs[0], steps.make_zero(of_type(DType::kBool, {}))});
}

}  // namespace thimble
