// SPDX-License-Identifier: Apache-2.0
// Pictures in memory and in files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "thimble/model/graph.h"

namespace thimble {

struct Image {
  int32_t width = 0, height = 0, channels = 0;  ///< 1: grey, 3: red, green, blue
  Bytes pixels;                                 ///< row by row, channels innermost

  [[nodiscard]] uint8_t at(int64_t row, int64_t column, int64_t channel) const {
    return pixels[static_cast<size_t>((row * width + column) * channels + channel)];
  }
  bool operator==(const Image&) const = default;
};

/// Whether the file's name says that it is a picture which read_image() knows: .png, .jpg, .jpeg,
/// .bmp, in capitals too.
[[nodiscard]] bool is_image_name(const std::filesystem::path& file);
/// PNG, JPEG or BMP of 8 bits a channel (of 16 the upper 8), without its transparency, as it is
/// stored: what a camera says of its orientation is not looked at. Throws CompileError for what is
/// unreadable, damaged, or larger than kMostPixels.
[[nodiscard]] Image read_image(const std::filesystem::path& file);
[[nodiscard]] Image decoded_image(const Bytes& bytes, const std::string& where);
inline constexpr int64_t kMostPixels = int64_t{64} << 20;

/// PNG; written as write_file() writes.
void write_png(const std::filesystem::path& file, const Image& image);

/// One channel of three, by the luma of BT.601: (299 R + 587 G + 114 B) / 1000, rounded.
[[nodiscard]] Image as_gray(const Image& image);
/// Three channels of one.
[[nodiscard]] Image as_rgb(const Image& image);

}  // namespace thimble
