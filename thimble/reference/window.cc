// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/window.h"

#include <algorithm>

#include "thimble/model/division.h"
#include "thimble/model/error.h"

namespace thimble::reference {
namespace {

Taps taps_inside(int64_t origin, int64_t kernel, int64_t dilation, int64_t extent) {
  // origin + k * dilation >= 0 and < extent.
  const int64_t begin = std::clamp<int64_t>(ceil_div(-origin, dilation), 0, kernel);
  const int64_t end = std::clamp(ceil_div(extent - origin, dilation), begin, kernel);
  return {.begin = begin, .end = end, .origin = origin, .dilation = dilation};
}

}  // namespace

Taps taps_of_row(const Window& window, int64_t y, int64_t in_h) {
  return taps_inside(y * window.stride_h - window.padding.top, window.kernel_h, window.dilation_h,
                     in_h);
}

Taps taps_of_column(const Window& window, int64_t x, int64_t in_w) {
  return taps_inside(x * window.stride_w - window.padding.left, window.kernel_w, window.dilation_w,
                     in_w);
}

Image::Image(const std::vector<int64_t>& shape) {
  check(shape.size() == 4, "an image has four axes");
  n = shape[0];
  h = shape[1];
  w = shape[2];
  c = shape[3];
}

}  // namespace thimble::reference
