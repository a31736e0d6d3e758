// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/narrow_early.h"

#include <algorithm>

#include "thimble/search/execution.h"

namespace thimble {
namespace {

class Narrowing {
 public:
  explicit Narrowing(const OrderProblem& problem)
      : problem_(problem), links_(problem), placed_(problem.ops.size(), false) {}

  std::vector<int> run(const std::vector<int>& order) {
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
    std::vector<int> runs;
    int64_t narrowed = 0;
    if (links_.is_output[static_cast<size_t>(tensor)]) return {};
    for (const int reader : links_.readers[static_cast<size_t>(tensor)]) {
      const std::vector<int> run = run_from(reader);
      if (run.empty()) return {};
      narrowed += size(op(run.back()).outputs[0]);
      runs.insert(runs.end(), run.begin(), run.end());
    }
    return narrowed < size(tensor) ? runs : std::vector<int>{};
  }

  /// From the operator on as far as the result gets smaller; empty if it reads more than one
  /// tensor.
  [[nodiscard]] std::vector<int> run_from(int number) const {
    std::vector<int> run;
    size_t least = 0;
    while (!placed_[static_cast<size_t>(number)] && op(number).inputs.size() == 1 &&
           op(number).outputs.size() == 1) {
      run.push_back(number);
      const int made = op(number).outputs[0];
      if (size(made) < size(op(run[least]).outputs[0])) least = run.size() - 1;
      const std::vector<int>& readers = links_.readers[static_cast<size_t>(made)];
      if (readers.size() != 1 || links_.is_output[static_cast<size_t>(made)]) break;
      number = readers[0];
    }
    if (!run.empty()) run.resize(least + 1);
    return run;
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
  std::vector<bool> placed_;
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
