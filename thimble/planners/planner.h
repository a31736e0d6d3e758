// SPDX-License-Identifier: Apache-2.0
// Planners: functions from a Graph and Limits to the Schedule of a Plan, or to "no, and this is the
// bound".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/model/time_limit.h"
#include "thimble/plan/note.h"
#include "thimble/plan/plan.h"
#include "thimble/schedule/schedule.h"
#include "thimble/target/core.h"

namespace thimble {

/// What the user allows.
struct Limits {
  std::optional<int64_t> sram_bytes;
  std::optional<double> max_recompute;  ///< MACs beyond the network's, as a ratio of them
  bool in_place = true;                 ///< outputs over inputs that are no longer needed
  PortPlaces ports;                     ///< what is not resident costs nothing
  const TimeLimit* time = nullptr;      ///< past it, the best answer so far

  // Of `auto` alone.
  /// Estimated instructions, as a ratio of the fastest plan's; infinity: any number.
  double max_latency = 1.25;
  int64_t effort = 1;                   ///< of the search: work grows in proportion, about
  Core core = core_named("cortex-m4");  ///< whose latency model estimates
};

/// key=value pairs behind the planner's name.
using PlannerOptions = std::map<std::string, std::string>;

/// One of several answers, none of which is better than another in all respects.
struct FrontPoint {
  Schedule schedule;
  std::vector<Note> notes;
  int64_t arena_bytes = 0;        ///< as the planner laid it out
  int64_t lower_bound_bytes = 0;  ///< of all layouts
  double instructions = 0;        ///< estimated; without a latency model, MACs
  int64_t recomputed_macs = 0;
};

struct Planned {
  Schedule schedule;
  int64_t lower_bound_bytes = 0;  ///< of the peak, over all that this planner could have answered
  bool proven_optimal = false;    ///< the peak meets it
  /// Sums of less than 32 bits that the schedule was made for: it is one of the graph with these.
  std::vector<Accumulator> accumulators;
  std::string scale_source;  ///< of the accumulators: where their scales are from
  std::vector<Note> notes;   ///< for the report
  /// The arena may have as much where there is no limit on it, for the scratch of fast kernels.
  std::optional<int64_t> room_bytes;
  Plan plan;  ///< that the schedule was built from; `auto` leaves it empty
  /// Of `auto`: all that it found, fewest bytes first; whatever the limits on bytes and time.
  std::vector<FrontPoint> front;
};

/// "No": even the best that this planner can do needs more than the limits allow.
struct Infeasible {
  int64_t lower_bound_bytes = 0;  ///< of SRAM; 0: not what is lacking
  std::string reason;
  int64_t flash_lower_bound_bytes = 0;  ///< of the weights; 0: not what is lacking
};

using PlannerAnswer = std::variant<Planned, Infeasible>;

struct Planner {
  const char* name;
  const char* summary;                         ///< one sentence, with the paper
  std::map<std::string, std::string> options;  ///< key -> what it means, with its default
  PlannerAnswer (*make)(const Graph& graph, const Limits& limits, const PlannerOptions& options);
  bool streams = false;  ///< can receive the input, and deliver the output, row by row

  /// make()'s answer with the ports in their places. Throws CompileError where rows cannot be
  /// streamed, by this planner or in this network.
  [[nodiscard]] PlannerAnswer plan(const Graph& graph, const Limits& limits,
                                   const PlannerOptions& options) const;
};

/// In the order of DESIGN.md; the last is the default: the best there is.
[[nodiscard]] const std::vector<Planner>& planners();

/// A whole number, if it is given. Throws CompileError unless it is at least `least`.
[[nodiscard]] std::optional<int64_t> number_option(const PlannerOptions& options,
                                                   const std::string& key, int64_t least);

/// accounting=paper, not exact or absent. Throws CompileError for anything else.
[[nodiscard]] bool wants_paper_accounting(const PlannerOptions& options);

struct PlannerChoice {
  const Planner* planner = nullptr;
  PlannerOptions options;
};
/// "reorder:states=100000". Throws CompileError that lists planners or options.
[[nodiscard]] PlannerChoice choose_planner(const std::string& spec);

}  // namespace thimble
