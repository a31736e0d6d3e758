// SPDX-License-Identifier: Apache-2.0
// A beam through time, and the addresses from the orders.
#include "thimble/layout/sequence_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "thimble/layout/hole_filling.h"
#include "thimble/layout/pq_tree.h"
#include "thimble/model/error.h"

namespace thimble::layout {
namespace {

constexpr std::array<size_t, 8> kWidths = {4, 16, 8, 32, 8, 8, 8, 128};  ///< in turn
constexpr std::array kTrusts = {0.25, 0.35, 0.5, 0.7, 1.0};              ///< by chance, as noises
constexpr std::array kNoises = {0.0, 1.0, 2.0, 3.0, 4.0};
constexpr HoleFilling::Quota kQuota = {10'000, 32};  ///< of one state at one boundary
constexpr size_t kMostAtOnce = 400;     ///< that end or begin: the search of holes is a recursion
constexpr double kGap = 3;              ///< in logarithms: that one is less likely than none
constexpr size_t kMostStates = 4;       ///< of so many times the width the best go on
constexpr int64_t kPairsPerWork = 16;   ///< of gaps
constexpr int64_t kTreeWork = 12;       ///< per leaf of a tree that is copied and filled
constexpr int64_t kMostLeaves = 5'000;  ///< of a tree: walks are recursions
constexpr int64_t kMostLeavesInAll = 8'000'000;  ///< of a tree per boundary
constexpr int64_t kAttemptWork = 50'000'000;     ///< of one attempt at most, in the first rounds
constexpr int64_t kLeastAttempts = 10;           ///< that are not all of the budget
constexpr size_t kMostTaken = 12;  ///< sets of gaps that are tried, of one state at one boundary

struct State {
  PqNode tree;
  Holes holes;                ///< at the boundary before
  std::vector<int64_t> gaps;  ///< bytes of those that begin there
  size_t parent = 0;
  double log_layouts = 0;  ///< the logarithm of how many, as far as it is told from others
  double key = 0;          ///< with noise
  uint64_t hash = 0;       ///< of the tree
};

}  // namespace

struct SequenceSearch::Options {
  bool backward = false;
  size_t width = 4;    ///< states kept at each boundary
  double trust = 0.5;  ///< how much it says for a hole that it is filled exactly
  double noise = 0;    ///< in logarithms
  uint32_t seed = 0;
  int64_t work = 0;  ///< at most
};

/// One attempt.
class SequenceSearch::Beam {
 public:
  Beam(const Flow& flow, int64_t capacity, const Options& options, SearchBudget& budget)
      : flow_(flow),
        capacity_(capacity),
        options_(options),
        random_(options.seed),
        budget_(budget),
        least_left_(budget.work - options.work),
        most_leaves_(std::min(kMostLeaves, kMostLeavesInAll / std::ssize(flow.bytes))),
        items_(flow.buffers),
        known_(static_cast<int>(items_.size())) {
    resize(items_.size());
    for (size_t i = 0; i < items_.size(); ++i) set_key(i);
  }

  /// Per buffer; empty if no layout is found.
  std::vector<int64_t> run() {
    first_ = flow_.begins[0];
    if (unused(0) > 0) {
      set_gap(known_, unused(0));
      first_.push_back(known_++);
    }
    std::vector<State> states(1);
    states[0].tree = any_order(first_);
    for (size_t s = 1; s < flow_.bytes.size() && !states.empty(); ++s) states = behind(s, states);
    return states.empty() ? std::vector<int64_t>{} : addresses();
  }
  [[nodiscard]] int64_t states() const { return states_; }

 private:
  [[nodiscard]] bool is_gap(int item) const { return item >= std::ssize(flow_.buffers); }
  [[nodiscard]] int64_t unused(size_t section) const { return capacity_ - flow_.bytes[section]; }

  void resize(size_t items) {
    items_.resize(items);
    keys_.resize(items);
    marks_.resize(items, false);
    hole_of_.resize(items, -1);
  }
  void set_key(size_t item) {
    keys_[item] = static_cast<uint64_t>(items_[item].bytes) * 1'000'003 +
                  static_cast<uint64_t>(items_[item].end);
  }
  void set_gap(int item, int64_t bytes) {
    if (index(item) >= items_.size()) resize(index(item) + 1);
    items_[index(item)] = {.bytes = bytes, .end = -1};
    set_key(index(item));
  }

