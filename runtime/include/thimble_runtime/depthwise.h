// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions, and the sizes of what they keep in scratch (kernels.h).
#pragma once

#include "thimble_runtime/parameters.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

struct DepthwiseConv2DParams {
  const int8_t* weights;  ///< [kernel_h][kernel_w][out channel] (out_channels of them)
  const int32_t* bias;    ///< [out channel], folded as a convolution's (kernels.h)
  ChannelScales scales;
  Window2D window;
  int32_t out_channels;  ///< of the whole tensor: the pitch of weights
  int32_t multiplier;    ///< output channel o reads input channel o / multiplier
  int32_t input_zero_point, output_zero_point;
  int32_t clamp_min, clamp_max;
};

/// x int8, out int8. progress: pixel.
void depthwise_conv_2d(const DepthwiseConv2DParams& p, const View& x, const View& out,
                       const Region& region) noexcept;
/// depthwise_conv_2d over its input: same shape, multiplier 1, no rings, whole images (region
/// covers y and x). scratch: depthwise_conv_2d_in_place_scratch_bytes. progress: plane.
void depthwise_conv_2d_in_place(const DepthwiseConv2DParams& p, const View& x, const View& out,
                                const Region& region, int8_t* scratch) noexcept;
/// One channel of the input.
constexpr int32_t depthwise_conv_2d_in_place_scratch_bytes(
    const DepthwiseConv2DParams& p) noexcept {
  return p.window.in_h * p.window.in_w;
}

/// A depthwise convolution whose constants were packed for Armv7E-M's pairs of int16: of each
/// output channel [bias, weights, what requantises] as words. Its sums are held times a power of
/// two, which bias and weights have in them.
///
/// A window of 3 x 3 with strides 1 or 2: of each row the pairs (w0, w1) and (w1, w2). Any other:
/// of each pair of columns, then of each row, (w0, w1), (w2, w3), ..., and one word of zeros if
/// that is an odd number of words; after all channels the same again with weights one column
/// further right, (0, w0), (w1, w2), ..., if the stride is odd.
///
/// In 8 bits (the compact kernels): a word, the output's zero point less the lower clamp (of the
/// first two kernels: the zero point), then of each output channel bias and multiplier as words and
/// as bytes the weights [kernel_h][kernel_w], by how much it shifts to the right, and zeros up to
/// whole words.
struct DepthwiseConv2DPackedParams {
  const int32_t* constants;  ///< [forms][out channel][words]
  Window2D window;           ///< no dilation
  int32_t out_channels;      ///< of the whole tensor
  int32_t multiplier;        ///< output channel o reads input channel o / multiplier
  int32_t input_zero_point;
  int32_t clamp_add, clamp_less;  ///< of the latter two kernels: 255 - (most - least), most - 255
  int32_t scratch_bytes;
};

/// Input channels are neighbours. scratch: scratch_bytes, aligned to 4; with less than all rows of
/// all channels want, they go by fours of channels, pixel by pixel, or by strips of a row.
/// progress: pixel. The first three differ in what they do to a sum, and do the same to the bit
/// where the compiler may choose between them: outputs from the zero point -128 up, with few
/// different shifts; such outputs; any. The fourth is for float scales.
void depthwise_conv_2d_dsp(const DepthwiseConv2DPackedParams& p, const View& x, const View& out,
                           const Region& region, int8_t* scratch) noexcept;
void depthwise_conv_2d_shifted_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                   const View& out, const Region& region, int8_t* scratch) noexcept;
void depthwise_conv_2d_clamped_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                   const View& out, const Region& region, int8_t* scratch) noexcept;
void depthwise_conv_2d_to_even_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                   const View& out, const Region& region, int8_t* scratch) noexcept;
/// Each takes constants in 8 bits, which are unpacked into scratch when the kernel begins,
/// those of as many channels as go at a time.
void depthwise_conv_2d_compact_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                   const View& out, const Region& region, int8_t* scratch) noexcept;
void depthwise_conv_2d_compact_shifted_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                           const View& out, const Region& region,
                                           int8_t* scratch) noexcept;
void depthwise_conv_2d_compact_clamped_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                           const View& out, const Region& region,
                                           int8_t* scratch) noexcept;
void depthwise_conv_2d_compact_to_even_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                           const View& out, const Region& region,
                                           int8_t* scratch) noexcept;
/// As the first four, output at the addresses of the input: same shape, multiplier 1, no rings,
/// whole images (region covers y and x); scratch has room for whole rows of four channels.
/// progress: plane.
void depthwise_conv_2d_in_place_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                    const View& out, const Region& region,
                                    int8_t* scratch) noexcept;
