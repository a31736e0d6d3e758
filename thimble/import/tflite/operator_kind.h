// SPDX-License-Identifier: Apache-2.0
// What the importer takes of an operator: a row of the lists of operators/.
#pragma once

#include <limits>

#include "thimble/import/expansion.h"
#include "thimble/import/tflite/op.h"

namespace thimble {

/// A row names `code`, `shape`, and one of `attributes`, `expand` and `by_handle`.
struct OperatorKind {
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  struct InputCount {
    size_t least = 1, most = 1;
  };

  /// What uint8 means to it, beside values that are 128 more.
  enum class Uint8 : uint8_t {
    kRefused,   ///< its kernel may compute otherwise than that of int8
    kMoves,     ///< it only moves values
    kComputes,  ///< as of int8, or as Arithmetic::kTfliteUint8 does
  };

  tfl::BuiltinOperator code;
  const char* custom = nullptr;  ///< the name of a custom operator
  InputCount inputs;
  size_t outputs = 1;
  bool per_output = false;  ///< any number of outputs, each made by an operator of its own
  /// Operands are the inputs from `first_operand` up to `first_parameter`; the others are constants
  /// that become attributes. Those from `first_optional` may be absent.
  size_t first_operand = 0, first_parameter = kNoLimit, first_optional = kNoLimit;
  bool weighted = false;       ///< input 1 is its weights
  bool weights_first = false;  ///< the first two operands stand the other way round
  /// Relies on the number of inputs and outputs; throws CompileError for what it cannot take.
  Attributes (*attributes)(const TfliteOp& op) = nullptr;
  void (*expand)(const TfliteOp& op, Expansion& steps) = nullptr;
  bool by_handle = false;  ///< read by HandledVariables
  /// The shape of its output, from those of its inputs and from its parameters (shape_rules.h).
  /// A reference: a row that states none does not compile.
  Shape (&shape)(const TfliteOp& op);
  /// Whether that is all its parameters are for, so that they must not contradict the file's shape.
  bool (*repeats_shape)(const TfliteOp& op) = nullptr;
  Uint8 uint8 = Uint8::kRefused;
};

/// An operator without attributes.
template <class Operator>
Attributes plain(const TfliteOp&) {
  return Operator{};
}

}  // namespace thimble
