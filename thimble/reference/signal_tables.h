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

/// e^(-2 pi i k / size) for k in [0, size), rounded to 1/32767.
[[nodiscard]] std::vector<Twiddle> twiddles(int64_t size);
/// Of the last step of a real transform of `size` samples, which takes spectra apart: e^(-pi i (k +
/// 1) / (size / 2) - i pi / 2) for k in [0, size / 4).
[[nodiscard]] std::vector<Twiddle> last_twiddles(int64_t size);

/// log2(1 + i / 128) - i / 128 in 1/65536.
[[nodiscard]] const std::array<int16_t, 129>& logarithm_table();

}  // namespace thimble::reference
