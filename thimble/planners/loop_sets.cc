// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/loop_sets.h"

#include <algorithm>
#include <deque>
#include <set>

#include "thimble/search/execution.h"

namespace thimble {
namespace {

using Ops = std::vector<int>;

bool generates_and_accumulates(const ChannelLoop& loop) {
  return loop.roles.front() == LoopRole::kGenerate && loop.roles.back() == LoopRole::kAccumulate;
}

int64_t working_set(const OrderProblem& problem, int op) {
  const OrderProblem::Op& o = problem.ops[index(op)];
  int64_t bytes = o.scratch_bytes;
  for (const auto* operands : {&o.inputs, &o.outputs}) {
    for (const int t : *operands) bytes += problem.size_bytes[index(t)];
  }
  return bytes;
}

class Grower {
 public:
  Grower(const OrderProblem& problem, const ChannelLoops& rules, const LoopSetLimits& limits)
      : problem_(problem), links_(problem), rules_(rules), limits_(limits) {
    find_descendants();
  }

  std::vector<LoopSet> run() {
    for (int op = 0; op < static_cast<int>(problem_.ops.size()); ++op) grow_from(op);
    return std::move(found_);
  }

 private:
  /// after_[o]: operators that cannot execute before o has.
  void find_descendants() {
    after_.assign(problem_.ops.size(), empty_set(problem_.ops.size()));
    for (auto op = static_cast<int>(problem_.ops.size()) - 1; op >= 0; --op) {
      for (const int next : links_.after[index(op)]) {
        put(after_[index(op)], next, true);
        for (size_t w = 0; w < after_[index(op)].size(); ++w) {
          after_[index(op)][w] |= after_[index(next)][w];
        }
      }
    }
  }

  /// Breadth first: small sets first, so that the limit leaves none of them out.
  void grow_from(int op) {
    std::deque<Ops> queue = {{op}};
    int left = limits_.most_sets;
    while (!queue.empty() && left > 0) {
      const Ops set = queue.front();
      queue.pop_front();
      if (std::ssize(set) == limits_.most_ops) continue;
      for (const int next : neighbours(set)) {
        Ops larger = set;
        larger.insert(std::ranges::upper_bound(larger, next), next);
        if (!seen_.insert(larger).second || !convex(larger) || !is_loop(larger)) continue;
        --left;
        queue.push_back(std::move(larger));
      }
    }
  }

  Ops neighbours(const Ops& set) const {
    Ops result;
    for (const int op : set) {
      for (const auto* side : {&links_.before[index(op)], &links_.after[index(op)]}) {
        for (const int next : *side) {
          if (!std::ranges::binary_search(set, next)) result.push_back(next);
        }
      }
    }
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  bool convex(const Ops& set) const {
    OpSet behind = empty_set(problem_.ops.size());
    for (const int op : set) {
      for (size_t w = 0; w < behind.size(); ++w) behind[w] |= after_[index(op)][w];
    }
    bool result = true;
    for_each(behind, [&](int op) {
      if (std::ranges::binary_search(set, op)) return;
      const auto follows = [&](int member) { return contains(after_[index(op)], member); };
      result = result && std::ranges::none_of(set, follows);
    });
    return result;
  }

  bool is_loop(const Ops& set) {
    std::vector<OpId> ids;
    for (const int op : set) ids.push_back(OpId{op});
    std::optional<ChannelLoop> loop = rules_.loop_of(ids);
    if (!loop) return false;
    if (limits_.pairs && !generates_and_accumulates(*loop)) return true;
    found_.push_back(loop_set(problem_, rules_, std::move(*loop), limits_.sums));
    return true;
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
  const ChannelLoops& rules_;
  const LoopSetLimits limits_;
  std::vector<OpSet> after_;
  std::set<Ops> seen_;
  std::vector<LoopSet> found_;
};

}  // namespace

LoopSet loop_set(const OrderProblem& problem, const ChannelLoops& rules, ChannelLoop loop,
                 DType sums) {
  LoopSet result{
      .ops = {},
      .loop = {},
      .bytes = rules.full_bytes(loop, sums, problem.size_bytes) + rules.slice_bytes(loop)};
  for (const TensorId t : loop.context) result.bytes += problem.size_bytes[t.index()];
  for (const OpId op : loop.ops) {
    result.ops.push_back(op.value);
    result.bytes_one_by_one = std::max(result.bytes_one_by_one, working_set(problem, op.value));
  }
  std::ranges::sort(result.ops);
  result.loop = std::move(loop);
  return result;
}

std::vector<LoopSet> loop_sets(const OrderProblem& problem, const ChannelLoops& rules,
                               const LoopSetLimits& limits) {
  return Grower(problem, rules, limits).run();
}

}  // namespace thimble
