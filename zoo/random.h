// SPDX-License-Identifier: Apache-2.0
// Seeded numbers that are the same on every machine (the standard's distributions are not):
// splitmix64, by Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
#pragma once

#include <cstdint>

namespace thimble::zoo {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Between lowest and highest, both included.
  int64_t between(int64_t lowest, int64_t highest) {
    return lowest + static_cast<int64_t>(next() % static_cast<uint64_t>(highest - lowest + 1));
  }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return unit() < probability; }

 private:
  uint64_t state_;
};

}  // namespace thimble::zoo
