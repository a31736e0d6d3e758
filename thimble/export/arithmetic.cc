// SPDX-License-Identifier: Apache-2.0
// Sums, products and other arithmetic, element by element.
#include <fmt/format.h>

#include <optional>

#include "thimble/export/tflite_ops.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

/// Nothing: the format has none.
std::optional<BuiltinOperator> code_of(Function function) {
  switch (function) {
    case Function::kAtan:
    case Function::kErf:
      return std::nullopt;
    case Function::kCeil:
      return BuiltinOperator::CEIL;
    case Function::kCos:
      return BuiltinOperator::COS;
    case Function::kExp:
      return BuiltinOperator::EXP;
    case Function::kFloor:
      return BuiltinOperator::FLOOR;
    case Function::kLog:
      return BuiltinOperator::LOG;
    case Function::kNeg:
      return BuiltinOperator::NEG;
    case Function::kRound:
      return BuiltinOperator::ROUND;
    case Function::kSin:
      return BuiltinOperator::SIN;
    case Function::kSqrt:
      return BuiltinOperator::SQRT;
    case Function::kSquare:
      return BuiltinOperator::SQUARE;
  }
  throw InternalError("unknown Function");
}

}  // namespace

FileOperator written(const Abs&, const OpContext& c) {
  return made(BuiltinOperator::ABS, c.version());
}

FileOperator written(const Add& op, const OpContext& c) {
  tflite::AddOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::ADD, c.version(), options);
}

FileOperator written(const Div& op, const OpContext& c) {
  tflite::DivOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::DIV, c.version(), options);
}

FileOperator written(const Elementwise& op, const OpContext& c) {
  const std::optional<BuiltinOperator> code = code_of(op.function);
  if (!code)
    throw CompileError(label(c.op),
                       fmt::format("{} has no operator in .tflite", name(c.op.attributes)));
  return made(*code, 1);
}

FileOperator written(const FloorDiv& op, const OpContext&) {
  return made(op.remainder ? BuiltinOperator::FLOOR_MOD : BuiltinOperator::FLOOR_DIV, 1);
}

FileOperator written(const L2Normalization&, const OpContext& c) {
  return made(BuiltinOperator::L2_NORMALIZATION, c.version(), tflite::L2NormOptionsT());
}

FileOperator written(const Maximum&, const OpContext& c) {
  if (c.output().type == DType::kBool)
    return made(BuiltinOperator::LOGICAL_OR, 1, tflite::LogicalOrOptionsT());
  return made(BuiltinOperator::MAXIMUM, c.version(), tflite::MaximumMinimumOptionsT());
}

FileOperator written(const Minimum&, const OpContext& c) {
  if (c.output().type == DType::kBool)
    return made(BuiltinOperator::LOGICAL_AND, 1, tflite::LogicalAndOptionsT());
  return made(BuiltinOperator::MINIMUM, c.version(), tflite::MaximumMinimumOptionsT());
}

FileOperator written(const Mul& op, const OpContext& c) {
  tflite::MulOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::MUL, c.version(), options);
}

FileOperator written(const Pow&, const OpContext&) { return made(BuiltinOperator::POW, 1); }

FileOperator written(const Rsqrt&, const OpContext& c) {
  return made(BuiltinOperator::RSQRT, c.version());
}

FileOperator written(const SquaredDifference&, const OpContext& c) {
  return made(BuiltinOperator::SQUARED_DIFFERENCE, c.version(),
              tflite::SquaredDifferenceOptionsT());
}

FileOperator written(const Sub& op, const OpContext& c) {
  tflite::SubOptionsT options;
  options.fused_activation_function = fused(op.activation);
  return made(BuiltinOperator::SUB, c.version(), options);
}

}  // namespace thimble
