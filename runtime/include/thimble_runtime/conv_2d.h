// SPDX-License-Identifier: Apache-2.0
// Convolutions and fully connected layers with constant weights, and the sizes of their scratch
// (kernels.h).
#pragma once

#include "thimble_runtime/parameters.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

/// Convolution, grouped or not; a fully connected layer is a 1 x 1 convolution.
struct Conv2DParams {
  const int8_t* weights;  ///< [out channel][kernel_h][kernel_w][in_per_group]
  const int32_t* bias;    ///< [out channel], less input zero point * sum of the channel's weights
  ChannelScales scales;   ///< [out channel]
  Window2D window;
  int32_t in_per_group, out_per_group;  ///< channels
  int32_t input_zero_point;             ///< value of the padding
  int32_t output_zero_point;
  int32_t clamp_min, clamp_max;
};

/// x int8, out int8; region: of the output. progress: pixel.
void conv_2d(const Conv2DParams& p, const View& x, const View& out, const Region& region) noexcept;
/// conv_2d with weights of 4 bits, two to a byte, the lower half first; those of an output channel
/// begin with a byte. progress: pixel.
void conv_2d_nibbles(const Conv2DParams& p, const View& x, const View& out,
                     const Region& region) noexcept;

/// How kernels in 16 bits make int8 of sums (docs/kernels.md): the factors of 2 that these are held
/// with, and what is left to do with the constants of the channel. Of kRelu, kReluHigh and
/// kReluFrom it is 2^(2 + left shift), of kSigned and kSignedClamps 2^(1 + left shift).
enum class Tail : int32_t {
  kReluBy11,      ///< kRelu, all sums held so that one right shift, 11, is left
  kReluBy14,      ///< kRelu, the same with 14
  kRelu,          ///< lower clamp -128 and the zero point, upper clamp 127
  kReluHigh,      ///< the same with any upper clamp from 0 on
  kSigned,        ///< clamps -128 and 127, right shifts from 1 on
  kSignedClamps,  ///< the same with lower clamps to -1 and upper ones from 0 on
  kReluFrom,      ///< the zero point, whatever it is, is the lower clamp; upper clamp 127
  kToEven,        ///< float scales (kFloatShift), clamps -128 and 127; the sum is held as it is
  kToEvenClamps,  ///< the same with lower clamps to -1 and upper ones from 0 on
  kSums,  ///< any others: the sum is held as it is, the constants are those of the reference
};
/// The right shift that all channels have; 0: each has its own.
constexpr int32_t shared_shift(Tail tail) noexcept {
  return tail == Tail::kReluBy11 ? 11 : tail == Tail::kReluBy14 ? 14 : 0;
}

