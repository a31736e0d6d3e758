// SPDX-License-Identifier: Apache-2.0
// The end of a quantised operator: from a 32-bit accumulator to a value of the output tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/fixed_point.h"

namespace thimble::reference {

/// Quantised values that an output may take.
struct ActivationRange {
  int32_t min = 0, max = 0;
  bool operator==(const ActivationRange&) const = default;
};

/// The output's type intersected with the fused activation.
[[nodiscard]] ActivationRange activation_range(Activation activation, const Tensor& output);

/// real / scale + zero point in float32, rounded half away from zero, within int32. NaN becomes the
/// zero point, where the original is undefined.
[[nodiscard]] int64_t quantize_real(float real, float scale, int32_t zero_point);

/// Per output channel: input scale * weight scale / result scale, in double.
[[nodiscard]] std::vector<FixedFactor> channel_factors(const Tensor& input, const Tensor& weights,
                                                       float result_scale, int64_t channels);

/// factor * accumulator + zero point, clamped.
[[nodiscard]] int32_t requantised(int32_t accumulator, FixedFactor factor, int32_t zero_point,
                                  ActivationRange range);
/// requantised() for an int8 output.
[[nodiscard]] int8_t requantise(int32_t accumulator, FixedFactor factor, int32_t zero_point,
                                ActivationRange range);

}  // namespace thimble::reference
