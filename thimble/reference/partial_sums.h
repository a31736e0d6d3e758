// SPDX-License-Identifier: Apache-2.0
// Scales of accumulators of 16 and 8 bits: the range that the sums take on the way, after each
// chunk, and the accumulator that just holds it.
#pragma once

#include <vector>

#include "thimble/reference/interpreter.h"

namespace thimble {

/// In real numbers. Holds 0, where every accumulator starts.
struct SumRange {
  double low = 0, high = 0;
  bool operator==(const SumRange&) const = default;
};

/// What no input can exceed, from the weights: bias + the sum of weight * (x - zero point), each
/// product at its least or most for the values that x can take (all of its type, or those that the
/// activation of its producer leaves). At least a step of every channel. op: a convolution or fully
/// connected layer.
[[nodiscard]] SumRange bounded_sums(const Graph& graph, const Op& op);

/// What the sums of 32 bits took after each chunk of `chunk` channels, for the inputs in `values`.
[[nodiscard]] SumRange measured_sums(const Graph& graph, const Op& op, const TensorValues& values,
                                     int64_t chunk);

/// type: kInt16 or kInt8.
[[nodiscard]] Accumulator accumulator_for(TensorId tensor, DType type, int64_t chunk,
                                          const SumRange& range);

/// The accumulators with scales measured on inputs: the network is interpreted for each set (one
/// entry per input port) with sums of 32 bits.
[[nodiscard]] std::vector<Accumulator> calibrated(const Graph& graph,
                                                  const std::vector<Accumulator>& accumulators,
                                                  const std::vector<std::vector<Bytes>>& inputs);

}  // namespace thimble
