// SPDX-License-Identifier: Apache-2.0
// Numbers that the operators of the audio front end look up: twiddles of the transform, and the
// logarithm between powers of two.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace thimble::reference {

struct Twiddle {
  int16_t re = 0, im = 0;
};

/// An inverse transform has the conjugate roots.
enum class Direction { kForward, kInverse };

/// e^(-2 pi i k / size) for k in [0, size), rounded to 1/32767; e^(2 pi i k / size) of the inverse.
[[nodiscard]] std::vector<Twiddle> twiddles(int64_t size, Direction direction);
/// The last step of a real transform of `size` samples takes spectra apart, and the first of the
/// inverse joins them, with e^(-i pi ((k + 1) / (size / 2) + 1 / 2)), for the inverse its
/// conjugate, for k in [0, size / 4).
[[nodiscard]] std::vector<Twiddle> last_twiddles(int64_t size, Direction direction);

/// log2(1 + i / 128) - i / 128 in 1/65536.
[[nodiscard]] const std::array<int16_t, 129>& logarithm_table();

}  // namespace thimble::reference
