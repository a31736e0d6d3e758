// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/narrow_early.h"

#include <algorithm>

#include "thimble/search/execution.h"

namespace thimble {
namespace {

class Narrowing {
 public:
  explicit Narrowing(const OrderProblem& problem)
      : problem_(problem),
        links_(problem),
        placed_(problem.ops.size(), false),
        narrowest_(problem.ops.size(), -1) {}

  std::vector<int> run(const std::vector<int>& order) {
    for (auto op = order.rbegin(); op != order.rend(); ++op) find_narrowest(*op);
    for (const int op : order) place(op);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const OrderProblem::Op& op(int number) const {
    return problem_.ops[static_cast<size_t>(number)];
  }
  [[nodiscard]] int64_t size(int tensor) const {
    return problem_.size_bytes[static_cast<size_t>(tensor)];
  }

  void place(int number) {
    if (placed_[static_cast<size_t>(number)]) return;
    placed_[static_cast<size_t>(number)] = true;
    result_.push_back(number);
    for (const int tensor : op(number).outputs) {
      for (const int next : narrowing(tensor)) place(next);
    }
  }

  /// The runs of all readers, or nothing.
  [[nodiscard]] std::vector<int> narrowing(int tensor) const {
    const std::vector<int>& readers = links_.readers[static_cast<size_t>(tensor)];
    int64_t narrowed = 0;
    if (links_.is_output[static_cast<size_t>(tensor)]) return {};
    for (const int reader : readers) {
      const int last = narrowest_[static_cast<size_t>(reader)];
      if (last < 0 || placed_[static_cast<size_t>(reader)]) return {};
      narrowed += size(op(last).outputs[0]);
    }
    if (narrowed >= size(tensor)) return {};
    std::vector<int> runs;
    for (int reader : readers) {
      const int last = narrowest_[static_cast<size_t>(reader)];
      for (; reader != last; reader = next(reader)) runs.push_back(reader);
      runs.push_back(last);
    }
    return runs;
  }

  /// The only reader of the only result; -1 if there is none, or several.
  [[nodiscard]] int next(int number) const {
    const int made = op(number).outputs[0];
    const std::vector<int>& readers = links_.readers[static_cast<size_t>(made)];
    return readers.size() == 1 && !links_.is_output[static_cast<size_t>(made)] ? readers[0] : -1;
  }

  /// From the operator on as far as the result gets smaller; nothing if it reads more than one
  /// tensor. What comes behind it in the order is known.
  void find_narrowest(int number) {
    if (op(number).inputs.size() != 1 || op(number).outputs.size() != 1) return;
    int& narrowest = narrowest_[static_cast<size_t>(number)];
    narrowest = number;
    const int behind = next(number) < 0 ? -1 : narrowest_[static_cast<size_t>(next(number))];
    if (behind >= 0 && size(op(behind).outputs[0]) < size(op(number).outputs[0]))
      narrowest = behind;
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
  std::vector<bool> placed_;
  std::vector<int> narrowest_;  ///< per operator: where the run from it on is narrowest; -1: none
  std::vector<int> result_;
};

}  // namespace

Order narrow_early(const OrderProblem& problem, const std::vector<int>& order) {
  Order result{.ops = Narrowing(problem).run(order)};
  for (const int64_t bytes : working_sets(problem, result.ops))
    result.peak_bytes = std::max(result.peak_bytes, bytes);
  return result;
}

}  // namespace thimble
