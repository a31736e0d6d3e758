// SPDX-License-Identifier: Apache-2.0
// Convolutions whose sums have 64 bits: of int16, and transposed ones.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/reference/evaluate.h"
#include "thimble/reference/fixed_point.h"

namespace thimble::reference {

/// The output from the sums of products, in its order: bias added, requantised, clamped.
[[nodiscard]] std::vector<Bytes> finish_sums(const OpContext& context, Activation activation,
                                             std::vector<int64_t> sums,
                                             const std::vector<FixedFactor>& factors);

/// Convolutions and fully connected layers of int16.
[[nodiscard]] std::vector<Bytes> convolve_int16(const Conv2D& op, const OpContext& context);
[[nodiscard]] std::vector<Bytes> convolve_int16(const DepthwiseConv2D& op,
                                                const OpContext& context);
[[nodiscard]] std::vector<Bytes> convolve_int16(const FullyConnected& op, const OpContext& context);

}  // namespace thimble::reference
