// SPDX-License-Identifier: Apache-2.0
// What a finished network is worth, and what is kept of its ranges.
#pragma once

#include <string>

#include "training/learn/checkpoint.h"
#include "training/learn/quantised_forward.h"
#include "training/learn/run.h"

namespace thimble::training {

/// Of an int8 network on samples: by LibTorch's whole numbers.
[[nodiscard]] double integer_accuracy(const Graph& graph, const Examples& examples);
/// By the plan with the kernels that ship, on all cores. Throws InternalError where outputs are not
/// those of LibTorch's whole numbers.
[[nodiscard]] double emitted_accuracy(const Graph& graph, const PlanOptions& options,
                                      const Examples& examples);

[[nodiscard]] std::string result_json(const RunResult& result, const RunRequest& request);

/// Ranges as tensors of a checkpoint, and back.
void keep_ranges(NamedTensors& in, QuantisedForward& forward);
void restore_ranges(const NamedTensors& from, QuantisedForward& forward, const std::string& where);

}  // namespace thimble::training
