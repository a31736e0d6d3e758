// SPDX-License-Identifier: Apache-2.0
// What operators with a window over height and width share.
#include "thimble/operators/windows.h"

#include <algorithm>
#include <initializer_list>

namespace thimble {
namespace {

/// Products of two of them stay far from overflow.
constexpr int64_t kLimit = 65535;

bool within(std::initializer_list<int64_t> values, int64_t lowest) {
  return std::all_of(values.begin(), values.end(),
                     [&](int64_t v) { return v >= lowest && v <= kLimit; });
}

int64_t window_extent(int64_t in, int64_t padding, int64_t kernel, int64_t stride,
                      int64_t dilation) {
  const int64_t room = in + padding - ((kernel - 1) * dilation + 1);
  return room < 0 ? 0 : room / stride + 1;
}

}  // namespace

Affine window_map_y(const Window& w) {
  const int64_t top = w.padding.top;
  return {1, w.stride_h, 1, -top, (w.kernel_h - 1) * w.dilation_h - top};
}

Affine window_map_x(const Window& w) {
  const int64_t left = w.padding.left;
  return {2, w.stride_w, 1, -left, (w.kernel_w - 1) * w.dilation_w - left};
}

Shape window_output(const Window& w, const Shape& x, int64_t channels) {
  const Padding& p = w.padding;
  return {x[0], window_extent(x[1], p.top + p.bottom, w.kernel_h, w.stride_h, w.dilation_h),
          window_extent(x[2], p.left + p.right, w.kernel_w, w.stride_w, w.dilation_w), channels};
}

bool window_is_sane(const Window& w, const Shape& x) {
  const Padding& p = w.padding;
  return within({w.kernel_h, w.kernel_w, w.stride_h, w.stride_w, w.dilation_h, w.dilation_w, x[1],
                 x[2]},
                1) &&
         within({p.top, p.bottom, p.left, p.right}, 0);
}

bool window_never_misses(const Window& w) {
  const Padding& p = w.padding;
  return w.dilation_h == 1 && w.dilation_w == 1 && std::max(p.top, p.bottom) < w.kernel_h &&
         std::max(p.left, p.right) < w.kernel_w;
}

}  // namespace thimble
