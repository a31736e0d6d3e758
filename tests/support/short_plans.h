// SPDX-License-Identifier: Apache-2.0
// Plans and clocks that tests ask for in a few words.
#pragma once

#include <optional>
#include <vector>

#include "thimble/plan/clock.h"

namespace thimble::testing {

/// Each instance once, all of its tensor, in their order.
[[nodiscard]] Schedule whole_operators(const Graph& graph, const Instances& instances,
                                       bool in_place);
[[nodiscard]] Schedule whole_operators(const Graph& graph, bool in_place);

/// The clock of these instances, rolled along an axis of what the last one makes.
[[nodiscard]] std::optional<Clock> rolled(const Graph& graph, const std::vector<int>& instances,
                                          int axis, const PortPlaces& ports = {});

}  // namespace thimble::testing
