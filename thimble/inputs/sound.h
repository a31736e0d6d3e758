// SPDX-License-Identifier: Apache-2.0
// Sound in .wav files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

struct Sound {
  int32_t rate = 0;              ///< samples a second
  int32_t channels = 1;          ///< that the file has; samples are their mean
  std::vector<int16_t> samples;  ///< of one channel
};

/// RIFF WAVE: PCM of 8, 16, 24 or 32 bits, or float of 32. Numbers of more than 16 bits lose the
/// lower ones, rounded. Throws CompileError for what is unreadable, damaged, compressed or longer
/// than an hour at 48 kHz.
[[nodiscard]] Sound read_wav(const std::filesystem::path& file);
[[nodiscard]] Sound decoded_wav(const Bytes& bytes, const std::string& where);

}  // namespace thimble
