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

/// Outputs [begin, end) along one axis.
struct Outputs {
  int32_t begin, end;
};

/// The outputs of [begin, end) that read no padding.
inline Outputs full_outputs(int32_t begin, int32_t end, int32_t kernel, int32_t stride,
                            int32_t dilation, int32_t pad, int32_t extent) noexcept {
  const int32_t first = (pad + stride - 1) / stride;
  const int32_t last_origin = extent - 1 - (kernel - 1) * dilation;
  const int32_t past = last_origin + pad < 0 ? 0 : (last_origin + pad) / stride + 1;
  return {first > begin ? first : begin, past < end ? past : end};
}

inline Outputs full_rows(const Window2D& w, const Region& region) noexcept {
  return full_outputs(region.begin[1], region.end[1], w.kernel_h, w.stride_h, w.dilation_h,
                      w.pad_top, w.in_h);
}

inline Outputs full_columns(const Window2D& w, const Region& region) noexcept {
  return full_outputs(region.begin[2], region.end[2], w.kernel_w, w.stride_w, w.dilation_w,
                      w.pad_left, w.in_w);
}

}  // namespace thimble::runtime