  std::vector<State> behind(size_t s, std::vector<State>& states) {
    std::vector<State> next;
    if (flow_.begins[s].size() > kMostAtOnce) return next;
    HoleFilling filling(items_, flow_.begins[s], flow_.quantum, marks_, budget_.work);
    for (size_t i = 0; i < states.size(); ++i) {
      if (budget_.spent() || budget_.work < least_left_) return {};
      PqNode& tree = states[i].tree;
      if (tree.leaves > most_leaves_) continue;
      const double log_past = states[i].log_layouts - log_orders(tree);
      ++states_;
      int64_t fillings = kQuota.fillings;
      for (const Items& taken : gaps_to_take(tree, unused(s) - unused(s - 1))) {
        Items ends = flow_.ends[s];
        ends.insert(ends.end(), taken.begin(), taken.end());
        if (ends.size() > kMostAtOnce) continue;
        for (Holes& holes : filling.fill(tree, ends, {kQuota.steps, fillings}, random_)) {
          next.push_back(filled(tree, std::move(holes), log_past));
          next.back().parent = i;
        }
        fillings = std::max<int64_t>(fillings / 2, 4);
      }
      if (next.size() > kMostStates * options_.width) next = best(std::move(next));
    }
    return named(best(std::move(next)));
  }

  /// Sets of gaps of which one ends where the bytes of gaps become so many more.
  std::vector<Items> gaps_to_take(const PqNode& tree, int64_t more) {
    std::vector<Items> result;
    if (more >= 0) result.push_back({});
    Items gaps;
    collect_gaps(tree, gaps);
    for (size_t i = gaps.size(); i > 1; --i) std::swap(gaps[i - 1], gaps[random_() % i]);
    budget_.work -= std::ssize(gaps) * (more < 0 ? std::ssize(gaps) : 1) / kPairsPerWork;
    std::vector<Items> larger;
    for (size_t i = 0; i < gaps.size(); ++i) {
      const int64_t left = items_[index(gaps[i])].bytes + more;
      if (left == 0) result.push_back({gaps[i]});
      if (left > 0) larger.push_back({gaps[i]});
    }
    for (size_t i = 0; more < 0 && i < gaps.size() && result.size() < kMostTaken; ++i) {
      for (size_t j = i + 1; j < gaps.size(); ++j) {
        const int64_t left = items_[index(gaps[i])].bytes + items_[index(gaps[j])].bytes + more;
        if (left == 0) result.push_back({gaps[i], gaps[j]});
        if (left > 0 && larger.size() < kMostTaken) larger.push_back({gaps[i], gaps[j]});
      }
    }
    if (result.size() < kMostTaken) result.insert(result.end(), larger.begin(), larger.end());
    if (result.empty()) result.push_back(gaps);
    result.resize(std::min(result.size(), kMostTaken));
    return result;
  }

  void collect_gaps(const PqNode& node, Items& gaps) const {
    if (node.kind == PqNode::Kind::kLeaf && is_gap(node.item)) gaps.push_back(node.item);
    for (const PqNode& child : node.children) collect_gaps(child, gaps);
  }

  /// log_past: of orders of what ended before the boundary. New gaps are known_, known_ + 1, ... in
  /// each of the states.
  State filled(const PqNode& tree, Holes holes, double log_past) {
    State state{.tree = tree, .holes = std::move(holes), .gaps = {}};
    make_contiguous(state.tree, state.holes);
    const int64_t joined = std::ranges::count(state.holes, true, &Hole::joined);
    state.log_layouts = log_past + log_orders(state.tree);
    for (Hole& hole : state.holes) {
      if (hole.unused > 0) {
        const int gap = known_ + static_cast<int>(state.gaps.size());
        set_gap(gap, hole.unused);
        state.gaps.push_back(hole.unused);
        hole.begins.push_back(gap);
        state.log_layouts -= kGap;
      } else {
        state.log_layouts +=
            options_.trust * std::log(static_cast<double>(bytes_of(items_, hole.ends)) /
                                      static_cast<double>(flow_.quantum));
      }
      state.log_layouts += log_factorial(hole.begins.size());
    }
    fill(state.tree, state.holes);
    budget_.work -= state.tree.leaves * kTreeWork * (1 + joined);
    state.hash = hash_of(state.tree, keys_);
    state.key = state.log_layouts + options_.noise * static_cast<double>(random_() % 1024) / 1024;
    return state;
  }

