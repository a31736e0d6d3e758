// SPDX-License-Identifier: Apache-2.0
// Rows of the input with their padding, channels of a pixel side by side: no window of theirs meets
// a border, and all taps of a row of it are one run.
#pragma once

#include "../portable/fixed_point.h"
#include "window_reader.h"

namespace thimble::runtime {

/// Columns [begin, end) of a row of the input, to where `to` says.
inline void copy_columns(const WindowRows& at, const View& x, int32_t row, Outputs columns,
                         CopiedRuns& runs) noexcept {
  const int32_t count = columns.end - columns.begin, channels = at.channels;
  if (!at.joined && (!THIMBLE_USES_RINGS || x.modulus == 0)) {
    const auto* const first = pixel<const int8_t>(x, at.n, row, columns.begin);
    for (int32_t c = 0; c < channels; ++c) {
      const int8_t* from = first + c * x.stride[3];
      int8_t* to = runs.to + c;
      for (int32_t k = count; k > 0; --k, from += x.stride[2], to += channels) *to = *from;
    }
    runs.to += count * channels;
    return;
  }
  for (int32_t column = columns.begin; column < columns.end;) {
    const auto* from = pixel<const int8_t>(x, at.n, row, column);
    int32_t taps = at.joined ? columns.end - column : 1;
    if (THIMBLE_USES_RINGS && taps > 1 && x.modulus != 0)
      taps = taps_before_wrap(x, from, taps, channels);
    if (at.joined) {
      runs.copy(from, taps * channels);
    } else {
      runs.copy_apart(from, x.stride[3], channels);
    }
    column += taps;
  }
}

/// What a row of outputs reads of a row of the input, with padding.
[[gnu::cold, gnu::noinline]] inline void copy_padded_row(const WindowRows& at, const View& x,
                                                         int32_t row, const Region& region,
                                                         int8_t* to) noexcept {
  const Window2D& w = at.window;
  const int32_t first = region.begin[2] * w.stride_w - w.pad_left;
  const int32_t last = (region.end[2] - 1) * w.stride_w - w.pad_left + w.kernel_w;
  Outputs inside = {last, last};
  if (row >= 0 && row < w.in_h) {
    inside.begin = limit(0, first, last);
    inside.end = limit(w.in_w, inside.begin, last);
  }
  CopiedRuns runs{to};
  runs.fill(at.padding, (inside.begin - first) * at.channels);
  if (inside.begin < inside.end) copy_columns(at, x, row, inside, runs);
  runs.fill(at.padding, (last - inside.end) * at.channels);
}

}  // namespace thimble::runtime
