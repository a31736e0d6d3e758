// SPDX-License-Identifier: Apache-2.0
#include "thimble/layout/assign_memories.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "thimble/layout/bound.h"
#include "thimble/model/error.h"

namespace thimble::layout {
namespace {

constexpr int kNoMemory = -1;
constexpr size_t kFewestKept = 16, kMostKept = 4'000;
constexpr double kNothing = 1e-6;  // cycles that are none: sums are rounded

/// Bytes of memories behind the first decide between assignments that wait alike.
struct Price {
  double cycles = 0, behind = 0;
  [[nodiscard]] bool below(const Price& other) const {
    if (std::abs(cycles - other.cycles) > kNothing) return cycles < other.cycles;
    return behind < other.behind;
  }
  Price& operator+=(const Price& other) {
    cycles += other.cycles;
    behind += other.behind;
    return *this;
  }
};

/// What both searches ask: prices, and whether a memory has room at a moment.
class Offers {
 public:
  explicit Offers(const AssignmentProblem& given)
      : given_(given),
        bound_(given.problem, 1),
        first_(given.problem.buffers.size(), kNoMemory),
        last_(first_) {
    check(given.touched_bytes.size() == given.problem.buffers.size(), "a figure for each buffer");
    check(!given.memories.empty() && given.memories.size() < 128, "some memories");
    for_each_section(given.problem, [&](const std::vector<int>& live) {
      for (const int b : live) {
        if (first_[index(b)] == kNoMemory) first_[index(b)] = static_cast<int>(sections_.size());
        last_[index(b)] = static_cast<int>(sections_.size());
      }
      sections_.push_back(live);
    });
    const auto& offers = given.memories;
    waits_ = std::ranges::any_of(offers, [&](const MemoryOffer& m) {
      return m.cycles_per_byte != offers[0].cycles_per_byte;
    });
    by_speed_.resize(offers.size());
    std::iota(by_speed_.begin(), by_speed_.end(), 0);
    std::ranges::stable_sort(by_speed_, {},
                             [&](int m) { return offers[index(m)].cycles_per_byte; });
    for (size_t b = 0; b < first_.size(); ++b) {
      if (first_[b] != kNoMemory) hot_first_.push_back(static_cast<int>(b));
    }
    std::ranges::stable_sort(hot_first_, [&](int a, int b) {
      return std::pair(heat(a), size(a)) > std::pair(heat(b), size(b));
    });
  }

  [[nodiscard]] int64_t size(int b) const { return given_.problem.buffers[index(b)].size_bytes; }
  /// Touches per byte: what fast memory is worth to the buffer.
  [[nodiscard]] double heat(int b) const {
    if (!waits_) return 0;
    return static_cast<double>(given_.touched_bytes[index(b)]) / static_cast<double>(size(b));
  }
  [[nodiscard]] Price price(int b, int memory) const {
    return {static_cast<double>(given_.touched_bytes[index(b)]) * offer(memory).cycles_per_byte,
            static_cast<double>(size(b)) * memory};
  }
  [[nodiscard]] Price price(const std::vector<int>& where) const {
    Price sum;
    for (const int b : hot_first_) sum += price(b, where[index(b)]);
    return sum;
  }
  [[nodiscard]] const MemoryOffer& offer(int memory) const {
    return given_.memories[index(memory)];
  }
  /// Whether these may be live in it together.
  [[nodiscard]] bool has_room(int memory, const std::vector<int>& live) {
    work_ += std::ssize(live) + 1;
    return bound_(live, offer(memory).bytes) <= offer(memory).bytes;
  }
  /// Whether all that `where` has in a memory may, whenever b is live.
  [[nodiscard]] bool has_room_beside(int b, int memory, const std::vector<int>& where) {
    std::vector<int> live;
    for (int s = first(b); s <= last(b); ++s) {
      live.clear();
      for (const int other : section(s)) {
        if (where[index(other)] == memory) live.push_back(other);
      }
      if (!has_room(memory, live)) return false;
    }
    return true;
  }

  [[nodiscard]] int memories() const { return static_cast<int>(given_.memories.size()); }
  [[nodiscard]] int sections() const { return static_cast<int>(sections_.size()); }
  [[nodiscard]] const std::vector<int>& section(int s) const { return sections_[index(s)]; }
  [[nodiscard]] int first(int b) const { return first_[index(b)]; }
  [[nodiscard]] int last(int b) const { return last_[index(b)]; }
  [[nodiscard]] const std::vector<int>& by_speed() const { return by_speed_; }
  [[nodiscard]] const std::vector<int>& hot_first() const { return hot_first_; }
  [[nodiscard]] int64_t work() const { return work_; }

