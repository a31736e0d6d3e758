// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/reside.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "thimble/analysis/traffic.h"
#include "thimble/plan/build.h"
#include "thimble/plan/layout_problems.h"

namespace thimble {
namespace {

constexpr size_t kMostWork = 4'000'000;  // buffers looked at: some seconds
constexpr int kMostRounds = 8;
constexpr size_t kMostCandidates = 24;

MemoryId id(size_t m) { return {static_cast<int32_t>(m)}; }

class Housing {
 public:
  Housing(const Graph& graph, const RealisedPlan& plan, const UsableMemories& usable,
          const PlacementOptions& options)
      : graph_(graph),
        plan_(plan),
        schedule_(plan.schedule),
        memories_(usable.memories),
        options_(options),
        own_(graph),
        problems_(graph, schedule_, options.uses == nullptr ? own_ : *options.uses),
        where_(memories_of_buffers(schedule_)),
        fixed_(where_.size()),
        limits_(usable.usable_bytes) {
    limits_.resize(memories_.size(), std::numeric_limits<int64_t>::max());
    usable_ = limits_;
    for (size_t b = 0; b < where_.size(); ++b) fixed_[b] = !is_laid_out(where_[b]);
    for (size_t m = 0; m < memories_.size(); ++m) {
      if (memories_[m].name == kStateMemory) keep_states_in(m);
    }
    for_each_step(schedule_, [&](const Step&, Position position) { steps_ = position + 1; });
    for (size_t m = 0; m < memories_.size(); ++m) excess_.push_back(excess(id(m)));
    waits_ = std::ranges::any_of(memories_, [](const auto& m) { return m.wait_cycles > 0; });
    if (waits_) traffic_ = traffic(graph, schedule_);
  }

  std::optional<RealisedPlan> run() {
    for (int round = 0; round < kMostRounds; ++round) {
      while (const std::optional<Move> move = best_move()) apply(*move);
      if (total_excess() > 0) return std::nullopt;
      if (waits_) warm_up();
      RealisedPlan result = plan_;
      result.plan.memories = memories_;
      for (const MemoryId memory : joined_states())
        result.plan.residences.push_back({{memory, {0, steps_}}});
      result.schedule = with_residences(schedule_, result.plan);
      result.placement = place(graph_, result.schedule, options_);
      if (waits_) result.wait_cycles = wait_cycles(graph_, result.schedule);
      if (!exceeds_limits(result.placement)) return result;
    }
    return std::nullopt;
  }

 private:
  struct Move {
    size_t buffer = 0;
    MemoryId to;
    double gain = 0;  ///< bytes beyond what is usable, summed over steps
  };

  void keep_states_in(size_t memory) {
    for (const StateBuffers& state : schedule_.states) {
      for (const BufferId buffer : {state.in, state.out}) {
        where_[buffer.index()] = id(memory);
        fixed_[buffer.index()] = true;
      }
    }
    apart_ = id(memory);
  }

  /// Both values of a variable lie at one address.
  [[nodiscard]] std::vector<MemoryId> joined_states() const {
    std::vector<MemoryId> where = where_;
    for (const StateBuffers& state : schedule_.states)
      where[state.out.index()] = where[state.in.index()];
    return where;
  }

  [[nodiscard]] double total_excess() const {
    double sum = 0;
    for (const double e : excess_) sum += e;
    return sum;
  }

  std::vector<int64_t> live(MemoryId memory) {
    work_ += where_.size();
    return layout::live_bounds(problems_.problem_of(memory, where_, true), steps_);
  }

  double excess(MemoryId memory) {
    if (!is_laid_out(memory) || memory == apart_) return 0;
    double sum = 0;
    for (const int64_t bytes : live(memory))
      sum += static_cast<double>(std::max<int64_t>(0, bytes - usable_[memory.index()]));
    return sum;
  }

  /// Where the layout needs more than what is live, the next round moves that much more.
  bool exceeds_limits(const Placement& placement) {
    bool beyond = false;
    for (size_t m = 0; m < usable_.size(); ++m) {
      const int64_t size = placement.memories[m].size_bytes;
      if (size <= limits_[m]) continue;
      beyond = true;
      usable_[m] -= size - limits_[m];
      excess_[m] = excess(id(m));
    }
    return beyond;
  }

  [[nodiscard]] bool may_hold(MemoryId memory, size_t b) const {
    return is_laid_out(memory) && memory != apart_ && memory != where_[b] && !fixed_[b] &&
           size_bytes(b) <= usable_[memory.index()];
  }

  /// The largest of those live while too much is.
  std::vector<size_t> candidates() {
    std::vector<size_t> result;
    for (size_t m = 0; m < usable_.size(); ++m) {
      if (excess_[m] == 0) continue;
      const std::vector<int64_t> bytes = live(id(m));
      for (size_t b = 0; b < where_.size(); ++b) {
        const LiveRange& life = problems_.lives()[b];
        const auto end = std::min<Position>(life.end, static_cast<Position>(bytes.size()));
        const bool matters =
            where_[b] == id(m) && !fixed_[b] && life.begin < end &&
            std::any_of(bytes.begin() + life.begin, bytes.begin() + end,
                        [&](int64_t live_bytes) { return live_bytes > usable_[m]; });
        if (matters) result.push_back(b);
      }
    }
    std::ranges::stable_sort(result, std::greater<>(), [&](size_t b) { return size_bytes(b); });
    if (result.size() > kMostCandidates) result.resize(kMostCandidates);
    return result;
  }