  void make_contiguous(PqNode& tree, const Holes& holes) {
    for (const Hole& hole : holes) {
      if (!hole.joined) continue;
      mark(hole.ends, true);
      check(restrict(tree, marks_), "layout: a hole that cannot be contiguous");
      mark(hole.ends, false);
    }
  }

  void fill(PqNode& tree, const Holes& holes) {
    std::vector<PqNode> by;
    for (const Hole& hole : holes) {
      for (const int i : hole.ends) hole_of_[index(i)] = static_cast<int>(by.size());
      by.push_back(any_order(hole.begins));
    }
    replace(tree, hole_of_, by);
    for (const Hole& hole : holes) {
      for (const int i : hole.ends) hole_of_[index(i)] = -1;
    }
  }

  void mark(const Items& items, bool value) {
    for (const int i : items) marks_[index(i)] = value;
  }

  [[nodiscard]] std::vector<State> best(std::vector<State> states) const {
    std::ranges::stable_sort(states, std::greater<>(), &State::key);
    std::vector<State> kept;
    std::unordered_set<uint64_t> seen;
    for (State& state : states) {
      if (kept.size() == options_.width) break;
      if (seen.insert(state.hash).second) kept.push_back(std::move(state));
    }
    return kept;
  }

  /// New gaps get numbers that stay.
  std::vector<State> named(std::vector<State> states) {
    const int first = known_;
    past_.emplace_back();
    for (State& state : states) {
      const int by = known_ - first;
      rename(state.tree, first, by);
      for (Hole& hole : state.holes) {
        for (int& item : hole.begins) item += item >= first ? by : 0;
      }
      for (const int64_t bytes : state.gaps) set_gap(known_++, bytes);
      past_.back().emplace_back(state.parent, std::move(state.holes));
    }
    return states;
  }

  static void rename(PqNode& node, int first, int by) {
    if (node.kind == PqNode::Kind::kLeaf && node.item >= first) node.item += by;
    for (PqNode& child : node.children) rename(child, first, by);
  }

  /// On the way to the best state behind the last boundary: trees forwards, orders backwards.
  [[nodiscard]] std::vector<int64_t> addresses() {
    std::vector<const Holes*> holes(past_.size());
    size_t state = 0;
    for (size_t s = past_.size(); s-- > 0;) {
      holes[s] = &past_[s][state].second;
      state = past_[s][state].first;
    }
    PqNode tree = any_order(first_);
    std::vector<PqNode> trees;  // per boundary, before it is filled
    for (const Holes* now : holes) {
      make_contiguous(tree, *now);
      trees.push_back(tree);
      fill(tree, *now);
    }
    std::vector<int64_t> result(items_.size(), 0);
    std::vector<int> rank(items_.size(), 0);
    Items order = order_by(tree, rank);
    place(order, result);
    for (size_t s = holes.size(); s-- > 0;) {
      for (size_t i = 0; i < order.size(); ++i) rank[index(order[i])] = static_cast<int>(i);
      for (const Hole& hole : *holes[s]) {
        int least = static_cast<int>(order.size());
        for (const int i : hole.begins) least = std::min(least, rank[index(i)]);
        for (const int i : hole.ends) rank[index(i)] = least;
      }
      order = order_by(trees[s], rank);
      place(order, result);
    }
    result.resize(flow_.buffers.size());
    return result;
  }

  void place(const Items& order, std::vector<int64_t>& addresses) const {
    int64_t at = 0;
    for (const int i : order) {
      addresses[index(i)] = at;
      at += items_[index(i)].bytes;
    }
  }

