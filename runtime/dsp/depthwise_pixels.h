// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution by the blocks of depthwise_dsp.h, or from the inputs as they are where
// scratch has too little room for these.
#pragma once

#include "depthwise_dsp.h"

namespace thimble::runtime {

/// Windows of 3 x 3 pixel by pixel, all channels of each, from the inputs as they are.
class DepthwisePixels {
 public:
  DepthwisePixels(const DepthwiseConv2DPackedParams& p, const View& x, const View& out,
                  int8_t* scratch, const DepthwisePixelTail& its) noexcept
      : p_(p), x_(x), out_(out), padding_(scratch), its_(its) {
    pixel_.clamp = {p.clamp_add, p.clamp_less};
    pixel_.out_step = out.stride[3];
  }

  /// None of the region's axes is empty.
  [[gnu::cold]] void run(const Region& region) noexcept {
    const Window2D& w = p_.window;
    first_ = region.begin[3];
    channels_ = region.end[3] - first_;
    constants_ = p_.constants + first_ * (1 + 6 + its_.tail.words);
    auto* const padding = reinterpret_cast<uint32_t*>(padding_);
    const uint32_t four = static_cast<uint8_t>(p_.input_zero_point) * 0x01010101u;
    for (int32_t k = 0; k < (channels_ + 3) / 4; ++k) padding[k] = four;
    for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
      for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
        int32_t left = region.begin[2] * w.stride_w - w.pad_left;
        for (int32_t k = 0; k < 3; ++k) set_row(rows_[k], n, y * w.stride_h - w.pad_top + k, left);
        int8_t* to = pixel<int8_t>(out_, n, y, region.begin[2]);
        for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
          if (out_.modulus != 0) to = pixel<int8_t>(out_, n, y, column);
          one(left, to + first_ * out_.stride[3]);
          left += w.stride_w;
          to += out_.stride[2];
        }
      }
    }
  }

 private:
  /// A row of the input: where column 0 would be, and from which column on it is at the beginning
  /// of a ring.
  struct Row {
    const int8_t* at;  ///< null: padding
    int32_t wrap;
  };

  // Sets a row for column `left` and those behind it.
  void set_row(Row& row, int32_t n, int32_t y, int32_t left) const noexcept {
    row.at = nullptr;
    if (y < 0 || y >= p_.window.in_h) return;
    const int32_t step = x_.stride[2];
    int32_t first = n * x_.stride[0] + y * x_.stride[1] - x_.bias;
    row.wrap = p_.window.in_w;
    if (x_.modulus != 0) {
      if (left < 0) left = 0;
      const int32_t at = (first + left * step) % x_.modulus;
      row.wrap = left + (x_.modulus - at + step - 1) / step;
      first = at - left * step - x_.channel;
    }
    row.at = static_cast<const int8_t*>(x_.data) + first + first_;
  }

  [[gnu::noinline]] void one(int32_t left, int8_t* to) noexcept {
    const int8_t** tap = pixel_.taps;
    const int32_t step = x_.stride[2];
    const bool inside = left >= 0 && left + 3 <= p_.window.in_w;
    for (const Row& row : rows_) {
      if (inside && row.at != nullptr && left + 3 <= row.wrap) {
        const int8_t* from = row.at + left * step;
        tap[0] = from;
        tap[1] = from + step;
        tap[2] = from + 2 * step;
      } else {
        for (int32_t k = 0; k < 3; ++k) tap[k] = tap_of(row, left + k);
      }
      tap += 3;
    }
    pixel_.constants = constants_;
    pixel_.out = to;
    pixel_.fours = channels_ / 4;
    if (pixel_.fours != 0) its_.pixel(&pixel_);
    for (int32_t k = channels_ % 4; k > 0; --k) depthwise_channel(&pixel_, its_.tail);
  }
  const int8_t* tap_of(const Row& row, int32_t column) const noexcept {
    if (row.at == nullptr || column < 0 || column >= p_.window.in_w) return padding_;
    return row.at + column * x_.stride[2] - (column >= row.wrap ? x_.modulus : 0);
  }

  const DepthwiseConv2DPackedParams& p_;
  const View& x_;
  const View& out_;
  int8_t* padding_;
  const DepthwisePixelTail& its_;
  int32_t first_ = 0, channels_ = 0;
  const int32_t* constants_ = nullptr;
  Row rows_[3];
  DepthwisePixel pixel_{};
};

/// Apart from the rest, whose stack it does not share.
[[gnu::noinline]] inline void convolve_pixels(const DepthwiseConv2DPackedParams& p, const View& x,
                                              const View& out, const Region& region,
                                              int8_t* scratch,
                                              const DepthwisePixelTail& its) noexcept {
  DepthwisePixels(p, x, out, scratch, its).run(region);
}

/// Where few channels go at a time and an output may lie over inputs that others still want, all go
/// in strips of a row, or pixel by pixel.
[[gnu::cold, gnu::noinline]] inline void convolve_blocks_or_pixels(
    const DepthwiseConv2DPackedParams& p, const View& x, const View& out, const Region& region,
    int8_t* scratch, const DepthwisePixelTail& its) noexcept {
  if (is_empty(region)) return;  // before anything is packed
  const int32_t rows = region.end[1] - region.begin[1], columns = region.end[2] - region.begin[2];
  const Window2D& w = p.window;
  const int32_t channels = region.end[3] - region.begin[3];
  constexpr bool kPixels = THIMBLE_USES_DEPTHWISE_PIXELS;
  if (kPixels && depthwise_by_pixels(w, p.multiplier, p.scratch_bytes, rows, columns, channels))
    return convolve_pixels(p, x, out, region, scratch, its);
  if (!THIMBLE_USES_DEPTHWISE_PARTS)
    return convolve_channels(p, x, out, region, scratch, its.tail, channels, false);
  const int32_t fours = depthwise_fours(w, p.scratch_bytes, columns, rows);
  const int32_t most = p.multiplier != 1 ? channels : fours == 0 ? 4 : 4 * fours;
  if (most >= channels || is_apart(w, x, out, region))
    return convolve_channels(p, x, out, region, scratch, its.tail, most, false);
  if (kPixels && is_depthwise_3x3(w)) return convolve_pixels(p, x, out, region, scratch, its);
  if (!THIMBLE_USES_DEPTHWISE_ANY) return;
  if (depthwise_scratch_bytes(w, channels, 1, w.kernel_h) <= p.scratch_bytes)
    return convolve_channels(p, x, out, region, scratch, its.tail, channels, false);
  each_pixel(region, [&](const Region& one) noexcept {
    convolve_channels(p, x, out, one, scratch, its.tail, 4, false);
  });
}

/// The kernels.
inline void convolve_depthwise(const DepthwiseConv2DPackedParams& p, const View& x, const View& out,
                               const Region& region, int8_t* scratch,
                               const DepthwisePixelTail& its) noexcept {
  with_straight_views<convolve_blocks_or_pixels, DepthwiseConv2DPackedParams, int8_t*,
                      const DepthwisePixelTail&>(p, x, out, region, scratch, its);
}

}  // namespace thimble::runtime
