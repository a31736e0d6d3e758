// SPDX-License-Identifier: Apache-2.0
#include "thimble/inputs/draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "thimble/inputs/font.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

using Colour = std::array<uint8_t, 3>;
constexpr std::array<Colour, 6> kColours = {
    {{230, 60, 60}, {40, 160, 60}, {50, 110, 220}, {220, 150, 20}, {150, 60, 190}, {20, 160, 170}}};

/// Rounded, and within what a picture can have, whatever the number is.
int32_t pixel(double at) {
  return std::isnan(at) ? 0 : static_cast<int32_t>(std::lround(std::clamp(at, -1e6, 1e6)));
}

void fill(Image& image, int32_t left, int32_t top, int32_t right, int32_t bottom,
          const Colour& colour) {
  for (int32_t y = std::max(top, 0); y < std::min(bottom, image.height); ++y) {
    for (int32_t x = std::max(left, 0); x < std::min(right, image.width); ++x) {
      std::copy(colour.begin(), colour.end(),
                image.pixels.begin() + (int64_t{y} * image.width + x) * 3);
    }
  }
}

}  // namespace

void draw_box(Image& image, const DrawnBox& box) {
  check(image.channels == 3, "boxes are drawn in colour");
  const Colour& colour = kColours[box.colour % kColours.size()];
  const int32_t thick = std::max(1, std::min(image.width, image.height) / 200);
  const int32_t left = pixel(box.left), top = pixel(box.top), right = pixel(box.right),
                bottom = pixel(box.bottom);
  fill(image, left, top, right, top + thick, colour);
  fill(image, left, bottom - thick, right, bottom, colour);
  fill(image, left, top, left + thick, bottom, colour);
  fill(image, right - thick, top, right, bottom, colour);
  const int32_t size = std::max(1, std::min(image.width, image.height) / 300);
  const Caption caption = caption_of(box.caption);
  const int32_t height = (caption.height + 2) * size;
  const int32_t x = std::max(left, 0), y = top >= height ? top - height : std::max(top, 0);
  fill(image, x, y, x + (caption.width + 4) * size, y + height, colour);
  for (const Caption::Bar& bar : caption.bars) {
    fill(image, x + (bar.left + 2) * size, y + (bar.top + 1) * size, x + (bar.right + 2) * size,
         y + (bar.bottom + 1) * size, {255, 255, 255});
  }
}

SeenPart seen_part(const Image& image, int32_t width, int32_t height, Fit fit) {
  const double sideways = static_cast<double>(image.width) / width,
               upwards = static_cast<double>(image.height) / height;
  if (fit == Fit::kStretch)
    return {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)};
  // Pixels of the picture for each of the network's, the same on both axes.
  const double step = fit == Fit::kCrop ? std::min(sideways, upwards) : std::max(sideways, upwards);
  const double part_width = width * step, part_height = height * step;
  return {(image.width - part_width) / 2, (image.height - part_height) / 2, part_width,
          part_height};
}

}  // namespace thimble
