// SPDX-License-Identifier: Apache-2.0
// Operators on constants alone, which become constants: as long as a budget of counted work lasts,
// so that a hostile file costs no more than others. What is not folded stays an operator.
#pragma once

#include "thimble/reference/interpreter.h"

namespace thimble {

class ConstantFolding {
 public:
  /// Gives the operator's outputs their values if all of its inputs are constants, the budget
  /// lasts, and what it computes in float32 is finite, as constants are. Whether it did.
  bool fold(Graph& graph, const Op& op);

 private:
  int64_t bytes_left_ = int64_t{1} << 26;  ///< of results
  double reads_left_ = 2e8;                ///< about a second of the interpreter's
  TensorValues none_;                      ///< no tensor has a value of its own
};

}  // namespace thimble
