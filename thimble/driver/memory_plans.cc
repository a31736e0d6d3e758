// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/memory_plans.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "thimble/driver/device_memories.h"

namespace thimble {
namespace {

const PricedPlan* best_of(const AnswerWithin& found) {
  const auto* planned = std::get_if<Planned>(&found.answer);
  return planned == nullptr ? nullptr : &planned->best();
}

bool fits(const AnswerWithin& found) {
  const PricedPlan* best = best_of(found);
  if (best == nullptr) return false;
  const bool has_place = !found.limits.memories.has_several() || !best->plan().residences.empty();
  const std::optional<int64_t>& most = found.limits.sram_bytes;
  return has_place && (!most || best->arena().size_bytes <= *most);
}

/// Estimated, with what the core waits for slow memories.
double cycles(const AnswerWithin& found) { return best_of(found)->figures().instructions; }

// Estimates are not exact enough for less to mean anything, and code is simpler with fewer
// memories.
constexpr double kLeastGain = 0.01;

bool is_better(const AnswerWithin& wider, const AnswerWithin& found) {
  if (best_of(found) == nullptr) return true;
  if (!fits(wider)) return false;
  return !fits(found) || cycles(wider) < cycles(found) * (1 - kLeastGain);
}

/// Such a port cannot be the caller's.
bool is_input_and_output(const Graph& graph, const Port& port) {
  return std::ranges::find(graph.outputs, port.tensor, &Port::tensor) != graph.outputs.end();
}

/// Plans of one planner in more and more of a device's memories.
class PlansOfMemories {
 public:
  PlansOfMemories(const PlannerChoice& choice, const Graph& graph, const Limits& limits)
      : choice_(choice), graph_(graph), limits_(limits) {}

  /// The arena alone.
  void plan_in(UsableMemories arena) {
    found_.limits = limits_;
    found_.limits.memories = std::move(arena);
    found_.answer = plan(found_.limits);
    const auto* planned = std::get_if<Planned>(&found_.answer);
    if (planned == nullptr) return;
    fastest_ = planned->front.back().figures().instructions;
    if (fits(found_) && !is_good_enough()) in_arena_ = *planned;
  }
  /// Where the arena is large enough for some plan, its faster ones are looked at again with places
  /// for all of their buffers; else the planner is asked for plans within the sum.
  void plan_in_more(UsableMemories memories) {
    AnswerWithin next = within(std::move(memories));
    next.answer = in_arena_ ? with_memories(graph_, next.limits, *in_arena_) : plan(next.limits);
    take_if_better(std::move(next));
  }
  /// The arena is planned as if the ports had another place, and then they get one.
  void plan_beside_ports(UsableMemories memories) {
    Limits beside = limits_;
    beside.sram_bytes = memories.usable_bytes[kArena.index()];
    beside.ports = {Place::kUser, Place::kUser};
    PlannerAnswer answer = plan(beside);
    auto* planned = std::get_if<Planned>(&answer);
    if (planned == nullptr) return;
    AnswerWithin next = within(std::move(memories));
    next.answer = with_memories(graph_, next.limits,
                                with_resident_ports(graph_, next.limits, std::move(*planned)));
    take_if_better(std::move(next));
  }

  /// No plan can be much faster, as far as the planner knows.
  [[nodiscard]] bool is_good_enough() const {
    return fits(found_) && cycles(found_) * (1 - kLeastGain) <= fastest_;
  }
  [[nodiscard]] AnswerWithin take() { return std::move(found_); }

 private:
  [[nodiscard]] PlannerAnswer plan(const Limits& limits) const {
    return choice_.planner->plan(graph_, limits, choice_.options);
  }
  [[nodiscard]] AnswerWithin within(UsableMemories memories) const {
    AnswerWithin next{.answer = {}, .limits = limits_};
    next.limits.sram_bytes = usable_bytes(memories);
    next.limits.memories = std::move(memories);
    return next;
  }
  void take_if_better(AnswerWithin next) {
    if (is_better(next, found_)) found_ = std::move(next);
  }

  const PlannerChoice& choice_;
  const Graph& graph_;
  const Limits& limits_;
  AnswerWithin found_;
  std::optional<Planned> in_arena_;  // if it fits there
  double fastest_ = 0;               // of the first answer, if all of it fitted
};

}  // namespace

AnswerWithin planned_in_memories(const PlannerChoice& choice, const Graph& graph,
                                 const Limits& limits, std::vector<UsableMemories> memories,
                                 const std::function<bool()>& go_on) {
  PlansOfMemories plans(choice, graph, limits);
  plans.plan_in(memories[0]);
  const auto is_worth_it = [&] { return !plans.is_good_enough() && go_on(); };
  for (size_t k = 1; k < memories.size() && is_worth_it(); ++k) plans.plan_in_more(memories[k]);
  const bool spills = choice.planner->spills == Spills::kAlways || limits.storage.has_value();
  const bool may_lie_elsewhere = limits.ports == PortPlaces{} && !spills &&
                                 std::ranges::none_of(graph.inputs, [&](const Port& in) {
                                   return is_input_and_output(graph, in);
                                 });
  if (memories.size() > 1 && may_lie_elsewhere && is_worth_it())
    plans.plan_beside_ports(std::move(memories.back()));
  return plans.take();
}

}  // namespace thimble
