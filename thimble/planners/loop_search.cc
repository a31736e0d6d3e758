// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/loop_search.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "thimble/search/execution.h"

namespace thimble {
namespace {

using Choice = std::vector<const LoopSet*>;

bool overlap(const LoopSet& a, const LoopSet& b) {
  return std::ranges::find_first_of(a.ops, b.ops) != a.ops.end();
}

/// A network whose loops are operators.
struct Contracted {
  OrderProblem problem;
  std::vector<std::vector<int>> members;  ///< per operator of `problem`
};

/// Nothing if two loops wait for each other.
std::optional<Contracted> contract(const OrderProblem& problem, const OrderLinks& links,
                                   const Choice& choice) {
  std::vector<std::vector<int>> groups;
  std::vector<const LoopSet*> loops;
  std::vector<int> group_of(problem.ops.size(), -1);
  for (int op = 0; op < static_cast<int>(problem.ops.size()); ++op) {
    if (group_of[index(op)] >= 0) continue;
    const auto in = std::ranges::find_if(
        choice, [&](const LoopSet* l) { return std::ranges::binary_search(l->ops, op); });
    loops.push_back(in == choice.end() ? nullptr : *in);
    groups.push_back(in == choice.end() ? std::vector<int>{op} : (*in)->ops);
    for (const int member : groups.back()) {
      group_of[index(member)] = static_cast<int>(groups.size()) - 1;
    }
  }
  std::vector<std::set<int>> waits_for(groups.size()), before(groups.size());
  for (int op = 0; op < static_cast<int>(problem.ops.size()); ++op) {
    for (const int next : links.after[index(op)]) {
      const int from = group_of[index(op)], to = group_of[index(next)];
      if (from == to) continue;
      waits_for[index(to)].insert(from);
      before[index(from)].insert(to);
    }
  }
  Contracted result{.problem = problem, .members = {}};
  result.problem.ops.clear();
  std::set<int> ready;
  for (size_t g = 0; g < groups.size(); ++g) {
    if (waits_for[g].empty()) ready.insert(static_cast<int>(g));
  }
  while (!ready.empty()) {
    const size_t g = index(*ready.begin());
    ready.erase(ready.begin());
    for (const int next : before[g]) {
      waits_for[index(next)].erase(static_cast<int>(g));
      if (waits_for[index(next)].empty()) ready.insert(next);
    }
    if (loops[g] == nullptr) {
      result.problem.ops.push_back(problem.ops[index(groups[g][0])]);
    } else {
      const ChannelGroup& group = *loops[g]->group;
      OrderProblem::Op op{
          .inputs = {}, .outputs = {}, .scratch_bytes = loops[g]->bytes, .in_place = {}};
      for (const ValueId v : group.context) op.inputs.push_back(v.value);
      for (const auto* made : {&group.made, &group.accumulated}) {
        for (const ValueId v : *made) op.outputs.push_back(v.value);
      }
      for (const auto* operands : {&op.inputs, &op.outputs}) {
        for (const int t : *operands) op.scratch_bytes -= problem.size_bytes[index(t)];
      }
      result.problem.ops.push_back(std::move(op));
    }
    result.members.push_back(std::move(groups[g]));
  }
  if (result.members.size() < groups.size()) return std::nullopt;
  return result;
}

class Search {
 public:
  Search(const OrderProblem& problem, const std::vector<LoopSet>& sets,
         const LoopSearchLimits& limits)
      : problem_(problem), links_(problem), sets_(sets), limits_(limits) {}

  LoopChoice run(const std::vector<LoopSet>& start) {
    Choice first;
    for (const LoopSet& loop : start) first.push_back(&loop);
    Found best = evaluate(first).value();
    while (best.peak() > limits_.budget_bytes && !late(limits_.time)) {
      std::optional<Found> next = improve(best);
      if (!next) break;
      best = std::move(*next);
    }
    LoopChoice result{.loops = {},
                      .order = {},
                      .peak_bytes = best.peak(),
                      .states = states_,
                      .ended = states_ < limits_.states && !late(limits_.time)};
    for (const LoopSet* loop : best.choice) result.loops.push_back(*loop);
    for (const int group : best.order.ops)
      result.order.push_back(best.network.members[index(group)]);
    return result;
  }

