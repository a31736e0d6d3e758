// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "thimble/plan/layout_problems.h"

namespace thimble {
namespace {

/// Banks that touch.
struct Run {
  Bank bank;
  size_t memory = 0;  ///< of the target: the one of its first bank
};

std::vector<Run> runs_of(const Target& target, const std::function<bool(MemoryKind)>& kinds) {
  std::vector<Run> banks, runs;
  for (size_t m = 0; m < target.memories.size(); ++m) {
    if (!kinds(target.memories[m].kind)) continue;
    for (const Bank& bank : target.memories[m].banks) banks.push_back({bank, m});
  }
  std::ranges::sort(banks, {}, [](const Run& run) { return run.bank.base; });
  for (const Run& next : banks) {
    if (!runs.empty() && runs.back().bank.base + runs.back().bank.size_bytes == next.bank.base) {
      runs.back().bank.size_bytes += next.bank.size_bytes;
    } else {
      runs.push_back(next);
    }
  }
  std::ranges::stable_sort(runs, {}, &Run::memory);
  return runs;
}

// An identifier in lower case; numbered where it is taken.
std::string memory_name(const std::string& text, std::set<std::string>& taken) {
  constexpr size_t kMostLetters = 20;
  std::string name;
  for (const char c : text.substr(0, kMostLetters)) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const bool digit = lower >= '0' && lower <= '9', letter = lower >= 'a' && lower <= 'z';
    if (name.empty() && !letter) name += "m_";
    name += letter || digit ? lower : '_';
  }
  std::string free = name;
  for (int number = 2; !taken.insert(free).second; ++number)
    free = fmt::format("{}_{}", name, number);
  return free;
}

class Spreader {
 public:
  Spreader(const Graph& graph, const Schedule& schedule,
           const std::vector<ScheduleMemory>& memories, const PlacementOptions& options)
      : graph_(graph),
        options_(options),
        problems_(graph, schedule, KernelUses(graph)),
        result_{.schedule = schedule, .placement = {}},
        where_(memories_of_buffers(schedule)) {
    result_.schedule.memories = memories;
    for (const ScheduleMemory& memory : memories)
      capacity_.push_back(memory.capacity_bytes.value_or(INT64_MAX));
    for_each_step(schedule, [&](const Step&, Position position) { steps_ = position + 1; });
    for (size_t m = 0; m < memories.size(); ++m) excess_.push_back(excess(id(m)));
  }

  std::optional<SpreadSchedule> run() {
    constexpr int kMostRounds = 8;
    for (int round = 0; round < kMostRounds; ++round) {
      while (const std::optional<Move> move = best_move()) apply(*move);
      if (total_excess() > 0) return std::nullopt;
      for (const StateBuffers& state : result_.schedule.states)
        where_[state.out.index()] = where_[state.in.index()];
      for (size_t b = 0; b < where_.size(); ++b) result_.schedule.buffers[b].memory = where_[b];
      result_.placement = place(graph_, result_.schedule, options_);
      if (!beyond_capacity(result_.schedule, result_.placement)) return std::move(result_);
      leave_room();
    }
    return std::nullopt;
  }

 private:
  struct Move {
    size_t buffer = 0;
    MemoryId to;
    double gain = 0;  ///< bytes beyond capacity, summed over steps
  };

  static MemoryId id(size_t m) { return {static_cast<int32_t>(m)}; }

  double total_excess() const {
    double sum = 0;
    for (const double e : excess_) sum += e;
    return sum;
  }

  std::vector<int64_t> live(MemoryId memory) {
    work_ += where_.size();
    return layout::live_bounds(problems_.of(memory, where_, true), steps_);
  }

  double excess(MemoryId memory) {
    if (!is_laid_out(memory)) return 0;
    double sum = 0;
    for (const int64_t bytes : live(memory))
      sum += static_cast<double>(std::max<int64_t>(0, bytes - capacity_[memory.index()]));
    return sum;
  }

  // Where the layout needs more than what is live, the next round moves that much more.
  void leave_room() {
    for (size_t m = 0; m < capacity_.size(); ++m) {
      const std::optional<int64_t> capacity = result_.schedule.memories[m].capacity_bytes;
      const int64_t size = result_.placement.memories[m].size_bytes;
      if (!capacity || size <= *capacity) continue;
      capacity_[m] -= size - *capacity;
      excess_[m] = excess(id(m));
    }
  }

