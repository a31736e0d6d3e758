// SPDX-License-Identifier: Apache-2.0
// The buffers, steps and loops of a plan, as all reports write them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "thimble/plan/placed_plan.h"
#include "thimble/program/estimate.h"
#include "thimble/schedule/index_expr.h"

namespace thimble {

/// A number, or a text where it follows counters: "2 * i0 + 1".
[[nodiscard]] nlohmann::ordered_json index_json(const IndexExpr& expr);

/// Lists.
[[nodiscard]] nlohmann::ordered_json buffers_json(const Graph& graph, const PlacedPlan& plan);
[[nodiscard]] nlohmann::ordered_json steps_json(const Graph& graph, const PlacedPlan& plan,
                                                const std::vector<int64_t>& live_bytes,
                                                const std::optional<CoreEstimate>& estimate);
[[nodiscard]] nlohmann::ordered_json loops_json(const Schedule& schedule);

}  // namespace thimble
