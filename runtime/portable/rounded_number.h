// SPDX-License-Identifier: Apache-2.0
// The int8 nearest to a number, ties to even; a * b + c that is rounded once.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

inline int8_t rounded_number(float number, float scale, int32_t zero_point, int32_t low,
                             int32_t high) noexcept {
  return static_cast<int8_t>(limit(to_whole(number / scale) + zero_point, low, high));
}

/// Where the core has no such instruction, in doubles: right as long as the sum fits one.
inline float multiply_add(float a, float b, float c) noexcept {
#if defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) +
                            static_cast<double>(c));
#endif
}

}  // namespace thimble::runtime
