// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/conv_2d_fours.h"

#include <algorithm>
#include <cstring>

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

Fours fours_of(const FoldedWeights& f) {
  const size_t channels = f.bias.size(), inputs = f.weights.size() / channels;
  const size_t sixteens = (inputs + 15) / 16, words = 16 * sixteens + 12;
  Fours result{.rounding = rounding_of(f),
               .words = std::vector<int32_t>((channels + 3) / 4 * words)};
  for (size_t o = 0; o < channels; ++o) {
    int32_t* const four = result.words.data() + o / 4 * words;
    four[o % 4] = f.bias[o];
    for (size_t k = 0; k < inputs; k += 16) {
      std::memcpy(four + 4 + k + o % 4 * 4, f.weights.data() + o * inputs + k,
                  std::min<size_t>(16, inputs - k));
    }
    four[4 + 16 * sixteens + o % 4] = f.scales[o].multiplier;
    four[8 + 16 * sixteens + o % 4] = f.scales[o].shift;
  }
  return result;
}

namespace {

std::vector<PackedConstant> pack_conv_2d_fours(const Operands& t) {
  PackedConstant fours = packed_words("fours", fours_of(FoldedConvolution(t).view({})).words);
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
                                     .pack = pack_conv_2d_fours,
                                     .adapt = conv_2d_fours}),
      row<runtime::conv_2d_mve>({.name = "conv_2d_mve",
                                 .family = kConv2D,
                                 .set = kMve,
                                 .progress = kPixel,
                                 .dense_output = true,
                                 .takes = is_ungrouped,
                                 .scratch_bytes = conv_2d_fours_scratch_bytes,
                                 .pack = pack_conv_2d_fours,
                                 .adapt = conv_2d_fours}),
  };
  return kRows;
}

}  // namespace thimble
