// SPDX-License-Identifier: Apache-2.0
// Models of uint8 (of TensorFlow 1 and its quantisation-aware training) in int8:
// docs/arithmetic.md.
#pragma once

#include "thimble/import/section.h"
#include "thimble/import/tflite/operator_kind.h"

namespace thimble {

/// Which tensors of a file were uint8 and are int8 now: each value and zero point less 128; of
/// weights where that fits, less their zero point, which is 0 then.
class Uint8Tensors {
 public:
  /// Converts `tensors` (the file's, some of which may not have been read) if an operator of
  /// `section` computes in uint8. Files that only move such values and quantise them stay as they
  /// are. Without a scale they get 1, which nothing asks for.
  Uint8Tensors(const TfliteFile& file, const Section& section, std::vector<Tensor>& tensors);

  /// read_op, with what sets the kernels of uint8 apart from those of int8. Throws CompileError for
  /// an operator whose kernels of uint8 compute something else.
  [[nodiscard]] ReadOperator read(const OperatorKind& kind, const TfliteOp& from,
                                  std::vector<Tensor>& tensors) const;

  /// Gives the callers of the network uint8: further tensors with the names that those of the ports
  /// had. The operators stand between the two, and go in front of all others and behind them.
  [[nodiscard]] std::vector<Op> open_inputs(Graph& graph) const;
  [[nodiscard]] std::vector<Op> open_outputs(Graph& graph) const;

 private:
  [[nodiscard]] bool has(TensorId id) const { return id.valid() && has_[id.index()]; }
  [[nodiscard]] bool touches(const TfliteOp& op) const;
  TensorId open(TensorId port, Graph& graph) const;

  std::vector<bool> has_;       ///< per tensor of the file
  std::vector<bool> unscaled_;  ///< those of them that only numbers are made of
};

}  // namespace thimble
