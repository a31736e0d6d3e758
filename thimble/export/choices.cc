// SPDX-License-Identifier: Apache-2.0
// Comparisons, and choices between two tensors.
#include "thimble/export/tflite_ops.h"
#include "thimble/model/error.h"

namespace thimble {

FileOperator written(const Comparison& op, const OpContext& c) {
  const int version = c.input(0).type == DType::kInt8 ? 2 : 1;
  switch (op.relation) {
    case Relation::kEqual:
      return made(BuiltinOperator::EQUAL, version, tflite::EqualOptionsT());
    case Relation::kNotEqual:
      return made(BuiltinOperator::NOT_EQUAL, version, tflite::NotEqualOptionsT());
    case Relation::kGreater:
      return made(BuiltinOperator::GREATER, version, tflite::GreaterOptionsT());
    case Relation::kGreaterEqual:
      return made(BuiltinOperator::GREATER_EQUAL, version, tflite::GreaterEqualOptionsT());
    case Relation::kLess:
      return made(BuiltinOperator::LESS, version, tflite::LessOptionsT());
    case Relation::kLessEqual:
      return made(BuiltinOperator::LESS_EQUAL, version, tflite::LessEqualOptionsT());
  }
  throw InternalError("unknown Relation");
}

FileOperator written(const Select&, const OpContext&) {
  return made(BuiltinOperator::SELECT_V2, 1, tflite::SelectV2OptionsT());
}

}  // namespace thimble
