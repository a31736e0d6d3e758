// SPDX-License-Identifier: Apache-2.0
// What reports of a plan have for a page beside the figures of their command: layers, loops,
// tensors, the verifier's word, and what was there before.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "thimble/plan/placed_plan.h"
#include "thimble/program/estimate.h"
#include "thimble/program/verify.h"
#include "thimble/report/interpreter.h"
#include "thimble/report/layers.h"

namespace thimble {

/// Another plan of the same model, for a picture beside this one's.
struct EarlierPlan {
  Graph graph;
  PlacedPlan plan;
  std::vector<int64_t> live_bytes;
  std::optional<CoreEstimate> estimate;
};

struct PageFigures {
  std::vector<Layer> layers;
  Verification verification;
  std::optional<InterpreterFigures> interpreter;  ///< nothing: no model of its format
  std::optional<EarlierPlan> before;
};

/// An object with fields to be added to a report of the plan.
[[nodiscard]] nlohmann::ordered_json page_json(const Graph& graph, const PlacedPlan& plan,
                                               const std::optional<CoreEstimate>& estimate,
                                               const PageFigures& figures);

}  // namespace thimble