 private:
  const AssignmentProblem& given_;
  SectionBound bound_;
  std::vector<std::vector<int>> sections_;
  std::vector<int> first_, last_;  // sections of each buffer
  std::vector<int> by_speed_;      // memories
  std::vector<int> hot_first_;     // buffers that are live at all
  bool waits_ = false;             // some memory more than another
  int64_t work_ = 0;
};

/// The pass over time.
class Pass {
 public:
  Pass(Offers& offers, size_t most_states, std::optional<Price> known)
      : offers_(offers), most_states_(most_states), known_(known) {}

  std::optional<std::vector<int>> run(size_t buffers, const TimeLimit* time) {
    std::vector<std::vector<int>> born(index(offers_.sections()));
    for (const int b : offers_.hot_first()) born[index(offers_.first(b))].push_back(b);
    states_ = {State{}};
    for (int s = 0; s < offers_.sections(); ++s) {
      if (late(time)) {
        is_cut_ = true;
        return std::nullopt;
      }
      forget_before(s);
      for (const int b : born[index(s)]) {
        decide(b, s);
        if (states_.empty()) return std::nullopt;
      }
    }
    const auto best = std::ranges::min_element(
        states_, [](const State& a, const State& b) { return a.price.below(b.price); });
    std::vector<int> where(buffers, 0);
    for (int64_t d = best->decision; d >= 0; d = decisions_[static_cast<size_t>(d)].before) {
      const Decision& decision = decisions_[static_cast<size_t>(d)];
      where[index(decision.buffer)] = decision.memory;
    }
    return where;
  }

  /// Whether states were left out that might have led to a better answer.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

 private:
  struct State {
    std::string where;  ///< memory of each active buffer, in their order
    Price price = {};
    int64_t decision = -1;  ///< the last of those that led here
  };
  struct Decision {
    int buffer = 0, memory = 0;
    int64_t before = -1;
  };

  void forget_before(int section) {
    std::vector<size_t> kept;
    for (size_t k = 0; k < active_.size(); ++k) {
      if (offers_.last(active_[k]) >= section) kept.push_back(k);
    }
    if (kept.size() == active_.size()) return;
    std::vector<State> merged;
    std::unordered_map<std::string, size_t> known;
    for (State& state : states_) {
      std::string where;
      for (const size_t k : kept) where += state.where[k];
      state.where = std::move(where);
      const auto [at, is_new] = known.try_emplace(state.where, merged.size());
      if (is_new) {
        merged.push_back(std::move(state));
      } else if (state.price.below(merged[at->second].price)) {
        merged[at->second] = std::move(state);
      }
    }
    states_ = std::move(merged);
    std::vector<int> active;
    for (const size_t k : kept) active.push_back(active_[k]);
    active_ = std::move(active);
  }

  /// Two empty memories that offer the same are one choice.
  [[nodiscard]] bool is_like_an_earlier(const State& state, int memory) const {
    const auto is_empty = [&](int m) {
      return state.where.find(static_cast<char>(m)) == std::string::npos;
    };
    if (!is_empty(memory)) return false;
    for (int m = 0; m < memory; ++m) {
      if (offers_.offer(m) == offers_.offer(memory) && is_empty(m)) return true;
    }
    return false;
  }

  void decide(int b, int section) {
    std::vector<size_t> here;  // those of the active that are live now
    const std::vector<int>& live = offers_.section(section);
    for (size_t k = 0; k < active_.size(); ++k) {
      if (std::ranges::binary_search(live, active_[k])) here.push_back(k);
    }
    std::vector<State> next;
    std::vector<int> beside;
    for (const State& state : states_) {
      for (int m = 0; m < offers_.memories(); ++m) {
        if (is_like_an_earlier(state, m)) continue;
        State other = state;
        other.price += offers_.price(b, m);
        if (known_ && known_->below(other.price)) continue;
        beside.assign(1, b);
        for (const size_t k : here) {
          if (state.where[k] == static_cast<char>(m)) beside.push_back(active_[k]);
        }
        if (!offers_.has_room(m, beside)) continue;
        other.where += static_cast<char>(m);
        next.push_back(std::move(other));
      }
    }
    active_.push_back(b);
    if (next.size() > most_states_) {
      is_cut_ = true;
      const auto end = next.begin() + static_cast<std::ptrdiff_t>(most_states_);
      std::ranges::nth_element(next, end, [](const State& a, const State& c) {
        return std::tie(a.price.cycles, a.price.behind, a.where) <
               std::tie(c.price.cycles, c.price.behind, c.where);
      });
      next.erase(end, next.end());
    }
    for (State& state : next) {
      decisions_.push_back({b, state.where.back(), state.decision});
      state.decision = std::ssize(decisions_) - 1;
    }
    states_ = std::move(next);
  }

