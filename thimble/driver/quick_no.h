// SPDX-License-Identifier: Apache-2.0
// "No" where no plan can help: said before anything is planned.
#pragma once

#include <optional>
#include <span>

#include "thimble/driver/request.h"
#include "thimble/planners/planner.h"

namespace thimble {

/// Weights that no kernel takes in fewer bytes than flash has; ports and states, which are whole at
/// some time, beyond the SRAM. Nothing: it may fit.
[[nodiscard]] std::optional<Infeasible> quick_no(const Graph& graph, const Request& request);

/// Bytes of flash that the networks' weights take together in any format: of convolutions and fully
/// connected layers, equal ones once.
[[nodiscard]] int64_t least_weight_bytes(std::span<const Graph> graphs);

}  // namespace thimble
