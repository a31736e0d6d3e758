// SPDX-License-Identifier: Apache-2.0
// Where time goes and which function executes what: a plan by operators of the network, and by
// the copies and transfers that it adds.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "thimble/emit/step_places.h"
#include "thimble/program/estimate.h"
#include "thimble/program/program.h"

namespace thimble {

struct Layer {
  OpId op;           ///< invalid: copies of `tensor`, or transfers
  std::string name;  ///< "CONV_2D", "COPY"
  TensorId tensor;   ///< that it writes; invalid: constants that are brought
  std::vector<Position> steps;
  int64_t executions = 0;  ///< of its steps, in an inference
  int64_t macs = 0, recomputed_macs = 0;
  std::set<std::string> kernels;
  std::vector<StepPlace> places;  ///< in the emitted code, each once
  int group = -1;  ///< the loop around it that no loop is around: as the schedule has it; -1: none

  [[nodiscard]] bool operator==(const Layer&) const = default;
};

/// In the order in which they begin. What of the network nothing executes is not among them.
[[nodiscard]] std::vector<Layer> layers(const Graph& graph, const Schedule& schedule,
                                        const Program& program);
/// A list; times are of the estimate.
[[nodiscard]] nlohmann::ordered_json layers_json(const Graph& graph,
                                                 const std::vector<Layer>& layers,
                                                 const std::optional<CoreEstimate>& estimate);

}  // namespace thimble
