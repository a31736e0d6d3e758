// SPDX-License-Identifier: Apache-2.0
// What rows of the table of kernels have in common: which calls they take, and whole rows that
// differ in little.
#pragma once

#include <array>
#include <vector>

#include "thimble/target/kernels/call.h"
#include "thimble/target/kernels/kernel.h"
#include "thimble/target/kernels/packing.h"

namespace thimble {

/// What all convolutions of integers have.
struct ConvolutionShape {
  runtime::Window2D window;
  int32_t in_per_group, out_per_group;
};
inline ConvolutionShape convolution_shape(const KernelParams& params) {
  if (const auto* p = std::get_if<runtime::UnfoldedConv2DParams>(&params))
    return {p->window, p->in_per_group, p->out_per_group};
  const auto& p = std::get<runtime::Conv2DParams>(params);
  return {p.window, p.in_per_group, p.out_per_group};
}

/// One group of channels. Weights with a zero point that meet one channel may be of a depthwise
/// convolution, which has them in another order.
inline bool is_ungrouped(const KernelUse& use) {
  const ConvolutionShape shape = convolution_shape(use.params);
  const bool may_be_depthwise =
      std::holds_alternative<runtime::UnfoldedConv2DParams>(use.params) && shape.in_per_group == 1;
  return !may_be_depthwise && shape.out_per_group == use.limits.back().end;
}

inline bool is_ungrouped_of_small_sums(const KernelUse& use) {
  return is_ungrouped(use) && use.small_sums;
}

/// A window of one tap that never meets padding, one group of channels.
inline bool is_single_tap(const KernelUse& use) {
  const runtime::Window2D w = convolution_shape(use.params).window;
  return w.kernel_h == 1 && w.kernel_w == 1 && w.pad_top == 0 && w.pad_left == 0 &&
         is_ungrouped(use);
}

inline bool is_single_tap_of_fours(const KernelUse& use) {
  return is_single_tap(use) && convolution_shape(use.params).in_per_group % 4 == 0;
}

/// Convolutions of int16 with one group of channels, whose multipliers fit its words.
inline bool is_in_words(const KernelUse& use) {
  const auto& p = std::get<runtime::UnfoldedConv2DParams>(use.params);
  return use.words && p.out_per_group == use.limits.back().end;
}

inline bool is_depthwise_in_words(const KernelUse& use) {
  const auto& p = std::get<runtime::UnfoldedConv2DParams>(use.params);
  return use.words && p.in_per_group == 1 && p.out_per_group == 1 &&
         p.window.kernel_h * p.window.kernel_w <= runtime::kDepthwiseWordsTaps;
}

/// A depthwise window of a few vectors; shifts to the right alone.
inline bool is_depthwise_of_vectors(const KernelUse& use) {
  const runtime::Window2D& w = std::get<runtime::DepthwiseConv2DParams>(use.params).window;
  return is_depthwise_clamped(use) && w.kernel_h * w.kernel_w <= 64;
}

/// Operands at twice the larger scale, and shifts that round.
inline bool halves_an_operand(const KernelUse& use) {
  const auto& p = std::get<runtime::AddParams>(use.params);
  const auto half = [](const runtime::Scale& s) { return s.multiplier == 1 << 30 && s.shift == 0; };
  const auto rounds = [](const runtime::Scale& s) {
    return s.multiplier > 0 && s.shift <= -1 && s.shift >= -22;
  };
  const bool first = half(p.scale[0]), second = half(p.scale[1]);
  return p.left_shift == 20 && rounds(p.output_scale) && (first || second) &&
         (first || rounds(p.scale[0])) && (second || rounds(p.scale[1]));
}

inline bool halves_one_operand(const KernelUse& use) {
  const auto& p = std::get<runtime::AddParams>(use.params);
  return halves_an_operand(use) && (p.scale[0].shift != 0 || p.scale[1].shift != 0);
}

inline bool product_shifts_right(const KernelUse& use) {
  return std::get<runtime::MulParams>(use.params).output_scale.shift < 0;
}

/// Which leaves room for the zero point, and is not clamped.
inline bool product_is_rounded_once(const KernelUse& use) {
  const auto& p = std::get<runtime::MulParams>(use.params);
  return p.output_scale.multiplier > 0 && p.output_scale.shift <= -1 &&
         p.output_scale.shift >= -22 && p.clamp_min == -128 && p.clamp_max == 127;
}

inline bool is_mean_of_pixels(const KernelUse& use) {
  const auto& p = std::get<runtime::MeanParams>(use.params);
  return p.reduced[0] == 0 && p.reduced[3] == 0;
}

/// Pools and means of instruction sets, by boxes of pixels (runtime/portable/pixel_box.h).
template <auto Kernel>
constexpr KernelInfo boxes_row(const char* name, Family family, InstructionSet set) {
  const bool is_mean = family == Family::kMean;
  return row<Kernel>({.name = name,
                      .family = family,
                      .set = set,
                      .progress = is_mean ? Progress::kNone : Progress::kPixel,
                      .rings = false,
                      .dense_channels = true,
                      .dense_output = family == Family::kMaxPool2D,
                      .takes = is_mean ? is_mean_of_pixels : nullptr});
}

template <auto Kernel>
constexpr KernelInfo softmax_row_dsp(const char* name, DType out) {
  return row<Kernel>({.name = name,
                      .family = Family::kSoftmax,
                      .out = out,
                      .set = InstructionSet::kDsp,
                      .progress = Progress::kNone,
                      .whole_axes = {false, false, false, true},
                      .weights = Weights::kFast,
                      .pack = pack_softmax_exponentials,
                      .adapt = softmax_exponentials});
}

/// Rows of SVDF_FEATURES by instruction set.
template <auto Kernel>
constexpr KernelInfo svdf_features_row(const char* name, DType out, InstructionSet set) {
  return row<Kernel>({.name = name,
                      .family = Family::kSvdfFeatures,
                      .out = out,
                      .set = set,
                      .progress = Progress::kPixel,
                      .dense_channels = true,
                      .pack = pack_svdf_features});
}
template <auto Kernel>
constexpr KernelInfo lstm_row(const char* name, InstructionSet set) {
  return row<Kernel>({.name = name,
                      .family = Family::kLstm,
                      .set = set,
                      .progress = Progress::kNone,
                      .rings = false,
                      .whole_axes = {true, true, true, true},
                      .dense_channels = true,
                      .dense_output = true,
                      .pack = pack_lstm});
}

/// Kernels of int16 whose constants are words.
template <auto Kernel, WordsForm kForm>
constexpr KernelInfo words_row(const char* name, Family family) {
  return row<Kernel>(
      {.name = name,
       .family = family,
       .in = DType::kInt16,
       .out = DType::kInt16,
       .set = kForm == WordsForm::kRows ? InstructionSet::kMve : InstructionSet::kDsp,
       .progress = Progress::kPixel,
       .dense_channels = true,
       .takes = kForm == WordsForm::kDepthwise ? is_depthwise_in_words : is_in_words,
       .weights = kForm == WordsForm::kWide ? Weights::kFast : Weights::kLeast,
       .channel_multiple = 4,
       .pack = pack_conv_2d_words<kForm>,
       .adapt = conv_2d_words});
}

/// What the DSP kernels of depthwise convolutions have in common: they differ in their tails.
template <auto Kernel, DepthwiseTail kTail>
constexpr KernelInfo depthwise_row(const char* name) {
  using enum DepthwiseTail;
  return row<Kernel>({.name = name,
                      .family = Family::kDepthwiseConv2D,
                      .also = Family::kConv2DOffset,
                      .set = InstructionSet::kDsp,
                      .progress = Progress::kPixel,
                      .dense_channels = true,
                      .takes = kTail == kRelu      ? is_depthwise_relu
                               : kTail == kShifted ? is_depthwise_shifted
                                                   : is_depthwise_clamped,
                      .weights = Weights::kFast,
                      .scratch_bytes = depthwise_scratch_bytes<DepthwiseForm::kWide>,
                      .scratch_within = depthwise_scratch_within<DepthwiseForm::kWide>,
                      .scratch_type = DType::kInt32,
                      .pack = pack_depthwise<kTail, DepthwiseForm::kWide>,
                      .adapt = adapt_depthwise});
}
template <auto Kernel, DepthwiseTail kTail>
constexpr KernelInfo depthwise_row_compact(const char* name) {
  KernelInfo result = depthwise_row<Kernel, kTail>(name);
  result.also = {};
  result.weights = Weights::kCompact;
  result.channel_multiple = 4;
  result.scratch_bytes = depthwise_scratch_bytes<DepthwiseForm::kCompact>;
  result.scratch_within = depthwise_scratch_within<DepthwiseForm::kCompact>;
  result.pack = pack_depthwise<kTail, DepthwiseForm::kCompact>;
  return result;
}
template <auto Kernel, DepthwiseTail kTail>
constexpr KernelInfo depthwise_row_in_place(const char* name) {
  KernelInfo result = depthwise_row<Kernel, kTail>(name);
  result.family = Family::kDepthwiseConv2DInPlace;
  result.also = {};
  result.progress = Progress::kPlane;
  result.rings = false;
  result.whole_axes = {false, true, true, false};
  result.weights = Weights::kCompact;
  result.channel_multiple = 4;
  result.scratch_bytes = depthwise_in_place_scratch_bytes;
  result.scratch_within = depthwise_in_place_scratch_within;
  return result;
}

/// Convolutions that fold nothing into their bias, of one type.
template <auto Kernel>
constexpr KernelInfo unfolded_row(const char* name, Family family, DType type) {
  return row<Kernel>({.name = name,
                      .family = family,
                      .in = type,
                      .out = type,
                      .progress = Progress::kPixel,
                      .pack = pack_unfolded_conv_2d});
}

/// Transposed ones of int8 by instruction sets.
template <auto Kernel>
constexpr KernelInfo transpose_conv_row(const char* name, InstructionSet set) {
  KernelInfo result = unfolded_row<Kernel>(name, Family::kTransposeConv, DType::kInt8);
  result.set = set;
  result.dense_channels = true;
  return result;
}

/// Elements as they are, of one size, from where other operands say.
template <auto Kernel>
constexpr KernelInfo moving_row(const char* name, Family family, DType type,
                                Progress progress = Progress::kElement) {
  return row<Kernel>(
      {.name = name, .family = family, .in = type, .out = type, .progress = progress});
}

/// Operands and output are float32.
template <auto Kernel>
constexpr KernelInfo float_row(const char* name, Family family,
                               Progress progress = Progress::kElement,
                               std::vector<PackedConstant> (*pack)(const Operands&) = nullptr,
                               std::array<bool, 4> whole_axes = {}) {
  return row<Kernel>({.name = name,
                      .family = family,
                      .in = DType::kFloat32,
                      .out = DType::kFloat32,
                      .progress = progress,
                      .whole_axes = whole_axes,
                      .pack = pack});
}

template <auto Kernel>
constexpr KernelInfo float_lstm_row(const char* name, Family family) {
  KernelInfo result =
      float_row<Kernel>(name, family, Progress::kNone, pack_float_lstm, {true, true, true, true});
  result.rings = false;
  return result;
}

/// A row of the audio front end: integers of two types.
template <auto Kernel>
constexpr KernelInfo signal_row(const char* name, Family family, std::array<DType, 2> types,
                                Progress progress = Progress::kElement,
                                std::vector<PackedConstant> (*pack)(const Operands&) = nullptr,
                                std::array<bool, 4> whole_axes = {}) {
  return row<Kernel>({.name = name,
                      .family = family,
                      .in = types[0],
                      .out = types[1],
                      .progress = progress,
                      .whole_axes = whole_axes,
                      .pack = pack});
}

}  // namespace thimble
