// SPDX-License-Identifier: Apache-2.0
// Variables that operators of a .tflite file reach by handles: VAR_HANDLE names one, READ_VARIABLE
// and ASSIGN_VARIABLE copy it, CALL_ONCE runs the subgraph that assigns initial values.
#pragma once

#include <map>
#include <optional>

#include "thimble/import/tflite/op.h"

namespace thimble {

/// Per subgraph, whether it is the first one, or a CALL_ONCE of that, a loop or a branch names it.
[[nodiscard]] std::vector<bool> subgraphs_in_use(const TfliteFile& file);

class HandledVariables {
 public:
  /// Reads initial values. Throws CompileError if they are computed.
  HandledVariables(const TfliteFile& file, std::vector<Tensor>& tensors);

  struct Read {
    std::vector<Op> ops;          ///< copies, in the network
    std::optional<TensorId> old;  ///< of a variable that was not known before
  };
  /// Nothing of operators that are none of these.
  [[nodiscard]] std::optional<Read> read(tfl::BuiltinOperator code, const TfliteOp& op);
  /// Variables that are read before they are assigned; what is never assigned becomes a constant.
  [[nodiscard]] std::vector<State> states();

 private:
  struct Variable {
    TensorId old, now;
    bool carried = false;  ///< its old value is read
  };
  [[nodiscard]] std::string name_of(const TfliteOp& op, size_t input) const;
  Variable& variable(const TfliteOp& op, const Tensor& like, Read& read);
  [[nodiscard]] Bytes initial(const std::string& name, const Tensor& tensor) const;

  std::vector<Tensor>& tensors_;
  std::map<std::string, Bytes> initial_;  ///< by container and name
  std::map<TensorId, std::string> handles_;
  std::map<std::string, Variable> variables_;
  std::string where_;
};

}  // namespace thimble
