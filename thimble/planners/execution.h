// SPDX-License-Identifier: Apache-2.0
// Which operators of an order problem have been executed, and the bytes that are live then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "thimble/planners/order.h"

namespace thimble {

/// Position of a number that stands for an operator or a tensor of an order problem.
inline size_t index(int i) { return static_cast<size_t>(i); }

/// Readers and producers of an order problem, checked once: throws InternalError if a tensor has
/// two producers, or an index is out of range, or an operator lists a tensor twice.
struct OrderLinks {
  explicit OrderLinks(const OrderProblem& problem);

  std::vector<int> producer;              ///< per tensor: operator, or -1
  std::vector<std::vector<int>> readers;  ///< per tensor, ascending
  std::vector<bool> is_input, is_output;  ///< per tensor: of the network
};

/// Goes forward with execute() and back with undo(), each in time proportional to the operator's
/// operands.
class Execution {
 public:
  /// Both must outlive the execution.
  Execution(const OrderProblem& problem, const OrderLinks& links);

  [[nodiscard]] bool executed(int op) const { return executed_[static_cast<size_t>(op)]; }
  /// All inputs are there and it has not been executed.
  [[nodiscard]] bool ready(int op) const;
  [[nodiscard]] int64_t live_bytes() const { return live_bytes_; }
  /// Bytes live while `op`, which is ready, executes: in place where that is less.
  [[nodiscard]] int64_t working_set(int op) const;
  [[nodiscard]] int64_t live_bytes_after(int op) const;
  void execute(int op);
  void undo(int op);

 private:
  [[nodiscard]] bool needed(int tensor) const {
    const auto t = static_cast<size_t>(tensor);
    return reads_left_[t] > 0 || links_.is_output[t];
  }
  [[nodiscard]] int64_t size(int tensor) const {
    return problem_.size_bytes[static_cast<size_t>(tensor)];
  }

  const OrderProblem& problem_;
  const OrderLinks& links_;
  std::vector<bool> executed_;
  std::vector<int> reads_left_;  ///< per tensor: readers that have not been executed
  int64_t live_bytes_ = 0;       ///< of tensors made (or network inputs) and still needed
};

/// Appends what is left to `ops`, which has been executed: next the operator that leaves the fewest
/// live bytes (ties: smaller working set, then file order).
void complete_greedily(const OrderProblem& problem, Execution& execution, std::vector<int>& ops);

}  // namespace thimble
