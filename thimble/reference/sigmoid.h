// SPDX-License-Identifier: Apache-2.0
// LOGISTIC and TANH of int16: between the steps of one table, as TensorFlow Lite's reference
// kernels (integer_ops/logistic.h, tanh.h).
#pragma once

#include <array>
#include <cstdint>

namespace thimble::reference {

/// From an input to 1/12288 of a unit: times the multiplier, then shifted to the right, rounding.
struct SigmoidScaling {
  int32_t multiplier = 0;
  int shift = 0;
};
/// A scale of 2^-12 x 2^k for k in [0, most_exponent] multiplies by 3 x 2^k.
[[nodiscard]] SigmoidScaling sigmoid_scaling(float input_scale, int most_exponent);

/// 1 / (1 + e^(-i / 24)) in 1/65536, off by up to one for the sake of what lies between: data of
/// the original (sigmoid_table_uint16).
[[nodiscard]] const std::array<uint16_t, 256>& sigmoid_table();

/// In 1/32768, zero point 0.
[[nodiscard]] int16_t logistic_of_int16(int16_t value, SigmoidScaling scaling);
[[nodiscard]] int16_t tanh_of_int16(int16_t value, SigmoidScaling scaling);

}  // namespace thimble::reference