  [[nodiscard]] int64_t size_bytes(size_t b) const { return schedule_.buffers[b].size_bytes(); }
  [[nodiscard]] bool enough() const { return work_ > kMostWork || late(options_.time); }

  std::optional<Move> best_move() {
    std::optional<Move> best;
    const auto rank = [&](const Move& move) {
      return std::tuple(move.gain, -size_bytes(move.buffer));
    };
    for (const size_t b : candidates()) {
      for (size_t m = 0; m < usable_.size(); ++m) {
        if (enough()) return std::nullopt;
        if (!may_hold(id(m), b)) continue;
        const Move move{b, id(m), gain(b, id(m))};
        if (move.gain <= 0) continue;
        if (!best || rank(move) > rank(*best)) best = move;
        break;
      }
    }
    return best;
  }

  double gain(size_t b, MemoryId to) {
    const MemoryId from = where_[b];
    where_[b] = to;
    const double after = excess(from) + excess(to);
    where_[b] = from;
    return excess_[from.index()] + excess_[to.index()] - after;
  }

  void apply(const Move& move) {
    const MemoryId from = where_[move.buffer];
    where_[move.buffer] = move.to;
    for (const MemoryId memory : {from, move.to}) excess_[memory.index()] = excess(memory);
  }

  [[nodiscard]] double wait(size_t b, MemoryId memory) const {
    return static_cast<double>(traffic_[b]) * memories_[memory.index()].wait_cycles;
  }

  /// What waits most moves first, into the fastest memory that can be made to hold it.
  void warm_up() {
    for (bool better = true; better && !enough();) {
      better = false;
      std::vector<size_t> slow;
      for (size_t b = 0; b < where_.size(); ++b) {
        if (!fixed_[b] && wait(b, where_[b]) > 0) slow.push_back(b);
      }
      std::ranges::stable_sort(slow, std::greater<>(),
                               [&](size_t b) { return wait(b, where_[b]); });
      std::vector<size_t> memories(usable_.size());
      for (size_t m = 0; m < memories.size(); ++m) memories[m] = m;
      std::ranges::stable_sort(memories, {}, [&](size_t m) { return memories_[m].wait_cycles; });
      for (const size_t b : slow) {
        for (const size_t m : memories) {
          if (enough() || wait(b, id(m)) >= wait(b, where_[b])) break;
          if (!may_hold(id(m), b) || !exchange(b, id(m))) continue;
          better = true;
          break;
        }
      }
    }
  }

  /// Moves b, and from there what waits less for each byte, until all fits; or changes nothing.
  bool exchange(size_t b, MemoryId to) {
    const std::vector<MemoryId> before = where_;
    const MemoryId from = where_[b];
    where_[b] = to;
    double saved = wait(b, from) - wait(b, to);
    double beyond = excess(to);
    if (beyond > 0) {
      std::vector<size_t> cold;
      const LiveRange& life = problems_.lives()[b];
      for (size_t c = 0; c < where_.size(); ++c) {
        const LiveRange& other = problems_.lives()[c];
        const bool meets = other.begin < life.end && life.begin < other.end;
        if (c != b && where_[c] == to && !fixed_[c] && meets && traffic_[c] < traffic_[b])
          cold.push_back(c);
      }
      std::ranges::stable_sort(cold, {}, [&](size_t c) { return traffic_[c]; });
      for (const size_t c : cold) {
        const double lost = wait(c, from) - wait(c, to);
        if (beyond == 0 || lost >= saved || enough()) break;
        where_[c] = from;
        const double left = excess(to);
        if (left >= beyond) {
          where_[c] = to;
          continue;
        }
        beyond = left;
        saved -= lost;
      }
    }
    if (beyond > 0 || excess(from) > 0) {
      where_ = before;
      return false;
    }
    return true;
  }

  const Graph& graph_;
  const RealisedPlan& plan_;
  const Schedule& schedule_;
  const std::vector<ScheduleMemory>& memories_;
  const PlacementOptions options_;
  const KernelUses own_;
  const LayoutProblems problems_;
  std::vector<MemoryId> where_;   // by buffer
  std::vector<bool> fixed_;       // by buffer: ports elsewhere, states apart
  std::vector<int64_t> traffic_;  // by buffer: bytes
  std::vector<int64_t> limits_;   // by memory: what a layout may take
  std::vector<int64_t> usable_;   // by memory: what may be live, as layouts need more
  std::vector<double> excess_;    // by memory
  MemoryId apart_;                // the memory that only states use; invalid: none
  bool waits_ = false;            // some memory is slower than instructions
  Position steps_ = 0;
  size_t work_ = 0;
};

}  // namespace

std::optional<RealisedPlan> resident(const Graph& graph, const RealisedPlan& plan,
                                     const UsableMemories& usable,
                                     const PlacementOptions& options) {
  return Housing(graph, plan, usable, options).run();
}

}  // namespace thimble