 private:
  struct Found {
    Choice choice;
    Contracted network;
    Order order;
    std::vector<int64_t> bytes;                ///< live, per position of `order`
    std::tuple<int64_t, int64_t, size_t> key;  ///< peak, how often, operators in loops

    [[nodiscard]] int64_t peak() const { return std::get<0>(key); }
  };

  /// The first choice that is better and differs in one loop more, or instead, or less.
  std::optional<Found> improve(const Found& best) {
    std::vector<Choice> choices;
    for (const LoopSet* loop : candidates(best)) {
      choices.push_back({loop});
      std::ranges::copy_if(best.choice, std::back_inserter(choices.back()),
                           [&](const LoopSet* other) { return !overlap(*loop, *other); });
    }
    for (const LoopSet* loop : best.choice) {
      choices.push_back(best.choice);
      std::erase(choices.back(), loop);
    }
    for (const Choice& choice : choices) {
      if (states_ >= limits_.states || late(limits_.time)) break;
      std::optional<Found> found = evaluate(choice);
      if (found && found->key < best.key) return found;
    }
    return std::nullopt;
  }

  /// The best order of a choice, if there is one.
  std::optional<Found> evaluate(const Choice& choice) {
    std::optional<Contracted> network = contract(problem_, links_, choice);
    if (!network) return std::nullopt;
    Order order = reorder(network->problem, kStatesPerOrder, limits_.time);
    states_ += order.states + static_cast<int64_t>(problem_.ops.size());
    std::vector<int64_t> bytes = working_sets(network->problem, order.ops);
    const int64_t peak = *std::ranges::max_element(bytes);
    size_t in_loops = 0;
    for (const LoopSet* loop : choice) in_loops += loop->ops.size();
    return Found{choice,
                 std::move(*network),
                 std::move(order),
                 bytes,
                 {peak, std::ranges::count(bytes, peak), in_loops}};
  }

  /// Loops that could lower the first peak, those with the fewest bytes first.
  std::vector<const LoopSet*> candidates(const Found& found) const {
    const size_t at =
        static_cast<size_t>(std::ranges::max_element(found.bytes) - found.bytes.begin());
    std::vector<size_t> when(problem_.ops.size());  // position of each operator
    for (size_t p = 0; p < found.order.ops.size(); ++p) {
      for (const int op : found.network.members[index(found.order.ops[p])]) when[index(op)] = p;
    }
    const auto waits = [&](ValueId v) {
      const int producer = links_.producer[v.index()];
      if (producer < 0 || when[index(producer)] > at) return false;
      return std::ranges::any_of(links_.readers[v.index()],
                                 [&](int reader) { return when[index(reader)] >= at; });
    };
    std::vector<const LoopSet*> result;
    for (const LoopSet& loop : sets_) {
      if (loop.bytes >= found.peak() ||
          std::ranges::find(found.choice, &loop) != found.choice.end())
        continue;
      const bool there =
          std::ranges::any_of(loop.ops, [&](int op) { return when[index(op)] == at; });
      if (there || std::ranges::any_of(loop.group->slices, waits)) result.push_back(&loop);
    }
    std::ranges::stable_sort(result, {}, [](const LoopSet* l) { return l->bytes; });
    if (result.size() > kMostCandidates) result.resize(kMostCandidates);
    return result;
  }

  static constexpr int64_t kStatesPerOrder = 4'000;
  static constexpr size_t kMostCandidates = 48;

  const OrderProblem& problem_;
  const OrderLinks links_;
  const std::vector<LoopSet>& sets_;
  const LoopSearchLimits limits_;
  int64_t states_ = 0;
};

}  // namespace

LoopChoice search_loops(const OrderProblem& problem, const std::vector<LoopSet>& sets,
                        const std::vector<LoopSet>& start, const LoopSearchLimits& limits) {
  return Search(problem, sets, limits).run(start);
}

}  // namespace thimble
