// SPDX-License-Identifier: Apache-2.0
// The tables of TensorFlow Lite Micro's audio front end
// (tensorflow/lite/micro/examples/micro_speech/audio_preprocessor.py, signal/).
#pragma once

#include <cstdint>
#include <vector>

namespace thimble::zoo {

/// Hann's, with `bits` bits of fraction.
[[nodiscard]] std::vector<int16_t> hann_window(int64_t samples, int bits);

/// Triangles that are even on the mel scale, with 12 bits of fraction.
struct MelBank {
  struct Band {
    int64_t first_energy = 0, first_weight = 0, count = 0;
  };
  int64_t begin = 0, end = 0;  ///< energies that count
  std::vector<int16_t> weights, unweights;
  std::vector<Band> bands;
};
struct MelScale {
  int64_t energies = 257, channels = 40;
  double rate_hz = 16000, low_hz = 125, high_hz = 7500;
  int64_t alignment = 2, block = 4;  ///< of the first energy, and of the number
};
[[nodiscard]] MelBank mel_bank(const MelScale& scale);

/// The gain 2^21 (80 + noise / 2^7)^-0.95, a parabola for each power of two of the noise.
[[nodiscard]] std::vector<int16_t> pcan_gains();

}  // namespace thimble::zoo
