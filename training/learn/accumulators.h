// SPDX-License-Identifier: Apache-2.0
// Sums that a plan keeps in 16 or 8 bits, with scales that learn (Pex, section 3.4).
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>

#include "thimble/driver/accumulator_scales.h"
#include "thimble/model/graph.h"
#include "training/network/footprint.h"

namespace thimble::training {

/// The sums of one operator, a chunk of input channels at a time: model/graph.h has the arithmetic.
struct LearntAccumulator {
  DType type = DType::kInt8;
  int64_t chunk = 1;
  torch::Tensor log_scale;   ///< learns
  torch::Tensor zero_point;  ///< a whole number, which does not
  bool seen = false;         ///< scale and zero point are those of some sums
};

/// By the name of the operator's output.
using LearntAccumulators = std::map<std::string, LearntAccumulator>;

/// Those of the plan of the int8 network of the same shapes.
[[nodiscard]] LearntAccumulators accumulators_of(const Graph& graph, const PlanOptions& options);

/// The sums of CONV_2D or FULLY_CONNECTED by a narrow accumulator, bias included: real numbers, as
/// Taps::sums has them. observes: scale and zero point become those that all sums of this batch,
/// and of those that it saw before, have room in.
[[nodiscard]] torch::Tensor narrow_sums(const Op& op, const torch::Tensor& x,
                                        const torch::Tensor& weights, const torch::Tensor& bias,
                                        LearntAccumulator& accumulator, bool observes);

/// What `thimble compile --calibration` takes.
[[nodiscard]] AccumulatorScales learnt_scales(const LearntAccumulators& accumulators);

}  // namespace thimble::training