/// Two output channels after the other, each pair as words: their biases; for every four inputs
/// (rows of the window of conv_2d_pairs_row_inputs each, or the fours of all rows and behind them
/// what is left of all) four words of weights, inputs 0 and 2, 1 and
/// 3 of the first channel, then of the second; multiplier, constant and shift of both. Weights and
/// biases are times the factor of their tail; with a shared shift, times 2^(1 + it - right shift);
/// as they are where tail is kSums. A last channel alone has one of zeros beside.
///
/// Compact: for every four inputs a word of each channel, of which the halves are 256 p + q, p the
/// weights of inputs 1 and 3, q of 0 and 2; sums are held times 256 whatever the tail (float scales
/// over 256), and so are biases, with 127 times all p besides. 256 p + q fits 16 bits but for some
/// p of -128, which is held as -127: behind the pairs are channel and input (in the order of the
/// weights) of each of these, channels in order, then INT32_MAX.
///
/// Nibbles: for every eight inputs a word of each channel. From the highest four bits down, its
/// upper half has the weights of inputs 2, 3, 6 and 7, the lower one those of 0, 1, 4 and 5. Sums
/// are held times 4096 whatever the tail (float scales over 4096), and so are biases.
///
/// Compact weights and nibbles begin with a word that is 1 where all channels have the same three
/// constants: these stand behind the pairs once, for two channels, and in no pair. Else it is 0.
struct Conv2DPairsParams {
  const int32_t* pairs;
  Window2D window;
  int32_t in_channels, out_channels;
  int32_t input_zero_point;  ///< value of the padding
  int32_t output_zero_point;
  int32_t clamp_min, clamp_max;
  int32_t tail;  ///< a Tail
};
/// conv_2d of one group in pairs of pixels and channels: channels of out are neighbours.
/// scratch: conv_2d_pairs_dsp_scratch_bytes, aligned to 4. progress: pixel.
void conv_2d_pairs_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                       const Region& region, int8_t* scratch) noexcept;
/// conv_2d_pairs_dsp with compact weights; every sum times 256 fits 32 bits.
void conv_2d_pairs_compact_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                               const Region& region, int8_t* scratch) noexcept;
/// conv_2d_pairs_dsp with nibbles; every sum times 4096 fits 32 bits.
void conv_2d_pairs_nibbles_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                               const Region& region, int8_t* scratch) noexcept;
/// conv_2d_pairs_dsp without scratch, pixel by pixel, for a window of one tap without padding:
/// channels of x are neighbours, a multiple of four. progress: pixel.
void conv_2d_1x1_dsp(const Conv2DPairsParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
/// Inputs of a row of the window as weights have them: filled up with zeros to a multiple of four
/// where inputs have few channels and it takes no more words (3 x 3 of one channel). Then rows
/// follow one another.
constexpr int32_t conv_2d_pairs_row_inputs(int32_t kernel_h, int32_t kernel_w,
                                           int32_t in_channels) noexcept {
  const int32_t run = kernel_w * in_channels, filled = (run + 3) / 4 * 4;
  const bool fits = kernel_h * filled == (kernel_h * run + 3) / 4 * 4;
  return fits && in_channels < 4 && kernel_h > 1 ? filled : run;
}
/// Most rows of a window that is read row by row.
constexpr int32_t kMostWindowRows = 12;
/// Bytes of a row of inputs with its padding, where rows are copied: first layers, whose taps do
/// not begin at multiples of four. Else 0.
constexpr int32_t conv_2d_pairs_row_bytes(const Conv2DPairsParams& p) noexcept {
  constexpr int32_t kMostBytes = 6 * 1024;  // of all rows of a window
  const Window2D& w = p.window;
  const bool copied = p.in_channels < 4 && w.kernel_h * w.kernel_w > 1 &&
                      w.kernel_h <= kMostWindowRows && w.dilation_h * w.dilation_w == 1 &&
                      w.stride_w <= w.kernel_w;
  const int32_t bytes = (w.pad_left + w.in_w + w.kernel_w - 1) * p.in_channels;
  return copied && w.kernel_h * bytes <= kMostBytes ? bytes : 0;
}
/// The inputs of two pixels in 16 bits; where taps do not begin at multiples of four, a copy of
/// one's as they are, and of the rows that they come from, which rows filled up are read beyond.
constexpr int32_t conv_2d_pairs_dsp_scratch_bytes(const Conv2DPairsParams& p) noexcept {
  const int32_t inputs = p.window.kernel_h * p.window.kernel_w * p.in_channels;
  const int32_t fours = (inputs + 3) / 4;
  const int32_t row = p.window.kernel_w * p.in_channels;
  const int32_t beyond =
      conv_2d_pairs_row_inputs(p.window.kernel_h, p.window.kernel_w, p.in_channels) - row;
  const int32_t rows = p.window.kernel_h * conv_2d_pairs_row_bytes(p) + beyond;
  return fours * (inputs != p.in_channels && p.in_channels % 4 != 0 ? 20 : 16) + (rows + 3) / 4 * 4;
}
constexpr int32_t conv_2d_pairs_compact_dsp_scratch_bytes(const Conv2DPairsParams& p) noexcept {
  return conv_2d_pairs_dsp_scratch_bytes(p);
}
/// Inputs of both pixels are read in eights.
constexpr int32_t conv_2d_pairs_nibbles_dsp_scratch_bytes(const Conv2DPairsParams& p) noexcept {
  const int32_t fours = (p.window.kernel_h * p.window.kernel_w * p.in_channels + 3) / 4;
  return conv_2d_pairs_dsp_scratch_bytes(p) + fours % 2 * 16;
}

/// How kernels in MVE round what is left of a product when it is shifted right (docs/kernels.md).
enum class FoursRounding : int32_t {
  kUp,      ///< ties up: the lower clamp is not below the zero point, no shift is to the left
  kAway,    ///< ties away from zero: every shift is to the right
  kAny,     ///< ties away from zero where the shift is to the right
  kToEven,  ///< float scales (kFloatShift)
};

/// Four output channels after the other, each four as words: their biases; for every 16 inputs
/// (channels of taps, filled up with zeros) 16 weights of each channel; the multipliers; the
/// shifts, negative to the right. Channels behind the last one are zeros.
struct Conv2DFoursParams {
  const int32_t* fours;
  Window2D window;
  int32_t in_channels, out_channels;
  int32_t input_zero_point;  ///< value of the padding
  int32_t output_zero_point;
  int32_t clamp_min, clamp_max;
  int32_t rounding;  ///< a FoursRounding
};
/// Words of four channels.
constexpr int32_t fours_words(int32_t inputs) noexcept { return (inputs + 15) / 16 * 16 + 12; }
/// conv_2d of one group in pairs of pixels and fours of channels: channels of out are neighbours.
/// scratch: conv_2d_mve_scratch_bytes. progress: pixel.
void conv_2d_mve(const Conv2DFoursParams& p, const View& x, const View& out, const Region& region,
                 int8_t* scratch) noexcept;
/// conv_2d_mve for one tap without padding: channels of x are neighbours. progress: pixel.
void conv_2d_1x1_mve(const Conv2DFoursParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
/// Nibbles: weights are -7 to 7, and of channels 0 and 1, and of 2 and 3, there is a byte for each
/// input: the first channel's, plus 16 times the second's. The first one's bias is held times 16,
/// as its sums are; the second one's so with the first one's bias added. Sums times 16 fit 32 bits.
constexpr int32_t nibble_fours_words(int32_t inputs) noexcept {
  return (inputs + 15) / 16 * 8 + 12;
}
void conv_2d_nibbles_mve(const Conv2DFoursParams& p, const View& x, const View& out,
                         const Region& region, int8_t* scratch) noexcept;
void conv_2d_1x1_nibbles_mve(const Conv2DFoursParams& p, const View& x, const View& out,
                             const Region& region) noexcept;
/// The windows of two pixels.
constexpr int32_t conv_2d_mve_scratch_bytes(const Conv2DFoursParams& p) noexcept {
  return 2 * p.window.kernel_h * p.window.kernel_w * p.in_channels;
}
constexpr int32_t conv_2d_nibbles_mve_scratch_bytes(const Conv2DFoursParams& p) noexcept {
  return conv_2d_mve_scratch_bytes(p);
}
/// Adds the contribution of input channels [begin_channel, end_channel) to 32-bit accumulators;
/// sets them to bias first if begin_channel is 0. One group only. progress: pixel.
void conv_2d_accumulate(const Conv2DParams& p, const View& x, const View& accumulators,
                        const Region& region, int32_t begin_channel, int32_t end_channel) noexcept;
/// Requantises complete accumulators. progress: element.
void conv_2d_finalise(const Conv2DParams& p, const View& accumulators, const View& out,
                      const Region& region) noexcept;

/// Sums in accumulators of 16 or 8 bits, which are lossy (Graph::accumulators). Nothing is folded
/// into the bias: a chunk subtracts the zero point from the channels that it reads.
struct Conv2DNarrowParams {
  const int8_t* weights;  ///< [out channel][kernel_h][kernel_w][in_channels]
  const int32_t* bias;    ///< [out channel], the model's
  ChannelScales scales;   ///< [out channel]: from the products to the accumulators
  Window2D window;
  int32_t in_channels;
  int32_t input_zero_point;
  int32_t accumulator_zero_point;
};
/// accumulators = saturate(accumulators + requantise(what input channels [begin_channel,
/// end_channel) contribute)); if begin_channel is 0, they start at their zero point and the bias is
/// added. One function per width; a rescale_* makes the output of them. progress: pixel.
void conv_2d_accumulate_i16(const Conv2DNarrowParams& p, const View& x, const View& accumulators,
                            const Region& region, int32_t begin_channel,
                            int32_t end_channel) noexcept;
void conv_2d_accumulate_i8(const Conv2DNarrowParams& p, const View& x, const View& accumulators,
                           const Region& region, int32_t begin_channel,
                           int32_t end_channel) noexcept;

/// Convolutions that fold nothing into the bias: of int16 or of int8 weights with a zero point,
/// grouped, depthwise or fully connected, and transposed ones.
struct UnfoldedConv2DParams {
  const int8_t* weights;  ///< [out channel][kernel_h][kernel_w][in_per_group]
  const int32_t* bias;    ///< [out channel][2]: lower and upper word
  ChannelScales scales;   ///< [out channel]
  Window2D window;
  int32_t in_per_group, out_per_group;          ///< channels
  int32_t out_channels;                         ///< of all groups
  int32_t input_zero_point, output_zero_point;  ///< 0 for int16
  int32_t weights_zero_point;                   ///< 0 but for conv_2d_offset
  int32_t clamp_min, clamp_max;
  int32_t rounds_once;  ///< 1: sums of 64 bits, rounded once with 16 bits of the multiplier
};
/// progress: pixel.
void conv_2d_i16(const UnfoldedConv2DParams& p, const View& x, const View& out,
                 const Region& region) noexcept;
/// int8; sums of 32 bits. progress: pixel.
void conv_2d_offset(const UnfoldedConv2DParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
/// One group: output row y reads the input rows (y + pad_top - k) / stride_h that are whole
/// numbers. progress: pixel.
void transpose_conv(const UnfoldedConv2DParams& p, const View& x, const View& out,
                    const Region& region) noexcept;
void transpose_conv_i16(const UnfoldedConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept;
/// transpose_conv of one group of input channels, which are neighbours, four output channels at a
/// time. Inputs are read where they lie. progress: pixel.
void transpose_conv_dsp(const UnfoldedConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept;
void transpose_conv_mve(const UnfoldedConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept;

/// Convolutions of int16 in words: output channels in groups of four, the last one or two alone as
/// a group of two. Of each group first the weights of every two inputs (in the order of the model's
/// weights; a last one alone with a zero): a word for each channel, or, compact, one for each two
/// of them, whose bytes are first input and first channel, second channel, then the same of the
/// second input; or, in rows, the bytes of the first channel, then those of the next. Then four
/// words for each channel. Where it rounds once: both words of the bias times M with the rounding,
/// M, and the right shift of the upper word of sum * M; else bias, 0, multiplier and shift.
/// Depthwise: groups of four alone, a word for each tap of the window, whose bytes are the channels
/// 0, 2, 1 and 3. Channels behind the last are zeros.
struct Conv2DWordsParams {
  const int32_t* words;
  Window2D window;
  int32_t in_channels, out_channels;
  int32_t clamp_min, clamp_max;  ///< zero points are 0
  int32_t rounds_once;           ///< as of UnfoldedConv2DParams
};
/// Output channels of the group that channel o begins.
constexpr int32_t words_group(int32_t channels, int32_t o) noexcept {
  return channels - o > 2 ? 4 : 2;
}
/// conv_2d_i16 and transpose_conv_i16 of one group of input channels, which are neighbours, two
/// inputs at a time. Inputs are read where they lie. progress: pixel.
void conv_2d_i16_dsp(const Conv2DWordsParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void transpose_conv_i16_dsp(const Conv2DWordsParams& p, const View& x, const View& out,
                            const Region& region) noexcept;
/// conv_2d_i16_dsp and transpose_conv_i16_dsp with compact weights.
void conv_2d_i16_compact_dsp(const Conv2DWordsParams& p, const View& x, const View& out,
                             const Region& region) noexcept;
void transpose_conv_i16_compact_dsp(const Conv2DWordsParams& p, const View& x, const View& out,
                                    const Region& region) noexcept;
/// conv_2d_i16_dsp and transpose_conv_i16_dsp with weights in rows, for MVE.
void conv_2d_i16_mve(const Conv2DWordsParams& p, const View& x, const View& out,
                     const Region& region) noexcept;
void transpose_conv_i16_mve(const Conv2DWordsParams& p, const View& x, const View& out,
                            const Region& region) noexcept;
/// Depthwise with a multiplier of 1 and at most kDepthwiseWordsTaps taps: channels of x are
/// neighbours. progress: pixel.
void conv_2d_i16_depthwise_dsp(const Conv2DWordsParams& p, const View& x, const View& out,
                               const Region& region) noexcept;
constexpr int32_t kDepthwiseWordsTaps = 64;

}  // namespace thimble::runtime
