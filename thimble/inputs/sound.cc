// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/sound.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr int64_t kMostSoundBytes = int64_t{1} << 30;
constexpr int64_t kMostFrames = int64_t{3600} * 48'000;
constexpr int32_t kMostChannels = 64, kMostRate = 768'000;

uint32_t wav_number(std::span<const uint8_t> bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t k = 0; k < count; ++k) value |= uint32_t{bytes[at + k]} << (8 * k);
  return value;
}

struct Format {
  uint32_t code = 0, channels = 0, rate = 0, frame_bytes = 0, bits = 0;
};

constexpr uint32_t kPcm = 1, kFloat = 3, kExtensible = 0xFFFE;

Format format_of(std::span<const uint8_t> chunk, const std::string& where) {
  if (chunk.size() < 16) throw CompileError(where, "is damaged: its format has no 16 bytes");
  Format format{wav_number(chunk, 0, 2), wav_number(chunk, 2, 2), wav_number(chunk, 4, 4),
                wav_number(chunk, 12, 2), wav_number(chunk, 14, 2)};
  if (format.code == kExtensible && chunk.size() >= 26) format.code = wav_number(chunk, 24, 2);
  const bool pcm = format.code == kPcm && (format.bits == 8 || format.bits == 16 ||
                                           format.bits == 24 || format.bits == 32);
  if (!pcm && !(format.code == kFloat && format.bits == 32)) {
    throw CompileError(where, fmt::format("is sound of format {} with {} bits; supported are PCM "
                                          "of 8, 16, 24 or 32 bits, and float of 32",
                                          format.code, format.bits));
  }
  if (format.channels < 1 || format.channels > kMostChannels || format.rate < 1 ||
      format.rate > kMostRate || format.frame_bytes != format.channels * format.bits / 8)
    throw CompileError(where, "is damaged: its format contradicts itself");
  return format;
}

/// In steps of 16 bits.
double sample_at(std::span<const uint8_t> bytes, const Format& format) {
  const uint32_t raw = wav_number(bytes, 0, format.bits / 8);
  if (format.code == kFloat) {
    const auto real = std::bit_cast<float>(raw);
    return std::isfinite(real) ? std::clamp(real, -2.0F, 2.0F) * 32768.0 : 0;
  }
  if (format.bits == 8) return (static_cast<int32_t>(raw) - 128) * 256.0;
  const uint32_t shift = 32 - format.bits;
  return static_cast<int32_t>(raw << shift) / 65536.0;
}

}  // namespace

Sound decoded_wav(const Bytes& bytes, const std::string& where) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with("RIFF") || text.size() < 12 || text.substr(8, 4) != "WAVE")
    throw CompileError(where, "is no .wav file: it does not begin with RIFF and WAVE");
  std::optional<Format> format;
  std::optional<std::span<const uint8_t>> data;
  for (size_t at = 12; at + 8 <= bytes.size() && !data;) {
    const std::string_view name = text.substr(at, 4);
    const size_t size = wav_number(bytes, at + 4, 4), left = bytes.size() - at - 8;
    if (size > left && name != "data") break;
    const std::span<const uint8_t> chunk(bytes.data() + at + 8, std::min(size, left));
    if (name == "fmt ") format = format_of(chunk, where);
    if (name == "data") data = chunk;
    at += 8 + size + size % 2;
  }
  if (!format || !data) throw CompileError(where, "is damaged: it has no format, or no samples");
  const auto frames = static_cast<int64_t>(data->size() / format->frame_bytes);
  if (frames == 0) throw CompileError(where, "has no samples");
  if (frames > kMostFrames)
    throw CompileError(where, fmt::format("has {} samples; {} are supported", frames, kMostFrames));
  Sound sound{.rate = static_cast<int32_t>(format->rate),
              .channels = static_cast<int32_t>(format->channels),
              .samples = {}};
  sound.samples.reserve(static_cast<size_t>(frames));
  for (int64_t n = 0; n < frames; ++n) {
    const auto frame = data->subspan(static_cast<size_t>(n) * format->frame_bytes);
    double sum = 0;
    for (uint32_t c = 0; c < format->channels; ++c)
      sum += sample_at(frame.subspan(c * format->bits / 8), *format);
    const double mean = std::round(sum / format->channels);
    sound.samples.push_back(static_cast<int16_t>(std::clamp(mean, -32768.0, 32767.0)));
  }
  return sound;
}

Sound read_wav(const std::filesystem::path& file) {
  return decoded_wav(read_file(file, kMostSoundBytes), file.string());
}

}  // namespace thimble
