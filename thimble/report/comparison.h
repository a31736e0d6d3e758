// SPDX-License-Identifier: Apache-2.0
// Planners compared on models: what `thimble compare` found, and how it is printed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/report/metric.h"

namespace thimble {

/// What became of one planner on one model.
enum class Outcome : uint8_t {
  kPlanned,
  kInfeasible,     ///< the planner's "no": nothing that it can do fits
  kInputFault,     ///< the model or an option is refused
  kInternalFault,  ///< a bug
};
[[nodiscard]] const char* name(Outcome outcome);  ///< "planned", "infeasible", "refused", "bug"

struct ComparedCell {
  std::string planner;  ///< as typed
  Outcome outcome = Outcome::kPlanned;
  /// Unless planned: the numbers below are then 0. Else whether the time limit struck.
  std::string reason;
  int64_t peak_bytes = 0, lower_bound_bytes = 0, arena_bytes = 0;
  int64_t macs = 0, recomputed_macs = 0;
  int64_t weight_bytes = 0;            ///< packed
  std::optional<double> instructions;  ///< estimated
  std::optional<double> milliseconds;  ///< the same at the board's clock, if each takes a cycle
  std::optional<double> simulated_seconds;  ///< of an inference, if that was asked for
  double plan_seconds = 0, layout_seconds = 0;
  bool layout_proven = false;
  std::vector<int64_t> live_bytes;  ///< per step
  std::string moves;                ///< what it does beside whole operators; empty: nothing
  std::string peak_at;              ///< "CONV_2D #3, with 36,864 B of 1x48x48x16"

  [[nodiscard]] bool planned() const { return outcome == Outcome::kPlanned; }
};

/// What a paper's own algorithms count of a network.
struct CountedFigures {
  Outcome outcome = Outcome::kPlanned;
  std::string reason;  ///< unless planned: there are no values then
  std::map<Metric, double> values;
};

struct ComparedModel {
  std::string model;         ///< as the user named it
  ComparedCell interpreter;  ///< file's order, greedy_by_size, nothing in place or rewritten
  /// What the interpreter's arena holds beside tensors, estimated; nothing: no file can say the
  /// network.
  std::optional<int64_t> structures_bytes;
  std::vector<ComparedCell> cells;     ///< one per planner
  std::vector<CountedFigures> counts;  ///< one per count that was asked for
  int64_t weight_bytes = 0;            ///< constants that operators read, as the file has them
  int64_t activation_bytes = 0;        ///< all other tensors, each counted once

  /// The cell's arena to the interpreter's tensors; nothing: there is none of either.
  [[nodiscard]] std::optional<double> ratio(const ComparedCell& cell) const;
};

struct PlannerComparison {
  std::vector<std::string> planners;
  std::vector<ComparedModel> models;
  std::optional<int64_t> sram_limit_bytes, flash_limit_bytes;
  double max_latency = 1.25;  ///< of a winner, as a ratio to the fastest

  [[nodiscard]] bool limited() const { return sram_limit_bytes || flash_limit_bytes; }
  [[nodiscard]] bool fits(const ComparedCell& cell) const;
  [[nodiscard]] bool all_fit() const;
  /// Whether a planner, or the interpreter, has this outcome.
  [[nodiscard]] bool any(Outcome outcome) const;
};

/// Why cells are empty, or may be others elsewhere, each reason once: "zoo:nothing: there is no
/// such network ...".
[[nodiscard]] std::vector<std::string> reasons(const PlannerComparison& comparison);

/// The best plan of a model, and the next. With limits: of those that fit the fastest. Without: of
/// those within max_latency of the fastest the smallest. Where instructions or bytes are equal, or
/// not known, the other figure decides, then the order of planners. Null: there is none.
struct Ranking {
  const ComparedCell* winner = nullptr;
  const ComparedCell* next = nullptr;
};
[[nodiscard]] Ranking ranked(const PlannerComparison& comparison, const ComparedModel& model);
/// A sentence: why the winner wins; empty without one.
[[nodiscard]] std::string why(const PlannerComparison& comparison, const ComparedModel& model);

/// At most 100 columns: a row per planner, the winner marked; of many models a row each, with the
/// winner alone.
[[nodiscard]] std::string comparison_text(const PlannerComparison& comparison);
[[nodiscard]] std::string comparison_markdown(const PlannerComparison& comparison);
/// A line per model and planner.
[[nodiscard]] std::string comparison_csv(const PlannerComparison& comparison);
[[nodiscard]] std::string comparison_json(const PlannerComparison& comparison);

}  // namespace thimble
