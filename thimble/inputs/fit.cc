// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/fit.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "thimble/model/error.h"

namespace thimble {
namespace {

struct Box {
  int32_t x = 0, y = 0, width = 0, height = 0;
};

/// Positions along one axis that make a new one, with their weights, whose sum is 1.
struct Taps {
  int32_t first = 0;
  std::vector<double> weights;
};

std::vector<Taps> taps_of(int32_t from, int32_t to, Resize resize) {
  const double ratio = static_cast<double>(from) / to;
  std::vector<Taps> all;
  for (int32_t i = 0; i < to; ++i) {
    if (resize == Resize::kNearest) {
      const auto nearest = static_cast<int32_t>(std::floor((i + 0.5) * ratio));
      all.push_back({std::min(nearest, from - 1), {1}});
    } else if (resize == Resize::kArea && ratio > 1) {
      const double begin = i * ratio, end = std::min<double>((i + 1) * ratio, from);
      Taps taps{static_cast<int32_t>(begin), {}};
      for (int32_t p = taps.first; p < end; ++p)
        taps.weights.push_back((std::min<double>(end, p + 1) - std::max<double>(begin, p)) / ratio);
      all.push_back(std::move(taps));
    } else {
      const double at = std::clamp<double>((i + 0.5) * ratio - 0.5, 0, from - 1);
      const auto first = std::min(static_cast<int32_t>(at), std::max(from - 2, 0));
      const double second = at - first;
      all.push_back(from == 1 ? Taps{0, {1}} : Taps{first, {1 - second, second}});
    }
  }
  return all;
}

Image resized(const Image& image, const Box& part, int32_t width, int32_t height, Resize resize) {
  const std::vector<Taps> columns = taps_of(part.width, width, resize);
  const std::vector<Taps> rows = taps_of(part.height, height, resize);
  Image result{.width = width, .height = height, .channels = image.channels, .pixels = {}};
  result.pixels.reserve(static_cast<size_t>(int64_t{width} * height * image.channels));
  for (const Taps& row : rows) {
    for (const Taps& column : columns) {
      for (int32_t c = 0; c < image.channels; ++c) {
        double sum = 0;
        for (size_t r = 0; r < row.weights.size(); ++r)
          for (size_t k = 0; k < column.weights.size(); ++k)
            sum += row.weights[r] * column.weights[k] *
                   image.at(part.y + row.first + static_cast<int64_t>(r),
                            part.x + column.first + static_cast<int64_t>(k), c);
        result.pixels.push_back(static_cast<uint8_t>(std::clamp(std::round(sum), 0.0, 255.0)));
      }
    }
  }
  return result;
}

int32_t scaled(int32_t extent, int32_t by, int32_t over) {
  return std::max<int32_t>(1, static_cast<int32_t>((int64_t{extent} * by + over / 2) / over));
}

/// The largest box of width : height inside of outer_width x outer_height, in its middle.
Box inside(int32_t outer_width, int32_t outer_height, int32_t width, int32_t height) {
  Box box{0, 0, outer_width, outer_height};
  if (int64_t{outer_width} * height > int64_t{outer_height} * width) {
    box.width = std::min(outer_width, scaled(outer_height, width, height));
  } else {
    box.height = std::min(outer_height, scaled(outer_width, height, width));
  }
  box.x = (outer_width - box.width) / 2;
  box.y = (outer_height - box.height) / 2;
  return box;
}

Image padded(const Image& image, int32_t width, int32_t height, Resize resize) {
  const Box box = inside(width, height, image.width, image.height);
  const Image part =
      resized(image, {0, 0, image.width, image.height}, box.width, box.height, resize);
  Image result{.width = width, .height = height, .channels = image.channels, .pixels = {}};
  result.pixels.resize(static_cast<size_t>(int64_t{width} * height * image.channels));
  const int64_t row_bytes = int64_t{box.width} * image.channels;
  for (int32_t y = 0; y < box.height; ++y) {
    const auto row = part.pixels.begin() + y * row_bytes;
    std::copy(row, row + row_bytes,
              result.pixels.begin() + ((int64_t{box.y} + y) * width + box.x) * image.channels);
  }
  return result;
}

}  // namespace

Image fitted(const Image& image, int32_t width, int32_t height, Resize resize, Fit fit) {
  if (image.width == width && image.height == height) return image;
  check(resize != Resize::kNone, "a picture of another size that is not to be resized");
  if (fit == Fit::kPad) return padded(image, width, height, resize);
  const Box part = fit == Fit::kCrop ? inside(image.width, image.height, width, height)
                                     : Box{0, 0, image.width, image.height};
  return resized(image, part, width, height, resize);
}

}  // namespace thimble
