// SPDX-License-Identifier: Apache-2.0
// A picture of any size as one of the size that a network takes.
#pragma once

#include <cstdint>

#include "thimble/inputs/image.h"

namespace thimble {

enum class Resize : uint8_t {
  kBilinear,  ///< of the four pixels around; centres of pixels are halves, as in tf.image.resize
  kNearest,
  kArea,  ///< the mean of all that a pixel covers: for much smaller pictures
  kNone,  ///< the size must be the network's
};
enum class Fit : uint8_t {
  kStretch,  ///< sides scaled each by itself
  kCrop,     ///< the largest part in the middle that has the network's proportions
  kPad,      ///< all of it in the middle, black around
};

/// Values are rounded to the nearest whole number. With Resize::kNone the picture has the size.
[[nodiscard]] Image fitted(const Image& image, int32_t width, int32_t height, Resize resize,
                           Fit fit);

}  // namespace thimble