  const Flow& flow_;
  const int64_t capacity_;
  const Options options_;
  std::mt19937 random_;
  SearchBudget& budget_;
  const int64_t least_left_;    ///< of the budget
  const int64_t most_leaves_;   ///< of a state that goes on
  std::vector<Item> items_;     ///< buffers, then gaps: those known, and those of the state at hand
  std::vector<uint64_t> keys_;  ///< what tells items apart from here on
  std::vector<bool> marks_;     ///< none between calls
  std::vector<int> hole_of_;    ///< -1 between calls
  int known_;                   ///< numbers of items that states have
  Items first_;                 ///< of the first section
  std::vector<std::vector<std::pair<size_t, Holes>>> past_;  ///< per boundary and state
  int64_t states_ = 0;
};

bool SequenceSearch::applies(const Problem& problem, const Sweep& sweep) {
  const bool equal = std::ranges::all_of(problem.buffers, [&](const Buffer& buffer) {
    return buffer.alignment == problem.buffers[0].alignment;
  });
  const bool gapless = std::ranges::all_of(sweep.sections_of, [](const std::vector<int>& sections) {
    return sections.empty() || sections.back() - sections.front() + 1 == std::ssize(sections);
  });
  return equal && gapless;
}

SequenceSearch::SequenceSearch(const Problem& problem, const Sweep& sweep)
    : unit_(least_alignment(problem)),
      forward_(flow_of(problem, sweep, false)),
      backward_(flow_of(problem, sweep, true)) {}

SequenceSearch::Flow SequenceSearch::flow_of(const Problem& problem, const Sweep& sweep,
                                             bool backward) const {
  const size_t sections = sweep.sections.size();
  Flow flow{.buffers = {},
            .begins = std::vector<Items>(sections + 1),
            .ends = std::vector<Items>(sections + 1),
            .bytes = std::vector<int64_t>(sections, 0),
            .quantum = 0};
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const std::vector<int>& of = sweep.sections_of[i];
    const int64_t bytes = align_up(problem.buffers[i].size_bytes, unit_);
    flow.buffers.push_back({.bytes = bytes, .end = 0});
    if (of.empty()) continue;
    const int begin = backward ? static_cast<int>(sections) - 1 - of.back() : of.front();
    const int end = begin + static_cast<int>(of.size());
    flow.buffers.back().end = end;
    flow.quantum = std::gcd(flow.quantum, bytes);
    flow.begins[index(begin)].push_back(static_cast<int>(i));
    flow.ends[index(end)].push_back(static_cast<int>(i));
    for (int s = begin; s < end; ++s) flow.bytes[index(s)] += bytes;
  }
  return flow;
}

/// In pairs of both directions: two as they are, then by chance.
SequenceSearch::Options SequenceSearch::next_options() {
  const auto pair = static_cast<size_t>(number_ / 2);
  Options options{.backward = number_ % 2 == 1,
                  .width = kWidths[pair % kWidths.size()],
                  .seed = static_cast<uint32_t>(number_)};
  ++number_;
  if (pair < 2) return options;
  options.trust = kTrusts[random_() % kTrusts.size()];
  options.noise = kNoises[random_() % kNoises.size()];
  return options;
}

SearchOutcome SequenceSearch::run(int64_t capacity_bytes, int64_t work, SearchBudget& budget) {
  const int64_t capacity = align_down(capacity_bytes, unit_);
  if (forward_.bytes.empty() || std::ranges::max(forward_.bytes) > capacity)
    return SearchOutcome::kStopped;
  const int64_t least_left = budget.work - work;
  while (number_ < 2 || budget.work > least_left) {
    if (budget.spent()) break;
    Options options = next_options();
    options.work = std::max(work, std::min(kAttemptWork, budget.work / kLeastAttempts));
    Beam beam(options.backward ? backward_ : forward_, capacity, options, budget);
    addresses_ = beam.run();
    nodes_ += beam.states();
    if (!addresses_.empty()) return SearchOutcome::kFound;
  }
  return SearchOutcome::kStopped;
}

}  // namespace thimble::layout
