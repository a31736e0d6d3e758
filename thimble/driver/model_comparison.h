// SPDX-License-Identifier: Apache-2.0
// Planners run on one model. What fails becomes a cell that says why.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/driver/simulation.h"
#include "thimble/planners/swapnn_count.h"
#include "thimble/planners/tinyseg_count.h"
#include "thimble/report/comparison.h"

namespace thimble {

/// What differs between the columns of a comparison.
struct ComparedPlan {
  std::string planner;
  bool in_place = true;
  LayoutMethod layout = LayoutMethod::kExact;
  std::string storage = {};                          ///< as Request::storage has it
  std::optional<SimulationRequest> simulation = {};  ///< nothing: no time is wanted
  bool operator==(const ComparedPlan&) const = default;
};

/// What a paper's algorithms are to count.
using PaperCount = std::variant<tinyseg::CountedSteps, swapnn::CountedRun>;

/// One model, which is read once for all plans.
struct ComparisonJob {
  std::string model;  ///< as the user named it
  Request request;    ///< all but the model and what a plan says
  std::vector<ComparedPlan> plans;
  std::vector<PaperCount> counts = {};
  bool interpreter = true;  ///< measure the interpreter's plan too
};

/// A cell per plan. Never throws: faults and bugs are outcomes of cells.
[[nodiscard]] ComparedModel compared(const ComparisonJob& job);

/// As typed, with all of the zoo for "zoo:*", and behind the others for `zoo`.
[[nodiscard]] std::vector<std::string> model_names(std::vector<std::string> typed, bool zoo);
/// "original,pex:a=1,b=2,reorder": a piece whose '=' comes before any ':' is a further option of
/// the planner before it.
[[nodiscard]] std::vector<std::string> planner_specs(const std::string& list);

}  // namespace thimble
