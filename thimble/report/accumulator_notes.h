// SPDX-License-Identifier: Apache-2.0
// What is said, wherever a plan is shown, of sums in less than 32 bits: the outputs are not those
// of the model's ordinary arithmetic.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// Empty if all sums are exact; else a line that says what the outputs equal, and one per
/// accumulator: tensor, type, scale, zero point, chunk, where the scale is from.
[[nodiscard]] std::vector<std::string> accumulator_notes(const Graph& graph,
                                                         const std::string& scale_source);

/// A line per accumulator: by how many of its steps a value of the tensor may be off, and whether
/// the scale can be derived from the model.
[[nodiscard]] std::vector<std::string> lossiness_notes(const Graph& graph,
                                                       const std::string& scale_source);

/// An object per accumulator.
[[nodiscard]] nlohmann::ordered_json accumulators_json(const Graph& graph);

}  // namespace thimble
