// SPDX-License-Identifier: Apache-2.0
// What a finished network is worth, and what is kept of its ranges.
#pragma once

#include <string>

#include "training/learn/checkpoint.h"
#include "training/learn/quantised_forward.h"
#include "training/learn/run.h"

namespace thimble::training {

struct PlanAccuracy {
  double int8 = 0;         ///< of all samples, by LibTorch's whole numbers
  double emitted = 0;      ///< by the plan with the kernels that ship, on all cores
  size_t samples = 0;      ///< of which emitted is
  size_t narrow_sums = 0;  ///< operators of the plan whose sums have 16 or 8 bits
};
/// What the int8 network gets right in the arithmetic of its plan. scales: of the plan's narrow
/// sums, all of them; most: samples that the emitted program runs (0: all). Throws InternalError
/// where its outputs are not those of LibTorch's whole numbers.
[[nodiscard]] PlanAccuracy plan_accuracy(const Graph& graph, const PlanOptions& options,
                                         const AccumulatorScales& scales, const Examples& examples,
                                         int64_t most);

[[nodiscard]] std::string result_json(const RunResult& result, const RunRequest& request);

/// Ranges as tensors of a checkpoint, and back.
void keep_ranges(NamedTensors& in, QuantisedForward& forward);
void restore_ranges(const NamedTensors& from, QuantisedForward& forward, const std::string& where);

}  // namespace thimble::training
