// SPDX-License-Identifier: Apache-2.0
// `thimble compile --explain`: a line for each step that calls a kernel, those first that take
// most.
//
//   step  executes    %     kernel             instructions  weights  scratch  next best  ...
//      0  CONV_2D #0  31.2  conv_2d_pairs_dsp       812,300    1,424      560  conv_2d    ...
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "thimble/program/estimate.h"
#include "thimble/program/explain.h"
#include "thimble/schedule/schedule.h"

namespace thimble {

/// The choices as text, with milliseconds if the estimate has some.
[[nodiscard]] std::string kernels_text(const Graph& graph, const Schedule& schedule,
                                       std::vector<KernelChoice> choices,
                                       const std::optional<CoreEstimate>& estimate);
/// One object per choice; none: an empty array.
[[nodiscard]] nlohmann::ordered_json kernels_json(const std::vector<KernelChoice>& choices);

}  // namespace thimble
