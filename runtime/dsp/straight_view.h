// SPDX-License-Identifier: Apache-2.0
// Pieces of rings as memory without an end: rows that lie in one run of it take the same way as
// those of whole tensors.
#pragma once

#include "thimble_runtime/kernels.h"
#include "thimble_runtime/uses.h"

namespace thimble::runtime {

/// The inputs that windows of the region read, channels as the region has them; its end is before
/// its beginning where all of them are padding.
inline Region inputs_of(const Window2D& w, const Region& region) noexcept {
  const auto clip = [](int32_t& begin, int32_t& end, int32_t stride, int32_t pad, int32_t kernel,
                       int32_t extent) noexcept {
    begin = begin * stride - pad;
    end = (end - 1) * stride - pad + kernel;
    if (begin < 0) begin = 0;
    if (end > extent) end = extent;
  };
  Region read = region;
  clip(read.begin[1], read.end[1], w.stride_h, w.pad_top, (w.kernel_h - 1) * w.dilation_h + 1,
       w.in_h);
  clip(read.begin[2], read.end[2], w.stride_w, w.pad_left, (w.kernel_w - 1) * w.dilation_w + 1,
       w.in_w);
  return read;
}

/// The view without its ring, if that does not begin anew among the region's pixels; as it is if it
/// does, or if there are no pixels.
inline View straight(const View& view, const Region& region) noexcept {
  if (view.modulus == 0) return view;
  int32_t begin = -view.bias, last = -view.bias;
  for (int32_t axis = 0; axis < 3; ++axis) {
    if (region.begin[axis] >= region.end[axis]) return view;
    begin += region.begin[axis] * view.stride[axis];
    last += (region.end[axis] - 1) * view.stride[axis];
  }
  const int32_t at = begin % view.modulus;
  if (at + (last - begin) >= view.modulus) return view;
  View result = view;
  result.bias += begin - at + view.channel;
  result.modulus = 0;
  result.channel = 0;
  return result;
}

template <auto kKernel, class Params, class... Rest>
[[gnu::cold, gnu::noinline]] void call_straight(const Params& p, const View& x, const View& out,
                                                const Region& region, Rest... rest) noexcept {
  const View from = straight(x, inputs_of(p.window, region)), to = straight(out, region);
  kKernel(p, from, to, region, rest...);
}

/// Calls a kernel of a window, with straight views of rings where it is worth the while: not for
/// single columns. Other calls have no copies of views on their stack.
template <auto kKernel, class Params, class... Rest>
[[gnu::cold]] inline void with_straight_views(const Params& p, const View& x, const View& out,
                                              const Region& region, Rest... rest) noexcept {
  if (THIMBLE_USES_RINGS && (x.modulus | out.modulus) != 0 && region.end[2] - region.begin[2] >= 2)
    return call_straight<kKernel>(p, x, out, region, rest...);
  kKernel(p, x, out, region, rest...);
}

/// Whether a ring goes on from one column of a row to another without beginning anew.
[[gnu::cold, gnu::noinline]] inline bool is_run(const View& view, int32_t n, int32_t y,
                                                int32_t column, int32_t last) noexcept {
  return !THIMBLE_USES_RINGS || view.modulus == 0 ||
         pixel<int8_t>(view, n, y, last) - pixel<int8_t>(view, n, y, column) ==
             (last - column) * view.stride[2];
}

}  // namespace thimble::runtime
