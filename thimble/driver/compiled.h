// SPDX-License-Identifier: Apache-2.0
// What compile() answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/driver/request.h"
#include "thimble/emit/project.h"
#include "thimble/plan/front.h"
#include "thimble/plan/note.h"
#include "thimble/plan/saved_plan.h"
#include "thimble/planners/planner.h"
#include "thimble/program/program.h"
#include "thimble/program/verify.h"
#include "thimble/report/verdict.h"

namespace thimble {

/// What a plan costs beside its memory, which is in PlacedPlan::placement.
struct PlanCost {
  std::vector<int64_t> live_bytes;        ///< per step
  int64_t macs = 0, recomputed_macs = 0;  ///< executed; of these, beyond the network's own
  int64_t weight_bytes = 0;               ///< packed constants
};

/// A plan that is proven right, and what there is to know of it.
struct Compiled {
  std::string where, sha256;  ///< of the model, see Source
  Target target;
  std::optional<int64_t> sram_limit_bytes, flash_limit_bytes;
  Graph graph;  ///< as planned, with the plan's accumulators
  PlacedPlan plan;
  PlanOrigin origin;            ///< of the plan
  std::optional<Plan> decided;  ///< that it was built from; of a saved plan nothing
  bool mixed_weights = false;   ///< each operator's in a format of its own, for want of flash
  std::vector<Note> notes;      ///< sentence() says them
  Program program;
  Verification verification;
  PlanCost cost;
  std::optional<Front> front;  ///< that the plan was chosen from, if its planner has a choice
  double plan_seconds = 0, layout_seconds = 0;
  std::vector<EmittedFile> files;      ///< if the request has an emission
  Verdict verdict;                     ///< by estimate, of all that the firmware takes
  std::vector<std::string> labels;     ///< of the classes that the output scores; empty: not known
  std::vector<TensorMetadata> inputs;  ///< what the model's file says of them

  /// Within the limits: a planner's best may be more, which is told here and not refused.
  [[nodiscard]] bool fits() const { return verdict.fits(); }
};

struct Cancelled {
  Phase phase;  ///< that was not finished
};

using Answer = std::variant<Compiled, Infeasible, Cancelled>;

}  // namespace thimble
