// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/resize.h"

#include <algorithm>
#include <cmath>

namespace thimble {

std::vector<int64_t> nearest_rows(const ResizeNearestNeighbor& a, int64_t in, int64_t out) {
  const bool aligned = a.align_corners && out > 1;
  const float scale =
      static_cast<float>(aligned ? in - 1 : in) / static_cast<float>(aligned ? out - 1 : out);
  const float center = a.half_pixel_centers ? 0.5F : 0.0F;
  std::vector<int64_t> result;
  for (int64_t row = 0; row < out; ++row) {
    const float position = (static_cast<float>(row) + center) * scale;
    const float rounded = a.align_corners ? std::round(position) : std::floor(position);
    result.push_back(std::min(static_cast<int64_t>(rounded), in - 1));
  }
  return result;
}

LinearPositions linear_positions(const ResizeBilinear& a, int64_t in, int64_t out) {
  const bool aligned = a.align_corners && out > 1;
  const int64_t from = aligned ? in - 1 : in, to = aligned ? out - 1 : out;
  const int64_t step = (1024 * from + to / 2) / to;
  return {step, a.half_pixel_centers ? step / 2 - 512 : 0};
}

LinearRows linear_rows(const LinearPositions& positions, int64_t row, int64_t in) {
  const int64_t at = row * positions.step + positions.offset;
  const int64_t first = std::max<int64_t>(at / 1024, 0);
  const int64_t last = std::min((at + 1023) / 1024, in - 1);
  return {first, last, at - first * 1024};
}

std::vector<RealRows> real_rows(const ResizeBilinear& a, int64_t in, int64_t out) {
  const bool aligned = a.align_corners && out > 1;
  const float scale =
      static_cast<float>(aligned ? in - 1 : in) / static_cast<float>(aligned ? out - 1 : out);
  const float center = a.half_pixel_centers ? 0.5F : 0.0F;
  std::vector<RealRows> result;
  for (int64_t row = 0; row < out; ++row) {
    const float scaled = (static_cast<float>(row) + center) * scale;
    const float position = scaled - center;
    const int64_t first =
        std::clamp<int64_t>(static_cast<int64_t>(std::floor(position)), 0, in - 1);
    const int64_t last = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(position)), 0, in - 1);
    result.push_back({first, last, position - static_cast<float>(first)});
  }
  return result;
}

}  // namespace thimble
