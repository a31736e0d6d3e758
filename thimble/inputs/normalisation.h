// SPDX-License-Identifier: Apache-2.0
// Which real number a pixel of 0 to 255 becomes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/inputs/input_port.h"

namespace thimble {

/// real = slope * x + offset, a line per channel in the input's order.
struct Normalisation {
  struct Line {
    double slope = 1, offset = 0;
    [[nodiscard]] float at(double x) const { return static_cast<float>(slope * x + offset); }
  };
  std::vector<Line> channels;
  std::string text;  ///< "(x-127.5)/127.5"
  std::vector<std::string> warnings;
};

/// What is asked for, else what the model's metadata say, else what its range suggests: 0 to 255,
/// 0 to 1, -1 to 1, -128 to 127, or ImageNet's; any other, with a warning, as it is. Throws
/// CompileError for as many numbers as the input has no channels.
[[nodiscard]] Normalisation normalisation_of(const InputPort& port, const Preprocessing& asked,
                                             int32_t channels);
/// The lines of what is asked for.
[[nodiscard]] Normalisation normalisation_asked(const Preprocessing& asked, int32_t channels);

}  // namespace thimble