void depthwise_conv_2d_in_place_shifted_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                            const View& out, const Region& region,
                                            int8_t* scratch) noexcept;
void depthwise_conv_2d_in_place_clamped_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                            const View& out, const Region& region,
                                            int8_t* scratch) noexcept;
void depthwise_conv_2d_in_place_to_even_dsp(const DepthwiseConv2DPackedParams& p, const View& x,
                                            const View& out, const Region& region,
                                            int8_t* scratch) noexcept;

/// Whether the window has blocks of its own.
constexpr bool is_depthwise_3x3(const Window2D& w) noexcept {
  return w.kernel_h == 3 && w.kernel_w == 3 && w.stride_h == w.stride_w && w.stride_w < 3;
}
/// Pairs of columns of a window that may begin in the middle of one.
constexpr int32_t depthwise_window_pairs(const Window2D& w) noexcept {
  return w.stride_w % 2 == 0 ? (w.kernel_w + 1) / 2 : w.kernel_w / 2 + 1;
}
/// Words of weights that a channel has in each form.
constexpr int32_t depthwise_weight_words(const Window2D& w) noexcept {
  return is_depthwise_3x3(w) ? 6 : (depthwise_window_pairs(w) * w.kernel_h + 1) / 2 * 2;
}
/// 1 if there are no weights one column further right, else 2.
constexpr int32_t depthwise_forms(const Window2D& w) noexcept {
  return is_depthwise_3x3(w) || w.stride_w % 2 == 0 ? 1 : 2;
}
/// Words of a channel's constants in 8 bits.
constexpr int32_t depthwise_compact_words(const Window2D& w) noexcept {
  return 2 + (w.kernel_h * w.kernel_w + 1 + 3) / 4;
}
/// Bytes of these when they are unpacked, at most.
constexpr int32_t depthwise_unpacked_bytes(const Window2D& w) noexcept {
  return depthwise_forms(w) * (1 + depthwise_weight_words(w) + 3) * 4;
}
/// Pairs of columns that `count` outputs of a row read.
constexpr int32_t depthwise_pairs(const Window2D& w, int32_t count) noexcept {
  return (count - 1) * w.stride_w / 2 + depthwise_window_pairs(w);
}
/// How many outputs of a row `pairs` pairs of columns are for: fours if there are four.
constexpr int32_t depthwise_outputs(const Window2D& w, int32_t pairs) noexcept {
  const int32_t count = ((pairs - depthwise_window_pairs(w)) * 2 + 1) / w.stride_w + 1;
  return count < 4 ? count : count / 4 * 4;
}
/// Blocks may read beyond the last window.
constexpr int32_t kDepthwiseSlackBytes = 64;
constexpr int32_t depthwise_padding_bytes(int32_t channels) noexcept {
  return (channels + 3) / 4 * 4;
}
/// Scratch for `count` outputs of a row and `rows` rows of inputs of `channels`.
constexpr int32_t depthwise_scratch_bytes(const Window2D& w, int32_t channels, int32_t count,
                                          int32_t rows) noexcept {
  return channels * depthwise_pairs(w, count) * rows * 4 + depthwise_padding_bytes(channels) +
         kDepthwiseSlackBytes;
}
/// Rows of inputs that are kept from one output row to the next, if there is one.
constexpr int32_t depthwise_rows(const Window2D& w, int32_t output_rows) noexcept {
  return is_depthwise_3x3(w) && w.stride_h == 1 && output_rows > 1 ? 4 : w.kernel_h;
}
/// Fours of channels whose whole rows, of `count` outputs, have room at a time, with so many bytes
/// more for each channel.
constexpr int32_t depthwise_fours(const Window2D& w, int32_t scratch_bytes, int32_t count,
                                  int32_t output_rows, int32_t channel_bytes = 0) noexcept {
  const int32_t rows = depthwise_rows(w, output_rows);
  return (scratch_bytes - kDepthwiseSlackBytes) /
         (16 * depthwise_pairs(w, count) * rows + 4 + 4 * channel_bytes);
}
/// Whether a call of that many outputs goes pixel by pixel, from the inputs as they are, for which
/// scratch has to hold one pixel of padding: one alone, or where few channels' rows have room.
constexpr bool depthwise_by_pixels(const Window2D& w, int32_t multiplier, int32_t scratch_bytes,
                                   int32_t rows, int32_t columns, int32_t channels) noexcept {
  if (!is_depthwise_3x3(w) || multiplier != 1) return false;
  if (rows * columns == 1) return true;
  if (depthwise_scratch_bytes(w, channels, columns, depthwise_rows(w, rows)) <= scratch_bytes)
    return false;
  return depthwise_fours(w, scratch_bytes, columns, rows) < (rows == 1 ? 4 : 1);
}