  // The largest of those live while too much is.
  std::vector<size_t> candidates() {
    constexpr size_t kMost = 24;
    std::vector<size_t> result;
    for (size_t m = 0; m < capacity_.size(); ++m) {
      if (excess_[m] == 0) continue;
      const std::vector<int64_t> bytes = live(id(m));
      for (size_t b = 0; b < where_.size(); ++b) {
        const LiveRange& life = problems_.lives()[b];
        const auto end = std::min<Position>(life.end, static_cast<Position>(bytes.size()));
        const bool matters =
            where_[b] == id(m) && life.begin < end &&
            std::any_of(bytes.begin() + life.begin, bytes.begin() + end,
                        [&](int64_t live_bytes) { return live_bytes > capacity_[m]; });
        if (matters) result.push_back(b);
      }
    }
    std::ranges::stable_sort(result, std::greater<>(), [&](size_t b) { return size_bytes(b); });
    if (result.size() > kMost) result.resize(kMost);
    return result;
  }

  int64_t size_bytes(size_t b) const { return result_.schedule.buffers[b].size_bytes(); }

  // Work is counted in buffers looked at: some seconds.
  std::optional<Move> best_move() {
    constexpr size_t kMostWork = 4'000'000;
    std::optional<Move> best;
    const auto rank = [&](const Move& move) {
      return std::tuple(move.gain, -size_bytes(move.buffer));
    };
    for (const size_t b : candidates()) {
      for (size_t m = 0; m < capacity_.size(); ++m) {
        if (work_ > kMostWork || late(options_.time)) return std::nullopt;
        if (!is_laid_out(id(m)) || id(m) == where_[b] || size_bytes(b) > capacity_[m]) continue;
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

  const Graph& graph_;
  const PlacementOptions options_;
  const LayoutProblems problems_;
  SpreadSchedule result_;
  std::vector<MemoryId> where_;    // by buffer
  std::vector<int64_t> capacity_;  // by memory: what may be live there
  std::vector<double> excess_;     // by memory
  Position steps_ = 0;
  size_t work_ = 0;
};

}  // namespace

std::vector<ScheduleMemory> schedule_memories(const Target& target, bool external_ram) {
  std::vector<ScheduleMemory> result = common_memories();
  std::vector<Run> runs = runs_of(target, [](MemoryKind kind) { return on_chip(kind); });
  const auto largest =
      std::ranges::max_element(runs, {}, [](const Run& run) { return run.bank.size_bytes; });
  if (largest == runs.end()) return result;
  std::set<std::string> taken;
  for (const ScheduleMemory& memory : result) taken.insert(memory.name);
  const Memory& first = target.memories[largest->memory];
  taken.insert(first.name);
  result[kArena.index()].kind = first.kind;
  result[kArena.index()].capacity_bytes = std::min(largest->bank.size_bytes, kMostMemoryBytes);
  runs.erase(largest);
  if (external_ram) {
    const auto outside = [](MemoryKind kind) { return kind == MemoryKind::kExternalRam; };
    const std::vector<Run> external = runs_of(target, outside);
    runs.insert(runs.end(), external.begin(), external.end());
  }
  if (runs.size() > kMostMemories - result.size()) runs.resize(kMostMemories - result.size());
  for (const Run& run : runs) {
    const Memory& memory = target.memories[run.memory];
    result.push_back({.name = memory_name(memory.name, taken),
                      .kind = memory.kind,
                      .capacity_bytes = std::min(run.bank.size_bytes, kMostMemoryBytes),
                      .alignment = std::clamp(memory.alignment, ScheduleMemory().alignment,
                                              kMostMemoryAlignment)});
  }
  return result;
}

std::optional<SpreadSchedule> spread(const Graph& graph, const Schedule& schedule,
                                     const std::vector<ScheduleMemory>& memories,
                                     const PlacementOptions& options) {
  return Spreader(graph, schedule, memories, options).run();
}

}  // namespace thimble
