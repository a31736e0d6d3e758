// SPDX-License-Identifier: Apache-2.0
// Which operators of an order problem have been executed, and the bytes that are live then.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "thimble/model/time_limit.h"
#include "thimble/search/order_problem.h"

namespace thimble {

/// Position of a number that stands for an operator or a tensor of an order problem.
inline size_t index(int i) { return static_cast<size_t>(i); }

/// A set of operators: bit o % 64 of word o / 64.
using OpSet = std::vector<uint64_t>;

inline OpSet empty_set(size_t ops) { return OpSet((ops + 63) / 64); }
inline bool contains(std::span<const uint64_t> set, int op) {
  return set[index(op) / 64] >> (op % 64) & 1;
}
inline void put(OpSet& set, int op, bool in) {
  const uint64_t bit = uint64_t{1} << (op % 64);
  set[index(op) / 64] = in ? set[index(op) / 64] | bit : set[index(op) / 64] & ~bit;
}
/// Calls `visit(op)` in ascending order. The set may lose members meanwhile, not gain any.
template <typename Visit>
void for_each(std::span<const uint64_t> set, Visit visit) {
  for (size_t w = 0; w < set.size(); ++w) {
    for (uint64_t bits = set[w]; bits != 0; bits &= bits - 1) {
      visit(static_cast<int>(w * 64) + std::countr_zero(bits));
    }
  }
}

/// What searches for an order may still do: counted in steps (operators executed or undone, edges
/// of flows, words of sets stored), some twenty million a second, so that it depends on nothing
/// else.
struct OrderBudget {
  int64_t steps = 0;
  const TimeLimit* time = nullptr;  ///< the safety net

  [[nodiscard]] bool spent() const { return steps <= 0 || late(time); }
};
inline void charge(OrderBudget* budget, size_t steps) {
  if (budget != nullptr) budget->steps -= static_cast<int64_t>(steps);
}
[[nodiscard]] inline bool spent(const OrderBudget* budget) {
  return budget != nullptr && budget->spent();
}

/// Readers and producers of an order problem, checked once: throws InternalError if a tensor has
/// two producers, or an index is out of range, or an operator lists a tensor twice.
struct OrderLinks {
  explicit OrderLinks(const OrderProblem& problem);

  std::vector<int> producer;                    ///< per tensor: operator, or -1
  std::vector<std::vector<int>> readers;        ///< per tensor, ascending
  std::vector<bool> is_input, is_output;        ///< per tensor: of the network
  std::vector<std::vector<int>> before, after;  ///< per operator: its neighbours, each once
};

/// Goes forward with execute() and back with undo(), each in time proportional to the operator's
/// operands and neighbours.
class Execution {
 public:
  /// Both must outlive the execution.
  Execution(const OrderProblem& problem, const OrderLinks& links);

  [[nodiscard]] const OpSet& executed() const { return executed_; }
  /// Operators whose inputs are all there and that have not been executed.
  [[nodiscard]] const OpSet& ready() const { return ready_; }
  [[nodiscard]] bool ready(int op) const { return contains(ready_, op); }
  /// Operators that have been executed, and no reader of theirs.
  [[nodiscard]] const OpSet& last() const { return last_; }
  [[nodiscard]] int64_t live_bytes() const { return live_bytes_; }
  /// Readers of a tensor that have not been executed.
  [[nodiscard]] int reads_left(int tensor) const { return reads_left_[index(tensor)]; }
  /// Bytes live while `op`, which is ready, executes: in place where that is less.
  [[nodiscard]] int64_t working_set(int op) const;
  [[nodiscard]] int64_t live_bytes_after(int op) const;
  void execute(int op);
  void undo(int op);  ///< one of last()
  /// Any set that some execution reaches, and its live bytes.
  void go_to(std::span<const uint64_t> executed, int64_t live_bytes);

 private:
  [[nodiscard]] bool needed(int tensor) const {
    const auto t = static_cast<size_t>(tensor);
    return reads_left_[t] > 0 || links_.is_output[t];
  }
  [[nodiscard]] int64_t size(int tensor) const {
    return problem_.size_bytes[static_cast<size_t>(tensor)];
  }
  void count(int op, int sign);
  void place(int op);

  const OrderProblem& problem_;
  const OrderLinks& links_;
  OpSet executed_, ready_, last_;
  std::vector<int> before_left_;  ///< per operator: neighbours before it, not executed
  std::vector<int> after_done_;   ///< per operator: neighbours after it, executed
  std::vector<int> reads_left_;   ///< per tensor: readers that have not been executed
  int64_t live_bytes_ = 0;        ///< of tensors made (or network inputs) and still needed
};

}  // namespace thimble
