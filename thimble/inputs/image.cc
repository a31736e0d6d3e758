// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include "thimble/import/file_bytes.h"
#include "thimble/inputs/image_faults.h"
#include "thimble/inputs/stb.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr int64_t kMostImageBytes = int64_t{256} << 20;

std::string lower_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

[[noreturn]] void no_image(const std::string& where, const std::string& why) {
  throw CompileError(where, fmt::format("is no picture that can be read ({}); supported are PNG, "
                                        "JPEG and BMP",
                                        why));
}

}  // namespace

bool is_image_name(const std::filesystem::path& file) {
  const std::string extension = lower_extension(file);
  return extension == ".png" || extension == ".jpg" || extension == ".jpeg" || extension == ".bmp";
}

Image decoded_image(const Bytes& bytes, const std::string& where) {
  int width = 0, height = 0, channels = 0;
  const auto size = static_cast<int>(bytes.size());
  const auto reason = [] {
    const char* text = stbi_failure_reason();
    return std::string(text == nullptr ? "damaged" : text);
  };
  if (has_overlong_table(bytes)) no_image(where, "a table of a JPEG has too many codes");
  if (has_overlong_chunk(bytes)) no_image(where, "a chunk of a PNG is longer than the file");
  // Before anything is decoded: what a header claims is what decoding takes.
  if (stbi_info_from_memory(bytes.data(), size, &width, &height, &channels) == 0)
    no_image(where, reason());
  if (width < 1 || height < 1 || int64_t{width} * height > kMostPixels) {
    throw CompileError(where, fmt::format("is a picture of {} x {}; up to {} pixels are supported",
                                          width, height, kMostPixels));
  }
  const int wanted = channels <= 2 ? 1 : 3;
  const std::unique_ptr<stbi_uc, decltype(&stbi_image_free)> pixels(
      stbi_load_from_memory(bytes.data(), size, &width, &height, &channels, wanted),
      stbi_image_free);
  if (!pixels) no_image(where, reason());
  Image image{.width = width, .height = height, .channels = wanted, .pixels = {}};
  image.pixels.assign(pixels.get(), pixels.get() + int64_t{width} * height * wanted);
  return image;
}

Image read_image(const std::filesystem::path& file) {
  return decoded_image(read_file(file, kMostImageBytes), file.string());
}

void write_png(const std::filesystem::path& file, const Image& image) {
  std::string png;
  const auto append = [](void* to, void* bytes, int count) {
    static_cast<std::string*>(to)->append(static_cast<const char*>(bytes),
                                          static_cast<size_t>(count));
  };
  const int done = stbi_write_png_to_func(append, &png, image.width, image.height, image.channels,
                                          image.pixels.data(), image.width * image.channels);
  check(done != 0, "a picture in memory cannot be encoded");
  const std::string_view pieces[] = {png};
  write_file(file, pieces);
}

Image as_gray(const Image& image) {
  if (image.channels == 1) return image;
  Image gray{.width = image.width, .height = image.height, .channels = 1, .pixels = {}};
  gray.pixels.reserve(image.pixels.size() / 3);
  for (size_t i = 0; i + 2 < image.pixels.size(); i += 3) {
    const int luma = 299 * image.pixels[i] + 587 * image.pixels[i + 1] + 114 * image.pixels[i + 2];
    gray.pixels.push_back(static_cast<uint8_t>((luma + 500) / 1000));
  }
  return gray;
}

Image as_rgb(const Image& image) {
  if (image.channels == 3) return image;
  Image rgb{.width = image.width, .height = image.height, .channels = 3, .pixels = {}};
  rgb.pixels.reserve(image.pixels.size() * 3);
  for (const uint8_t value : image.pixels) rgb.pixels.insert(rgb.pixels.end(), 3, value);
  return rgb;
}

}  // namespace thimble
