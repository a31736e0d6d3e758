// SPDX-License-Identifier: Apache-2.0
// Folders of sounds to learn from.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

namespace thimble::testing {

/// 0.4 s of a tone of so many Hz at 8 kHz as a .wav of 16 bits.
inline std::string tone(double hertz) {
  constexpr uint32_t kRate = 8000, kSamples = 3200;
  std::string bytes;
  const auto add = [&](uint32_t value, int count) {
    for (int k = 0; k < count; ++k) bytes += static_cast<char>(value >> (8 * k));
  };
  bytes += "RIFF";
  add(36 + 2 * kSamples, 4);
  bytes += "WAVEfmt ";
  add(16, 4);
  add(1, 2);
  add(1, 2);
  add(kRate, 4);
  add(2 * kRate, 4);
  add(2, 2);
  add(16, 2);
  bytes += "data";
  add(2 * kSamples, 4);
  for (uint32_t k = 0; k < kSamples; ++k) {
    const double value = 9000 * std::sin(2 * std::numbers::pi * hertz * k / kRate);
    add(static_cast<uint32_t>(static_cast<int32_t>(value)), 2);
  }
  return bytes;
}

inline void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << bytes;
}

/// low/K.wav, middle/K.wav, high/K.wav
inline void write_tones(const std::filesystem::path& folder, int count) {
  for (int k = 0; k < count; ++k) {
    const std::string name = std::to_string(k) + ".wav";
    write_file(folder / "low" / name, tone(250 + 4 * k));
    write_file(folder / "middle" / name, tone(900 + 10 * k));
    write_file(folder / "high" / name, tone(2400 + 20 * k));
  }
}

}  // namespace thimble::testing
