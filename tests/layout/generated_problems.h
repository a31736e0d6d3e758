// SPDX-License-Identifier: Apache-2.0
// Random layout problems of known capacity, from lives that are tight to those that are loose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/layout/layout.h"

namespace thimble::layout {

struct GeneratedProblem {
  std::string name;
  Problem problem;
  int64_t capacity_bytes =
      0;  ///< a layout exists, except for graphs: there it is 5% over the bound
};

/// Boxes that fill a rectangle of time x bytes. Larger boxes are cut before smaller ones: mostly
/// short lives, some long.
struct PackingKind {
  int buffers = 0;
  int64_t times = 0;       ///< that cuts are at; 0: four per buffer
  int64_t grains = 16384;  ///< likewise of bytes
  int pinwheels = 0;       ///< of 100 cuts, those into five boxes that no straight cut parts
  int holes = 0;           ///< of 100 boxes, those left out
  int jitter = 0;  ///< of 100 ends of lives, those moved inwards, by up to a tenth of the life
  uint32_t seed = 1;
};
[[nodiscard]] GeneratedProblem packing_problem(const PackingKind& kind);

/// Operators in a random order, each of which reads one to three of the last tensors.
[[nodiscard]] GeneratedProblem graph_problem(int buffers, uint32_t seed);

/// "guillotine", "pinwheel", "holes", "loose", "graph", "coarse", "jitter".
[[nodiscard]] const std::vector<std::string>& generated_families();

/// The `number`th problem of a family: 100 to `most_buffers` buffers.
[[nodiscard]] GeneratedProblem generated_problem(const std::string& family, int number,
                                                 int most_buffers);

}  // namespace thimble::layout
