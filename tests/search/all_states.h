// SPDX-License-Identifier: Apache-2.0
// Every state of a small order problem, for comparison: sets of executed operators as bit masks,
// their live bytes summed anew.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "thimble/search/order.h"

namespace thimble {

class AllStates {
 public:
  explicit AllStates(const OrderProblem& problem)
      : problem_(problem), producer_(problem.size_bytes.size(), -1) {
    for (size_t o = 0; o < problem.ops.size(); ++o) {
      for (const int t : problem.ops[o].outputs) {
        producer_[static_cast<size_t>(t)] = static_cast<int>(o);
      }
    }
    for (uint32_t set = 0; set < 1u << problem.ops.size(); ++set) {
      if (is_state(set)) sets_.push_back(set);
    }
  }

  /// Ascending: each after all of its subsets.
  [[nodiscard]] const std::vector<uint32_t>& sets() const { return sets_; }

  [[nodiscard]] bool ready(uint32_t set, size_t op) const {
    const std::vector<int>& inputs = problem_.ops[op].inputs;
    return !has(set, op) && std::all_of(inputs.begin(), inputs.end(),
                                        [&](int t) { return made(set, static_cast<size_t>(t)); });
  }
  [[nodiscard]] int64_t live_bytes(uint32_t set) const {
    int64_t bytes = 0;
    for (size_t t = 0; t < producer_.size(); ++t) {
      if (made(set, t) && needed(set, t)) bytes += problem_.size_bytes[t];
    }
    return bytes;
  }
  [[nodiscard]] int64_t working_set(uint32_t set, size_t op) const {
    const OrderProblem::Op& o = problem_.ops[op];
    int64_t outputs = 0;
    for (const int t : o.outputs) outputs += bytes_of(t);
    int64_t extra = outputs + o.scratch_bytes;
    for (const OrderProblem::Op::InPlace& in_place : o.in_place) {
      if (needed(set | 1u << op, static_cast<size_t>(in_place.input))) continue;
      const int64_t shared = std::min(bytes_of(in_place.input), bytes_of(o.outputs[0]));
      extra = std::min(extra, outputs - shared + in_place.scratch_bytes);
    }
    return live_bytes(set) + extra;
  }
  [[nodiscard]] int64_t least_peak() const {
    constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> least(size_t{1} << problem_.ops.size(), kNone);
    least[0] = 0;
    for (const uint32_t set : sets_) {
      for (size_t op = 0; op < problem_.ops.size(); ++op) {
        if (!ready(set, op)) continue;
        int64_t& next = least[set | 1u << op];
        next = std::min(next, std::max(least[set], working_set(set, op)));
      }
    }
    return least.back();
  }

 private:
  static bool has(uint32_t set, size_t op) { return (set >> op & 1) != 0; }
  [[nodiscard]] int64_t bytes_of(int tensor) const {
    return problem_.size_bytes[static_cast<size_t>(tensor)];
  }
  [[nodiscard]] bool made(uint32_t set, size_t tensor) const {
    if (producer_[tensor] >= 0) return has(set, static_cast<size_t>(producer_[tensor]));
    const std::vector<int>& inputs = problem_.inputs;
    return std::find(inputs.begin(), inputs.end(), static_cast<int>(tensor)) != inputs.end();
  }
  [[nodiscard]] bool needed(uint32_t set, size_t tensor) const {
    const auto lists = [&](const std::vector<int>& tensors) {
      return std::find(tensors.begin(), tensors.end(), static_cast<int>(tensor)) != tensors.end();
    };
    if (lists(problem_.outputs)) return true;
    for (size_t op = 0; op < problem_.ops.size(); ++op) {
      if (!has(set, op) && lists(problem_.ops[op].inputs)) return true;
    }
    return false;
  }
  [[nodiscard]] bool is_state(uint32_t set) const {
    for (size_t op = 0; op < problem_.ops.size(); ++op) {
      if (has(set, op) && !ready(set & ~(1u << op), op)) return false;
    }
    return true;
  }

  const OrderProblem& problem_;
  std::vector<int> producer_;
  std::vector<uint32_t> sets_;
};

}  // namespace thimble
