// SPDX-License-Identifier: Apache-2.0
// Which taps of a sliding window lie inside the input.
#pragma once

#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

/// One axis of a window at one place: tap k reads the input at origin + k * dilation, and the taps
/// [begin, end) lie inside the input.
struct Taps {
  int32_t origin, begin, end;
};

inline Taps taps_at(int32_t origin, int32_t kernel, int32_t dilation, int32_t extent) noexcept {
  Taps taps{origin, 0, kernel};
  while (taps.begin < taps.end && origin + taps.begin * dilation < 0) ++taps.begin;
  while (taps.end > taps.begin && origin + (taps.end - 1) * dilation >= extent) --taps.end;
  return taps;
}

inline Taps rows_at(const Window2D& w, int32_t out_y) noexcept {
  return taps_at(out_y * w.stride_h - w.pad_top, w.kernel_h, w.dilation_h, w.in_h);
}

inline Taps columns_at(const Window2D& w, int32_t out_x) noexcept {
  return taps_at(out_x * w.stride_w - w.pad_left, w.kernel_w, w.dilation_w, w.in_w);
}

inline bool inside(const Taps& taps, int32_t k) noexcept { return k >= taps.begin && k < taps.end; }

/// End of the run of taps from k on that are all inside, or all outside.
inline int32_t run_end(const Taps& taps, int32_t k, int32_t kernel) noexcept {
  if (k < taps.begin) return taps.begin;
  return k < taps.end ? taps.end : kernel;
}

}  // namespace thimble::runtime
