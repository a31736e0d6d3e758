// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/conv_2d_fours.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "thimble/target/kernels/convolution/shape.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

// The cheapest that is exact. It does not depend on the sums.
runtime::FoursRounding rounding_of(const FoldedWeights& f) {
  if (!f.scales.empty() && f.scales.front().shift == runtime::kFloatShift)
    return runtime::FoursRounding::kToEven;
  const auto most = std::ranges::max(f.scales, {}, &runtime::Scale::shift).shift;
  if (f.clamp.min >= f.output_zero_point && most <= 0) return runtime::FoursRounding::kUp;
  return most < 0 ? runtime::FoursRounding::kAway : runtime::FoursRounding::kAny;
}

runtime::Conv2DFoursParams without_rounding(const runtime::Conv2DParams& p) {
  return {.fours = nullptr,
          .window = p.window,
          .in_channels = p.in_per_group,
          .out_channels = p.out_per_group,
          .input_zero_point = p.input_zero_point,
          .output_zero_point = p.output_zero_point,
          .clamp_min = p.clamp_min,
          .clamp_max = p.clamp_max,
          .rounding = 0};
}

}  // namespace

namespace {

// In 8 bits: sixteen weights of each channel, after the ones of the channel before.
void add_weights(const FoldedWeights& f, size_t o, size_t inputs, int32_t* four) {
  for (size_t k = 0; k < inputs; k += 16) {
    std::memcpy(four + 4 + k + o % 4 * 4, f.weights.data() + o * inputs + k,
                std::min<size_t>(16, inputs - k));
  }
}

// In 4 bits: sixteen bytes for two channels, to which each adds its weights.
void add_nibbles(const FoldedWeights& f, size_t o, size_t inputs, int32_t* four) {
  const int32_t times = o % 2 == 0 ? 1 : 16;
  for (size_t k = 0; k < inputs; ++k) {
    auto* const bytes = reinterpret_cast<int8_t*>(four + 4 + k / 16 * 8 + o % 4 / 2 * 4);
    bytes[k % 16] = static_cast<int8_t>(bytes[k % 16] + times * f.weights[o * inputs + k]);
  }
  four[o % 4] *= 16;
  if (o % 2 != 0) four[o % 4] += f.bias[o - 1];
}

}  // namespace

Fours fours_of(const FoldedWeights& f, WeightForm form) {
  const size_t channels = f.bias.size(), inputs = f.weights.size() / channels;
  const bool nibbles = form == WeightForm::kNibbles;
  const auto count = static_cast<int32_t>(inputs);
  const auto words = static_cast<size_t>(nibbles ? runtime::nibble_fours_words(count)
                                                 : runtime::fours_words(count));
  Fours result{.rounding = rounding_of(f),
               .words = std::vector<int32_t>((channels + 3) / 4 * words)};
  for (size_t o = 0; o < channels; ++o) {
    int32_t* const four = result.words.data() + o / 4 * words;
    four[o % 4] = f.bias[o];
    (nibbles ? add_nibbles : add_weights)(f, o, inputs, four);
    four[words - 8 + o % 4] = f.scales[o].multiplier;
    four[words - 4 + o % 4] = f.scales[o].shift;
  }
  // A second channel that is none makes 0, of the first one's sum as others do.
  if (nibbles && channels % 2 != 0)
    result.words[channels / 4 * words + channels % 4] = f.bias.back();
  return result;
}

bool nibble_fours_hold(const FoldedWeights& f) {
  if (std::ranges::any_of(f.weights, [](int8_t w) { return w < -7 || w > 7; })) return false;
  // A second channel's sum stands beside the first one's.
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max() / 17;
  return std::ranges::all_of(
      sum_ranges(f), [](const TailRange& sum) { return sum.least >= -kMost && sum.most <= kMost; });
}

namespace {

template <WeightForm kForm>
std::vector<PackedConstant> pack_conv_2d_fours(const Operands& t) {
  PackedConstant fours =
      packed_words("fours", fours_of(FoldedConvolution(t).view({}), kForm).words);
  fours.part_channels = 4;
  return {std::move(fours)};
}

int64_t conv_2d_fours_scratch_bytes(const KernelParams& portable) {
  return runtime::conv_2d_mve_scratch_bytes(
      without_rounding(std::get<runtime::Conv2DParams>(portable)));
}

KernelParams conv_2d_fours(const Operands& t, const KernelParams& portable) {
  runtime::Conv2DFoursParams p = without_rounding(std::get<runtime::Conv2DParams>(portable));
  p.rounding =
      static_cast<int32_t>(rounding_of(FoldedConvolution(t).view({p.clamp_min, p.clamp_max})));
  return p;
}

bool is_ungrouped_of_nibble_fours(const KernelUse& use) {
  return is_ungrouped(use) && use.nibble_fours;
}

bool is_single_tap_of_nibble_fours(const KernelUse& use) {
  return is_single_tap(use) && use.nibble_fours;
}

}  // namespace

std::span<const KernelInfo> conv_2d_fours_rows() {
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::conv_2d_1x1_mve>({.name = "conv_2d_1x1_mve",
                                     .family = kConv2D,
                                     .set = kMve,
                                     .progress = kPixel,
                                     .dense_channels = true,
                                     .dense_output = true,
                                     .takes = is_single_tap,
                                     .pack = pack_conv_2d_fours<WeightForm::kRows>,
                                     .adapt = conv_2d_fours}),
      row<runtime::conv_2d_mve>({.name = "conv_2d_mve",
                                 .family = kConv2D,
                                 .set = kMve,
                                 .progress = kPixel,
                                 .dense_output = true,
                                 .takes = is_ungrouped,
                                 .scratch_bytes = conv_2d_fours_scratch_bytes,
                                 .pack = pack_conv_2d_fours<WeightForm::kRows>,
                                 .adapt = conv_2d_fours}),
      row<runtime::conv_2d_1x1_nibbles_mve>({.name = "conv_2d_1x1_nibbles_mve",
                                             .family = kConv2D,
                                             .set = kMve,
                                             .progress = kPixel,
                                             .dense_channels = true,
                                             .dense_output = true,
                                             .takes = is_single_tap_of_nibble_fours,
                                             .form = WeightForm::kNibbles,
                                             .pack = pack_conv_2d_fours<WeightForm::kNibbles>,
                                             .adapt = conv_2d_fours}),
      row<runtime::conv_2d_nibbles_mve>({.name = "conv_2d_nibbles_mve",
                                         .family = kConv2D,
                                         .set = kMve,
                                         .progress = kPixel,
                                         .dense_output = true,
                                         .takes = is_ungrouped_of_nibble_fours,
                                         .form = WeightForm::kNibbles,
                                         .scratch_bytes = conv_2d_fours_scratch_bytes,
                                         .pack = pack_conv_2d_fours<WeightForm::kNibbles>,
                                         .adapt = conv_2d_fours}),
  };
  return kRows;
}

}  // namespace thimble
