// SPDX-License-Identifier: Apache-2.0
// Ancestors of every operator as bit sets, then the bytes that no order avoids.
#include "thimble/search/peak_bound.h"

#include <algorithm>
#include <vector>

#include "thimble/search/execution.h"
#include "thimble/search/greedy.h"

namespace thimble {
namespace {

/// Two sets of operators for each operator take this many bits; larger networks are bounded by what
/// each operator needs for itself.
constexpr size_t kMostOps = 20'000;

/// Per operator: those that execute before it in every order (or, told the ways round, after it).
using Relatives = std::vector<OpSet>;

void join(OpSet& set, const OpSet& other) {
  for (size_t w = 0; w < set.size(); ++w) set[w] |= other[w];
}

/// `order`: neighbours first.
Relatives relatives(const std::vector<int>& order,
                    const std::vector<std::vector<int>>& neighbours) {
  Relatives result(order.size(), empty_set(order.size()));
  for (const int o : order) {
    for (const int p : neighbours[index(o)]) {
      put(result[index(o)], p, true);
      join(result[index(o)], result[index(p)]);
    }
  }
  return result;
}

class Bound {
 public:
  explicit Bound(const OrderProblem& problem) : problem_(problem), links_(problem) {
    std::vector<int> order;
    Execution execution(problem, links_);
    complete_greedily(problem, links_, execution, order);  // any order will do
    if (order.size() > kMostOps) return;
    ancestors_ = relatives(order, links_.before);
    std::ranges::reverse(order);
    descendants_ = relatives(order, links_.after);
  }

  /// Bytes that no order avoids, the most over operators.
  [[nodiscard]] int64_t bytes() const {
    const std::vector<int64_t> held = held_bytes();
    int64_t result = 0;
    for (size_t o = 0; o < held.size(); ++o)
      result = std::max(result, held[o] + extra_bytes(static_cast<int>(o)));
    return result;
  }

 private:
  /// Per operator, of what is made before it and needed by it or later, in every order.
  [[nodiscard]] std::vector<int64_t> held_bytes() const {
    std::vector<int64_t> held(problem_.ops.size(), 0);
    for (size_t t = 0; t < problem_.size_bytes.size(); ++t) {
      const bool is_made = links_.producer[t] >= 0 || links_.is_input[t];
      if (!is_made || problem_.size_bytes[t] == 0) continue;
      for_each(holding(t), [&](int op) { held[index(op)] += problem_.size_bytes[t]; });
    }
    return held;
  }

  [[nodiscard]] OpSet holding(size_t tensor) const {
    OpSet set = empty_set(problem_.ops.size());
    for (const int reader : links_.readers[tensor]) put(set, reader, true);
    if (ancestors_.empty()) return set;
    for (const int reader : links_.readers[tensor]) join(set, ancestors_[index(reader)]);
    if (links_.is_output[tensor]) set.assign(set.size(), ~uint64_t{0});
    if (const size_t beyond = problem_.ops.size() % 64; beyond > 0)
      set.back() &= (uint64_t{1} << beyond) - 1;
    if (links_.producer[tensor] < 0) return set;
    const OpSet& later = descendants_[index(links_.producer[tensor])];
    for (size_t w = 0; w < set.size(); ++w) set[w] &= later[w];
    return set;
  }

  /// What the operator itself adds, in place if it can be.
  [[nodiscard]] int64_t extra_bytes(int op) const {
    const OrderProblem::Op& o = problem_.ops[index(op)];
    int64_t outputs = 0;
    for (const int t : o.outputs) outputs += problem_.size_bytes[index(t)];
    int64_t extra = outputs + o.scratch_bytes;
    for (const OrderProblem::Op::InPlace& in_place : o.in_place) {
      if (links_.is_output[index(in_place.input)] || read_after(in_place.input, op)) continue;
      const int64_t shared = std::min(problem_.size_bytes[index(in_place.input)],
                                      problem_.size_bytes[index(o.outputs[0])]);
      extra = std::min(extra, outputs - shared + in_place.scratch_bytes);
    }
    return extra;
  }

  [[nodiscard]] bool read_after(int tensor, int op) const {
    if (ancestors_.empty()) return false;
    const std::vector<int>& readers = links_.readers[index(tensor)];
    return std::any_of(readers.begin(), readers.end(),
                       [&](int r) { return contains(ancestors_[index(r)], op); });
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
  Relatives ancestors_, descendants_;  ///< empty for large networks
};

}  // namespace

int64_t peak_bound_bytes(const OrderProblem& problem) { return Bound(problem).bytes(); }

}  // namespace thimble
