// SPDX-License-Identifier: Apache-2.0
// Ancestors of every operator as bit sets, then the bytes that no order avoids.
#include "thimble/planners/peak_bound.h"

#include <algorithm>
#include <vector>

#include "thimble/planners/execution.h"

namespace thimble {
namespace {

/// ancestors[o][p]: p executes before o in every order.
std::vector<std::vector<bool>> ancestors(const OrderProblem& problem, const OrderLinks& links) {
  const size_t count = problem.ops.size();
  std::vector<std::vector<bool>> result(count, std::vector<bool>(count, false));
  Execution execution(problem, links);
  std::vector<int> order;
  complete_greedily(problem, execution, order);  // any order will do
  for (const int o : order) {
    std::vector<bool>& own = result[index(o)];
    for (const int t : problem.ops[index(o)].inputs) {
      const int p = links.producer[index(t)];
      if (p < 0 || own[index(p)]) continue;
      own[index(p)] = true;
      for (size_t i = 0; i < count; ++i) {
        if (result[index(p)][i]) own[i] = true;
      }
    }
  }
  return result;
}

class Bound {
 public:
  explicit Bound(const OrderProblem& problem)
      : problem_(problem), links_(problem), ancestors_(ancestors(problem, links_)) {}

  [[nodiscard]] int64_t of(int op) const {
    const OrderProblem::Op& o = problem_.ops[index(op)];
    int64_t held = 0, outputs = 0;
    for (size_t t = 0; t < problem_.size_bytes.size(); ++t) {
      if (made_before(static_cast<int>(t), op) && needed_from(static_cast<int>(t), op)) {
        held += problem_.size_bytes[t];
      }
    }
    for (const int t : o.outputs) outputs += problem_.size_bytes[index(t)];
    int64_t extra = outputs + o.scratch_bytes;
    for (const OrderProblem::Op::InPlace& way : o.in_place) {
      if (links_.is_output[index(way.input)] || read_after(way.input, op)) continue;
      const int64_t shared =
          std::min(problem_.size_bytes[index(way.input)], problem_.size_bytes[index(o.outputs[0])]);
      extra = std::min(extra, outputs - shared + way.scratch_bytes);
    }
    return held + extra;
  }

 private:
  [[nodiscard]] bool made_before(int tensor, int op) const {
    const int producer = links_.producer[index(tensor)];
    return producer < 0 ? links_.is_input[index(tensor)]
                        : bool(ancestors_[index(op)][index(producer)]);
  }
  [[nodiscard]] bool read_after(int tensor, int op) const {
    const std::vector<int>& readers = links_.readers[index(tensor)];
    return std::any_of(readers.begin(), readers.end(),
                       [&](int r) { return bool(ancestors_[index(r)][index(op)]); });
  }
  [[nodiscard]] bool needed_from(int tensor, int op) const {
    const std::vector<int>& readers = links_.readers[index(tensor)];
    return links_.is_output[index(tensor)] || read_after(tensor, op) ||
           std::binary_search(readers.begin(), readers.end(), op);
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
  const std::vector<std::vector<bool>> ancestors_;
};

}  // namespace

int64_t peak_bound_bytes(const OrderProblem& problem) {
  const Bound bound(problem);
  int64_t result = 0;
  for (size_t o = 0; o < problem.ops.size(); ++o) {
    result = std::max(result, bound.of(static_cast<int>(o)));
  }
  return result;
}

}  // namespace thimble
