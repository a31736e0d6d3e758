// SPDX-License-Identifier: Apache-2.0
// A hash of a number.
#pragma once

#include <cstdint>

namespace thimble::layout {

/// A step of splitmix64 (Steele, Lea and Flood, 2014): each bit of the result depends on all of x.
[[nodiscard]] inline uint64_t mixed(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace thimble::layout
