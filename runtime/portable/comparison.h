// SPDX-License-Identifier: Apache-2.0
// How two numbers compare (RelationParams).
#pragma once

#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

template <class T>
inline uint8_t is_accepted(int32_t accepted, T a, T b) noexcept {
  const int32_t bit = a < b ? 0 : a == b ? 1 : a > b ? 2 : 3;
  return static_cast<uint8_t>(accepted >> bit & 1);
}

}  // namespace thimble::runtime
