// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/reside.h"

#include <algorithm>
#include <limits>

#include "thimble/analysis/traffic.h"
#include "thimble/layout/assign_memories.h"
#include "thimble/plan/build.h"
#include "thimble/plan/layout_problems.h"

namespace thimble {
namespace {

constexpr int kMostRounds = 8;

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
        limits_(usable.usable_bytes) {
    limits_.resize(memories_.size(), std::numeric_limits<int64_t>::max());
    for (size_t m = 0; m < memories_.size(); ++m) {
      if (!is_laid_out(id(m))) continue;
      if (memories_[m].name == kStateMemory) {
        for (const StateBuffers& state : schedule_.states)
          where_[state.in.index()] = where_[state.out.index()] = id(m);
        continue;
      }
      offered_.push_back(id(m));
      choice_.memories.push_back({limits_[m], memories_[m].wait_cycles});
    }
    for_each_step(schedule_, [&](const Step&, Position position) { steps_ = position + 1; });
    choice_.problem = problems_.problem_of(kArena, where_, true);
    choice_.touched_bytes.resize(where_.size());
    waits_ = std::ranges::any_of(memories_, [](const auto& m) { return m.wait_cycles > 0; });
    if (!waits_) return;
    choice_.touched_bytes = traffic(graph, schedule_);
    for (const StateBuffers& state : schedule_.states)  // one buffer
      choice_.touched_bytes[state.in.index()] += choice_.touched_bytes[state.out.index()];
  }

  std::optional<RealisedPlan> run() {
    for (int round = 0; round < kMostRounds; ++round) {
      const std::optional<layout::Assignment> found =
          assign_memories(choice_, layout::kAssignmentWork, options_.time);
      if (!found) return std::nullopt;
      RealisedPlan result = plan_;
      result.plan.memories = memories_;
      for (const MemoryId memory : residences_of(*found))
        result.plan.residences.push_back({{memory, {0, steps_}}});
      result.schedule = with_residences(schedule_, result.plan);
      result.placement = place(graph_, result.schedule, options_);
      if (waits_) result.wait_cycles = wait_cycles(graph_, result.schedule);
      if (!exceeds_limits(result.placement)) return result;
    }
    return std::nullopt;
  }

 private:
  /// By buffer; both values of a variable lie at one address.
  [[nodiscard]] std::vector<MemoryId> residences_of(const layout::Assignment& found) const {
    std::vector<MemoryId> where = where_;
    for (size_t b = 0; b < where.size(); ++b) {
      if (where[b] == kArena) where[b] = offered_[static_cast<size_t>(found.memories[b])];
    }
    for (const StateBuffers& state : schedule_.states)
      where[state.out.index()] = where[state.in.index()];
    return where;
  }

  /// Where the layout needs more than what is live, the next round has that much less to offer.
  bool exceeds_limits(const Placement& placement) {
    bool beyond = false;
    for (size_t k = 0; k < offered_.size(); ++k) {
      const int64_t size = placement.memory(offered_[k]).size_bytes;
      const int64_t limit = limits_[offered_[k].index()];
      if (size <= limit) continue;
      beyond = true;
      choice_.memories[k].bytes -= size - limit;
    }
    return beyond;
  }

  const Graph& graph_;
  const RealisedPlan& plan_;
  const Schedule& schedule_;
  const std::vector<ScheduleMemory>& memories_;
  const PlacementOptions options_;
  const KernelUses own_;
  const LayoutProblems problems_;
  std::vector<MemoryId> where_;    // by buffer: ports elsewhere, states apart; what is to be
                                   // decided in the arena
  std::vector<int64_t> limits_;    // by memory: what a layout may take
  std::vector<MemoryId> offered_;  // memories of choice_
  layout::AssignmentProblem choice_;
  bool waits_ = false;  // some memory is slower than instructions
  Position steps_ = 0;
};

}  // namespace

std::optional<RealisedPlan> resident(const Graph& graph, const RealisedPlan& plan,
                                     const UsableMemories& usable,
                                     const PlacementOptions& options) {
  return Housing(graph, plan, usable, options).run();
}

}  // namespace thimble
