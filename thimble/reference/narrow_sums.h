// SPDX-License-Identifier: Apache-2.0
// Sums in accumulators of 16 or 8 bits (Graph::accumulators): chunk by chunk, requantised and
// saturated every time.
#pragma once

#include <functional>
#include <vector>

#include "thimble/reference/evaluate.h"
#include "thimble/reference/fixed_point.h"

namespace thimble::reference {

/// visit(out channel, sums): the sum over each chunk of the reduced channels, upwards from 0, the
/// bias in the first.
using VisitSums = std::function<void(size_t out_channel, const std::vector<int32_t>& sums)>;

/// Calls visit for every element of the output, in row-major order. One group only.
void each_chunk_sums(const Conv2D& op, const OpContext& context, int64_t chunk,
                     const VisitSums& visit);
void each_chunk_sums(const FullyConnected& op, const OpContext& context, int64_t chunk,
                     const VisitSums& visit);

/// The output of an operator with such an accumulator.
[[nodiscard]] std::vector<Bytes> add_up(const Conv2D& op, const OpContext& context,
                                        const Accumulator& accumulator,
                                        const std::vector<FixedFactor>& factors);
[[nodiscard]] std::vector<Bytes> add_up(const FullyConnected& op, const OpContext& context,
                                        const Accumulator& accumulator,
                                        const std::vector<FixedFactor>& factors);

}  // namespace thimble::reference
