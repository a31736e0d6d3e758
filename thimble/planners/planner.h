// SPDX-License-Identifier: Apache-2.0
// A planner: a function from a Graph and Limits to Plans and what they come to, or to "no, and this
// is the bound". registry.h has all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/model/time_limit.h"
#include "thimble/plan/front.h"
#include "thimble/plan/note.h"
#include "thimble/plan/reside.h"
#include "thimble/planners/planner_options.h"
#include "thimble/target/core.h"

namespace thimble {

/// Portable kernels alone, as a Cortex-M4 executes them.
[[nodiscard]] Core core_of_estimates();

/// What the user allows.
struct Limits {
  std::optional<int64_t> sram_bytes;      ///< of the arena; with further memories, of all together
  UsableMemories memories;                ///< of plans
  std::optional<ScheduleMemory> storage;  ///< block storage that a plan may use; nothing: any
  TransferCycles storage_cycles;          ///< of it
  std::optional<TransferEnergy> storage_energy;  ///< of it, where it is known
  /// Records there are compressed, in chunks of about so many bytes; 0: they are not.
  int64_t storage_chunk_bytes = 0;
  std::optional<double> max_recompute;  ///< MACs beyond the network's, as a ratio of them
  bool in_place = true;                 ///< outputs over inputs that are no longer needed
  PortPlaces ports;                     ///< what is not resident costs nothing
  const TimeLimit* time = nullptr;      ///< past it, the best answer so far
  Core core = core_of_estimates();      ///< whose kernels there are, and whose model estimates
  LayoutMethod layout = LayoutMethod::kExact;
  /// Of flash, for packed constants: more than that come from the storage. Nothing: all are in
  /// flash.
  std::optional<int64_t> weight_bytes = {};
  bool any_weights = true;  ///< formats of weights other than the core's may be taken
  int jobs = 1;             ///< threads of the search, which make no difference to what it finds

  // Limits of `auto` alone.
  /// Estimated instructions, as a ratio of the fastest plan's; infinity: any number.
  double max_latency = 1.25;
  int64_t effort = 1;  ///< of the search: work grows in proportion, about; 0: little
};

/// What a planner decided, before it has kernels and addresses.
struct Decision {
  Plan plan;
  std::vector<Note> notes;        ///< for the report
  int64_t lower_bound_bytes = 0;  ///< of the peak, over all that this planner could have answered
  bool proven_optimal = false;    ///< the peak meets it
  std::string scale_source;       ///< of the plan's accumulators: where their scales are from
  /// As much may be live where there is no limit on it, for the scratch of fast kernels.
  std::optional<int64_t> live_bytes;
};

/// A plan, and what it comes to.
struct PricedPlan {
  RealisedPlan realised;
  std::vector<Note> notes;
  int64_t needed_macs = 0;  ///< of the network

  [[nodiscard]] const Plan& plan() const { return realised.plan; }
  [[nodiscard]] const MemoryPlacement& arena() const { return realised.placement.arena(); }
  [[nodiscard]] FrontFigures figures() const {
    return {arena().size_bytes, realised.instructions + realised.wait_cycles,
            realised.macs - needed_macs};
  }
};

struct Planned {
  /// Fewest bytes first, none as good as another; whatever the limits on bytes and time.
  std::vector<PricedPlan> front;
  size_t chosen = 0;              ///< by the limits
  bool has_choice = false;        ///< the planner has more than one answer
  int64_t lower_bound_bytes = 0;  ///< as Decision has them
  bool proven_optimal = false;
  std::string scale_source;

  [[nodiscard]] const PricedPlan& best() const { return front[chosen]; }
  [[nodiscard]] const Schedule& schedule() const { return best().realised.schedule; }
};

/// "No": even the best that this planner can do needs more than the limits allow.
struct Infeasible {
  int64_t lower_bound_bytes = 0;  ///< of SRAM; 0: not what is lacking
  std::string reason;
  int64_t flash_lower_bound_bytes = 0;  ///< of the weights; 0: not what is lacking
};

/// Without points yet.
[[nodiscard]] Front front_within(const Limits& limits);
/// The plans that no other is as good as, and the one that the limits choose; never empty.
[[nodiscard]] Planned front_of(const Limits& limits, std::vector<PricedPlan> plans);
/// The plans with a format of weights for each operator: those that are fastest together within so
/// many bytes of flash; the smallest, if none are. Where the core has several.
[[nodiscard]] Planned with_weights(const Graph& graph, const Limits& limits, Planned planned,
                                   int64_t weight_bytes);
/// The plans spread over the limits' memories: those that fit, of which the fastest is chosen; as
/// they were, if none does.
[[nodiscard]] Planned with_memories(const Graph& graph, const Limits& limits, Planned planned);
/// The plans, which were made for ports of the caller's, with these like all other buffers: in the
/// arena, until with_memories finds places for them.
[[nodiscard]] Planned with_resident_ports(const Graph& graph, const Limits& limits,
                                          Planned planned);
/// With kernels and addresses, within the limits if it can be.
[[nodiscard]] Planned finished(const Graph& graph, const Limits& limits, Decision decision);

using PlannerAnswer = std::variant<Planned, Infeasible>;
using PlannerDecision = std::variant<Decision, Infeasible>;

/// Whether plans have tensors in block storage.
enum class Spills : uint8_t { kNever, kWhereAsked, kAlways };

struct Planner {
  const char* name;
  const char* summary;                         ///< one sentence, with the paper
  std::map<std::string, std::string> options;  ///< key -> what it means, with its default
  /// A planner has `decide` or, if it searches several plans, `search`.
  PlannerDecision (*decide)(const Graph& graph, const Limits& limits,
                            const PlannerOptions& options) = nullptr;
  PlannerAnswer (*search)(const Graph& graph, const Limits& limits,
                          const PlannerOptions& options) = nullptr;
  Spills spills = Spills::kNever;
  bool streams = false;  ///< can receive the input, and deliver the output, row by row

  /// With kernels and addresses. Throws CompileError where rows cannot be streamed, by this planner
  /// or in this network.
  [[nodiscard]] PlannerAnswer plan(const Graph& graph, const Limits& limits,
                                   const PlannerOptions& options) const;
};

}  // namespace thimble
