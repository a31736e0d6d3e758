// SPDX-License-Identifier: Apache-2.0
// SOFTMAX of int16: between the steps of two tables, as TensorFlow Lite's reference kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "thimble/reference/fixed_point.h"

namespace thimble::reference {

/// 512 steps, for -32768 to 32767.
using SoftmaxTable = std::array<int16_t, 513>;
/// e^x for x from -10 to 0; 1 / (1 + x) for x from 0 to 1. Both in 1/32768, shifted a little where
/// that halves the error between two steps.
[[nodiscard]] const SoftmaxTable& exponential_table();
[[nodiscard]] const SoftmaxTable& reciprocal_table();

/// From a difference of inputs to 10/65535.
[[nodiscard]] FixedFactor softmax_table_factor(float beta, float input_scale);
/// Rows of so many channels.
[[nodiscard]] std::vector<int16_t> softmax_of_int16(const std::vector<int16_t>& x, size_t channels,
                                                    FixedFactor factor);

}  // namespace thimble::reference