  Offers& offers_;
  const size_t most_states_;
  const std::optional<Price> known_;  // of an assignment that there is
  std::vector<int> active_;           // buffers that are live now or again later
  std::vector<State> states_;
  std::vector<Decision> decisions_;
  bool is_cut_ = false;
};

/// Each buffer into the fastest memory that has room beside those before it.
std::optional<std::vector<int>> hottest_first(Offers& offers, size_t buffers) {
  std::vector<int> where(buffers, kNoMemory);
  for (const int b : offers.hot_first()) {
    const auto found = std::ranges::find_if(offers.by_speed(), [&](int m) {
      where[index(b)] = m;
      return offers.has_room_beside(b, m, where);
    });
    if (found == offers.by_speed().end()) return std::nullopt;
  }
  std::ranges::replace(where, kNoMemory, 0);
  return where;
}

/// Exchanges: a buffer to a faster memory, and from there the coldest that are in its way.
class Exchanges {
 public:
  Exchanges(Offers& offers, std::vector<int> where, int64_t work)
      : offers_(offers), where_(std::move(where)), end_(offers.work() + work) {}

  std::vector<int> run(const TimeLimit* time) {
    for (bool better = true; better;) {
      better = false;
      for (const int b : offers_.hot_first()) {
        if (offers_.work() > end_ || late(time)) return where_;
        better = moved(b) || better;
      }
    }
    return where_;
  }

 private:
  bool moved(int b) {
    for (const int m : offers_.by_speed()) {
      if (m == where_[index(b)]) continue;
      if (!offers_.price(b, m).below(offers_.price(b, where_[index(b)]))) continue;
      std::vector<int> changed = where_;
      changed[index(b)] = m;
      if (!make_room(b, m, changed)) continue;
      if (!offers_.price(changed).below(offers_.price(where_))) continue;
      where_ = std::move(changed);
      return true;
    }
    return false;
  }

  /// Buffers in the way leave for the memory where they wait least and fit, the cheapest per byte
  /// first.
  bool make_room(int b, int memory, std::vector<int>& where) {
    if (offers_.has_room_beside(b, memory, where)) return true;
    std::vector<int> others;
    for (int s = offers_.first(b); s <= offers_.last(b); ++s) {
      for (const int other : offers_.section(s)) {
        if (other != b && where[index(other)] == memory) others.push_back(other);
      }
    }
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    std::ranges::stable_sort(others, {}, [&](int other) { return offers_.heat(other); });
    for (const int other : others) {
      const bool left = std::ranges::any_of(offers_.by_speed(), [&](int m) {
        if (m == memory) return false;
        where[index(other)] = m;
        return offers_.has_room_beside(other, m, where);
      });
      if (!left) {
        where[index(other)] = memory;
        continue;
      }
      if (offers_.has_room_beside(b, memory, where)) return true;
    }
    return false;
  }

  Offers& offers_;
  std::vector<int> where_;
  const int64_t end_;
};

}  // namespace

std::optional<Assignment> assign_memories(const AssignmentProblem& given, int64_t work,
                                          const TimeLimit* time) {
  const size_t buffers = given.problem.buffers.size();
  Offers offers(given);
  std::optional<std::vector<int>> best = hottest_first(offers, buffers);
  int64_t looks = 1;  // at buffers, for one state
  for (int s = 0; s < offers.sections(); ++s) looks += std::ssize(offers.section(s));
  const size_t most_states =
      std::clamp(static_cast<size_t>(work / looks / offers.memories()), kFewestKept, kMostKept);
  Pass pass(offers, most_states, best ? std::optional(offers.price(*best)) : std::nullopt);
  if (auto found = pass.run(buffers, time);
      found && (!best || offers.price(*found).below(offers.price(*best))))
    best = std::move(found);
  if (best && pass.is_cut()) best = Exchanges(offers, std::move(*best), work).run(time);
  if (!best) return std::nullopt;
  return Assignment{.memories = *best,
                    .wait_cycles = offers.price(*best).cycles,
                    .proven_optimal = !pass.is_cut()};
}

}  // namespace thimble::layout
