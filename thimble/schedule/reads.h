// SPDX-License-Identifier: Apache-2.0
// What a step reads, from the access map of its operator.
#pragma once

#include <vector>

#include "thimble/regions/access_map.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// One per operator of the graph, by OpId.
[[nodiscard]] std::vector<AccessMap> access_maps(const Graph& graph);

/// Region of operand `operand` (an index into Step::in) that the step reads while it computes `out`
/// (its evaluated region, possibly a part of it). Accumulate: its chunk axis is cut to the
/// chunk.
[[nodiscard]] Region read_region(const Graph& graph, const std::vector<AccessMap>& maps,
                                 const Step& step, size_t operand, const Region& out,
                                 const Counters& counters);

/// The tensor that operand `operand` belongs to; of a copy, its target's.
[[nodiscard]] TensorId operand_tensor(const Graph& graph, const Schedule& schedule,
                                      const Step& step, size_t operand);
/// The tensor that a step writes (a part of).
[[nodiscard]] TensorId written_tensor(const Graph& graph, const Schedule& schedule,
                                      const Step& step);

}  // namespace thimble
