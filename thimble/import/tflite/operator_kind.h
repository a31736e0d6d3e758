// SPDX-License-Identifier: Apache-2.0
// What the importer takes of an operator: a row of the tables in kinds.cc (builtin) and signal.cc
// (custom).
#pragma once

#include <limits>

#include "thimble/import/expansion.h"
#include "thimble/import/tflite/op.h"

namespace thimble {

/// Operands: the inputs below `first_parameter`; from there on they are constants that become
/// attributes. Those from `first_optional` may be absent.
struct OperatorKind {
  static constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

  tfl::BuiltinOperator code;
  size_t min_inputs = 1, max_inputs = 1;
  size_t first_optional = kNoLimit;
  size_t first_parameter = kNoLimit;
  /// Relies on the number of inputs and outputs; throws CompileError for what it cannot take.
  Attributes (*attributes)(const TfliteOp& op) = nullptr;
  size_t first_operand = 0;    ///< inputs before it are parameters, too
  bool per_output = false;     ///< any number of outputs, each made by an operator of its own
  bool weights_first = false;  ///< the first two operands stand the other way round
  void (*expand)(const TfliteOp& op, Expansion& steps) = nullptr;  ///< instead of attributes
  const char* custom = nullptr;  ///< the name of a custom operator
  size_t outputs = 1;

  /// Read by HandledVariables.
  [[nodiscard]] bool is_by_handle() const { return attributes == nullptr && expand == nullptr; }
};

}  // namespace thimble
