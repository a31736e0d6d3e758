// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/hub_bound.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "thimble/search/exact_search.h"
#include "thimble/search/least_cut.h"

namespace thimble {
namespace {

constexpr size_t kMostHubs = 4;            ///< tensors, the largest
constexpr size_t kMostHolders = 4;         ///< operators, those with the most before them
constexpr int kMostBefore = 64;            ///< operators: the search is small
constexpr int64_t kStatesBefore = 20'000;  ///< of each search

class HubSearch {
 public:
  HubSearch(const OrderProblem& problem, int64_t known_bytes, OrderBudget* budget)
      : problem_(problem),
        links_(problem),
        cuts_(problem, links_, budget),
        budget_(budget),
        bound_{.bytes = known_bytes} {}

  HubBound run() {
    const std::vector<OpSet> holders = holders_with_all_before();
    for (const int hub : hubs()) {
      for (const OpSet& with_all_before : holders) {
        if (spent(budget_)) return bound_;
        improve(hub, with_all_before);
      }
    }
    return bound_;
  }

 private:
  [[nodiscard]] std::vector<int> hubs() const {
    std::vector<int> result;
    for (int t = 0; t < std::ssize(problem_.size_bytes); ++t) {
      if (links_.readers[index(t)].size() > 1 && !links_.is_output[index(t)]) result.push_back(t);
    }
    std::ranges::stable_sort(result, std::greater(),
                             [&](int t) { return problem_.size_bytes[index(t)]; });
    result.resize(std::min(result.size(), kMostHubs));
    return result;
  }

  /// Each an operator and all that it needs; those with the most members.
  [[nodiscard]] std::vector<OpSet> holders_with_all_before() const {
    std::vector<std::pair<int, OpSet>> sets;
    for (int op = 0; op < std::ssize(problem_.ops); ++op) {
      OpSet set = empty_set(problem_.ops.size());
      int members = 0;
      std::vector<int> open{op};
      while (!open.empty() && members <= kMostBefore) {
        const int next = open.back();
        open.pop_back();
        if (contains(set, next)) continue;
        put(set, next, true);
        ++members;
        const std::vector<int>& before = links_.before[index(next)];
        open.insert(open.end(), before.begin(), before.end());
      }
      if (members <= kMostBefore) sets.emplace_back(members, std::move(set));
    }
    std::ranges::stable_sort(sets, std::greater(), &std::pair<int, OpSet>::first);
    std::vector<OpSet> result;
    for (size_t k = 0; k < std::min(sets.size(), kMostHolders); ++k)
      result.push_back(std::move(sets[k].second));
    return result;
  }

  /// with_all_before: an operator, and all that it needs.
  void improve(int hub, const OpSet& with_all_before) {
    const int made_by = links_.producer[index(hub)];
    if (made_by >= 0 && !contains(with_all_before, made_by)) return;
    const int64_t last = beside_what_readers_made(hub, with_all_before);
    if (last <= bound_.bytes) return;
    const OrderProblem before = beside(hub, with_all_before);
    const SearchResult result = search_from_both_ends(
        before, {.at_least = 0, .below = last, .states = kStatesBefore, .budget = budget_});
    const int64_t bytes = std::min(last, result.bound_bytes);
    if (bytes > bound_.bytes && !spent(budget_)) bound_ = {.bytes = bytes, .hub = hub};
  }

  /// The least that is live when all readers but one have been executed, and the operator has not.
  [[nodiscard]] int64_t beside_what_readers_made(int hub, const OpSet& with_all_before) {
    const int holder = last_of(with_all_before);
    int64_t least = std::numeric_limits<int64_t>::max();
    for (const int last : links_.readers[index(hub)]) {
      if (last == holder) continue;
      OpSet inside = empty_set(problem_.ops.size()), outside = inside;
      for (const int reader : links_.readers[index(hub)])
        put(inside, reader, reader != last && reader != holder);
      put(outside, last, true);
      put(outside, holder, true);
      const std::optional<LiveCut> cut = cuts_.between(inside, outside);
      if (cut) least = std::min(least, cut->live_bytes);
      if (least <= bound_.bytes || spent(budget_)) return 0;
    }
    return least;
  }

  /// The one that no other of them needs.
  [[nodiscard]] int last_of(const OpSet& ops) const {
    int result = -1;
    for_each(ops, [&](int op) {
      const std::vector<int>& after = links_.after[index(op)];
      if (std::ranges::none_of(after, [&](int other) { return contains(ops, other); })) result = op;
    });
    return result;
  }

  /// The problem of these operators alone, with the hub live until the end.
  [[nodiscard]] OrderProblem beside(int hub, const OpSet& ops) const {
    OrderProblem result{
        .size_bytes = problem_.size_bytes, .inputs = {}, .outputs = {hub}, .ops = {}};
    std::vector<bool> read(problem_.size_bytes.size(), false);
    read[index(hub)] = true;
    for_each(ops, [&](int op) {
      result.ops.push_back(problem_.ops[index(op)]);
      for (const int t : result.ops.back().inputs) read[index(t)] = true;
    });
    for (const int t : problem_.inputs) {
      if (read[index(t)]) result.inputs.push_back(t);
    }
    return result;
  }

  const OrderProblem& problem_;
  const OrderLinks links_;
  LeastCut cuts_;
  OrderBudget* const budget_;
  HubBound bound_;
};

}  // namespace

HubBound hub_bound(const OrderProblem& problem, int64_t known_bytes, OrderBudget* budget) {
  return HubSearch(problem, known_bytes, budget).run();
}

std::vector<int> all_beside(const OrderProblem& problem, int hub) {
  const OrderLinks links(problem);
  std::vector<int> fewest;
  for (const int reader : links.readers[index(hub)]) {
    std::vector<int> needing{reader};
    std::vector<bool> known(problem.ops.size(), false);
    known[index(reader)] = true;
    for (size_t k = 0; k < needing.size(); ++k) {
      for (const int after : links.after[index(needing[k])]) {
        if (!known[index(after)]) needing.push_back(after);
        known[index(after)] = true;
      }
    }
    if (fewest.empty() || needing.size() < fewest.size()) fewest = std::move(needing);
  }
  std::vector<int> result;
  for (int op = 0; op < std::ssize(problem.ops); ++op) {
    if (std::ranges::find(fewest, op) == fewest.end()) result.push_back(op);
  }
  return result;
}

}  // namespace thimble
