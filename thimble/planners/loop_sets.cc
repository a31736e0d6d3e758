// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/loop_sets.h"

#include <algorithm>
#include <deque>
#include <set>

#include "thimble/search/execution.h"

namespace thimble {
namespace {

using Ops = std::vector<int>;

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
  Grower(const OrderProblem& problem, ChannelGroups& groups, const LoopSetLimits& limits)
      : problem_(problem), links_(problem), groups_(groups), limits_(limits) {
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
    const MeasuredGroup* group = groups_.group_of(set);
    if (group == nullptr) return false;
    if (!limits_.pairs || group->group.is_pair) found_.push_back(loop_set(problem_, *group));
    return true;
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
  ChannelGroups& groups_;
  const LoopSetLimits limits_;
  std::vector<OpSet> after_;
  std::set<Ops> seen_;
  std::vector<LoopSet> found_;
};

}  // namespace

LoopSet loop_set(const OrderProblem& problem, const MeasuredGroup& group) {
  const GroupBytes& bytes = group.bytes.back();
  LoopSet result{.ops = {}, .group = &group.group, .bytes = bytes.made + bytes.inner};
  for (const ValueId v : group.group.context) result.bytes += problem.size_bytes[v.index()];
  for (const InstanceId id : group.group.instances) {
    result.ops.push_back(id.value);
    result.bytes_one_by_one = std::max(result.bytes_one_by_one, working_set(problem, id.value));
  }
  std::ranges::sort(result.ops);
  return result;
}

std::vector<LoopSet> loop_sets(const OrderProblem& problem, ChannelGroups& groups,
                               const LoopSetLimits& limits) {
  return Grower(problem, groups, limits).run();
}

}  // namespace thimble
