// SPDX-License-Identifier: Apache-2.0
// Small .wav files for tests.
#pragma once

#include "thimble/model/graph.h"

namespace thimble::testing {

struct WavFormat {
  uint32_t code = 1, channels = 1, rate = 16'000, bits = 16;
};

inline Bytes wav_file(const WavFormat& format, const Bytes& data) {
  Bytes wav;
  const auto text = [&](const char* letters) { wav.insert(wav.end(), letters, letters + 4); };
  const auto number = [&](uint64_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) wav.push_back(static_cast<uint8_t>(value >> (8 * k)));
  };
  const uint32_t frame = format.channels * format.bits / 8;
  text("RIFF");
  number(36 + data.size(), 4);
  text("WAVE");
  text("fmt ");
  number(16, 4);
  number(format.code, 2);
  number(format.channels, 2);
  number(format.rate, 4);
  number(uint64_t{format.rate} * frame, 4);
  number(frame, 2);
  number(format.bits, 2);
  text("data");
  number(data.size(), 4);
  wav.insert(wav.end(), data.begin(), data.end());
  return wav;
}

}  // namespace thimble::testing
