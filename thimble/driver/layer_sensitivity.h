// SPDX-License-Identifier: Apache-2.0
// What each operator alone costs when it is quantised.
#pragma once

#include <vector>

#include "thimble/driver/quantisation_judge.h"
#include "thimble/quantise/quantise.h"
#include "thimble/report/quantisation_report.h"

namespace thimble {

/// Operators with a format but float32 that compute, not only move, numbers: the noise of the
/// network's outputs with all others in float32, on a few samples. Empty where even one sample each
/// would take too long.
[[nodiscard]] std::vector<QuantisedLayer> layer_sensitivities(const Graph& real,
                                                              const Ranges& ranges,
                                                              const QuantiseOptions& options,
                                                              const QuantisationJudge& judge);

}  // namespace thimble
