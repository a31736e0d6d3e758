// SPDX-License-Identifier: Apache-2.0
// Real scales -> fixed-point ones, as TensorFlow Lite forms them (docs/arithmetic.md).
#pragma once

#include <cstdint>

#include "thimble/model/graph.h"
#include "thimble_runtime/kernels.h"

namespace thimble {

/// real >= 0 -> multiplier in [2^30, 2^31) and a left shift (negative: right), frexp and rounding
/// to nearest. Below 2^-32 both are 0.
[[nodiscard]] runtime::Scale quantize_scale(double real);

/// A positive float32 as it is (runtime::kFloatShift): Arithmetic::kOnnx.
[[nodiscard]] runtime::Scale float_scale(float real);

/// Quantised values that a fused activation lets pass.
struct ClampRange {
  int32_t min, max;
};
[[nodiscard]] ClampRange clamp_range(Activation activation, const Tensor& out);
/// All values of an integer type of at most 32 bits.
[[nodiscard]] ClampRange value_range(DType type);

}  // namespace thimble