/// depthwise_conv_2d for windows of up to 64 taps without dilation whose scales all shift to the
/// right: input channels are neighbours; no rings. scratch: depthwise_conv_2d_mve_scratch_bytes.
/// progress: pixel.
void depthwise_conv_2d_mve(const DepthwiseConv2DParams& p, const View& x, const View& out,
                           const Region& region, int8_t* scratch) noexcept;

/// Planes in scratch: of each channel column by column `slots` rows of inputs, the windows of
/// `rows` output rows.
struct DepthwisePlanes {
  int32_t vectors;  ///< of 16 bytes, a window's: 1, 2 or 4
  int32_t rows, slots;
};
/// As many rows at once as a window's vectors can hold; of one vector three, whose sums share
/// loads.
constexpr DepthwisePlanes depthwise_planes(const Window2D& w) noexcept {
  const int32_t taps = w.kernel_h * w.kernel_w;
  const int32_t vectors = taps <= 16 ? 1 : taps <= 32 ? 2 : 4;
  const int32_t most = (16 * vectors / w.kernel_w - w.kernel_h) / w.stride_h + 1;
  const int32_t rows = vectors == 1 && most > 3 ? 3 : most;
  return {vectors, rows, w.kernel_h + (rows - 1) * w.stride_h};
}
constexpr DepthwisePlanes depthwise_single_row(const Window2D& w) noexcept {
  return {depthwise_planes(w).vectors, 1, w.kernel_h};
}
/// Bytes of a channel's weights, with zeros around them for its rows.
constexpr int32_t depthwise_plane_weights(const Window2D& w, const DepthwisePlanes& d) noexcept {
  return 16 * d.vectors + (d.rows - 1) * w.stride_h;
}
/// Bytes of a plane for `count` outputs side by side.
constexpr int32_t depthwise_plane_bytes(const Window2D& w, const DepthwisePlanes& d,
                                        int32_t count) noexcept {
  return ((count - 1) * w.stride_w + w.kernel_w) * d.slots;
}
/// Windows of four outputs are read where there may be one, and whole vectors.
constexpr int32_t depthwise_planes_slack(const Window2D& w, const DepthwisePlanes& d) noexcept {
  return 3 * w.stride_w * d.slots + 16 * d.vectors;
}
constexpr int32_t depthwise_planes_scratch(const DepthwiseConv2DParams& p, const DepthwisePlanes& d,
                                           int32_t count) noexcept {
  return p.out_channels * depthwise_plane_weights(p.window, d) +
         p.out_channels / p.multiplier * depthwise_plane_bytes(p.window, d, count) +
         depthwise_planes_slack(p.window, d);
}
/// That of whole rows, as long as it is little; else for a few outputs of a row at a time. Rows of
/// SAME padding; wider ones are computed in strips, too.
constexpr int32_t depthwise_conv_2d_mve_scratch_bytes(const DepthwiseConv2DParams& p) noexcept {
  constexpr int32_t kMuch = 16 << 10;
  constexpr int32_t kSome = 8 << 10;
  const Window2D& w = p.window;
  const int32_t columns = (w.in_w + w.stride_w - 1) / w.stride_w;
  const int32_t whole = depthwise_planes_scratch(p, depthwise_planes(w), columns);
  if (whole <= kMuch) return whole;
  const int32_t least =
      depthwise_planes_scratch(p, depthwise_single_row(w), columns < 4 ? columns : 4);
  return least < kSome ? kSome : least;
}
/// How a call goes through a region that is `width` outputs wide: whole rows if there is room, as
/// many at once as can be, else strips of one.
struct DepthwiseStrips {
  DepthwisePlanes planes;
  int32_t outputs;  ///< side by side
};
constexpr DepthwiseStrips depthwise_strips(const DepthwiseConv2DParams& p, int32_t width) noexcept {
  const int32_t room = depthwise_conv_2d_mve_scratch_bytes(p);
  const DepthwisePlanes several = depthwise_planes(p.window);
  if (depthwise_planes_scratch(p, several, width) <= room) return {several, width};
  const DepthwisePlanes single = depthwise_single_row(p.window);
  const int32_t one = depthwise_planes_scratch(p, single, 1);
  const int32_t more = depthwise_planes_scratch(p, single, 2) - one;
  const int32_t fit = 1 + (room - one) / more;
  if (fit >= width) return {single, width};
  return {single, fit < 4 ? fit : fit / 4 * 4};
}

}  // namespace thimble::runtime
