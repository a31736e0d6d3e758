// SPDX-License-Identifier: Apache-2.0
// Operators of the Graph ask for constants: what files compute of constants, and weights that they
// hold in int8 beside float32, become some.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "thimble/import/file_op.h"
#include "thimble/model/graph.h"
#include "thimble/reference/constant_folding.h"

namespace thimble {

/// Makes constants of what operators make of constants alone, and leaves these out, unless they
/// multiply and accumulate: these, and what takes too much work, are left to the rewrites.
void fold_constants(std::vector<Op>& ops, std::vector<Tensor>& tensors, ConstantFolding& folding);

/// Why an operator is not supported. Nothing if it is, or is with a bias of its own in which dead
/// channels are silent (silenced_bias).
[[nodiscard]] std::string refusal_of(Op& op, Graph& graph);

/// Weights of int8 beside float32 ("hybrid") that kernels do not dequantise become float32, too, in
/// a tensor of their own.
void expand_weights(std::vector<Tensor>& tensors, Op& op);

/// Constants that a dequantisation made of others.
class DequantisedConstants {
 public:
  /// A dequantisation of which nothing was left.
  void add(const FileOp& dequantize) { of_[dequantize.outputs[0]] = dequantize.inputs[0]; }
  /// Weights that are such are read as they were, where kernels dequantise them.
  void read_as_they_were(std::vector<Op>& ops, const std::vector<Tensor>& tensors) const;

 private:
  std::map<TensorId, TensorId> of_;
};

}  // namespace thimble
