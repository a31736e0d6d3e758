// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/conv_2d_words.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "thimble/model/rounding.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

constexpr int kUpperWord = 32;

// The multiplier as the runtime's requantise_once has it.
int64_t reduced(int32_t multiplier) {
  return multiplier < 0x7FFF0000 ? (int64_t{multiplier} + (1 << 15)) >> 16 : 0x7FFF;
}
int right_shift(const runtime::Scale& scale) { return 15 - scale.shift; }

// Where products need not be shifted as far as a word is wide they are held with so many factors of
// two, else the upper word is shifted further.
int doublings(const runtime::Scale& scale) { return std::max(0, kUpperWord - right_shift(scale)); }

std::array<int32_t, 4> constants_of(int64_t bias, const runtime::Scale& scale, bool rounds_once) {
  if (!rounds_once) return {static_cast<int32_t>(bias), 0, scale.multiplier, scale.shift};
  const auto factor = static_cast<uint64_t>(reduced(scale.multiplier) << doublings(scale));
  const int rounding = right_shift(scale) - 1 + doublings(scale);
  const uint64_t total = static_cast<uint64_t>(bias) * factor + (uint64_t{1} << rounding);
  return {static_cast<int32_t>(total), static_cast<int32_t>(total >> kUpperWord),
          static_cast<int32_t>(factor), std::max(0, right_shift(scale) - kUpperWord)};
}

// Four bytes of a word, the lowest first.
int32_t word_of(std::array<int8_t, 4> bytes) {
  int32_t word = 0;
  std::memcpy(&word, bytes.data(), sizeof word);
  return word;
}

class PaddedWeights {
 public:
  explicit PaddedWeights(const UnfoldedWeights& u)
      : weights_(u.weights), inputs_(u.weights.size() / u.bias.size()) {}
  [[nodiscard]] size_t inputs() const { return inputs_; }
  // Zero behind the last input and the last channel.
  [[nodiscard]] int8_t at(size_t o, size_t k) const {
    const size_t at = o * inputs_ + k;
    return k < inputs_ && at < weights_.size() ? weights_[at] : int8_t{0};
  }

 private:
  std::span<const int8_t> weights_;
  size_t inputs_;
};

void append_group(const PaddedWeights& w, size_t first, size_t channels, WeightForm form,
                  std::vector<int32_t>& words) {
  if (form == WeightForm::kDepthwise) {
    for (size_t k = 0; k < w.inputs(); ++k) {
      words.push_back(
          word_of({w.at(first, k), w.at(first + 2, k), w.at(first + 1, k), w.at(first + 3, k)}));
    }
    return;
  }
  if (form == WeightForm::kRows) {
    const size_t bytes = (w.inputs() + 1) / 2 * 2;  // of a row
    const auto byte = [&](size_t n) { return w.at(first + n / bytes, n % bytes); };
    for (size_t n = 0; n < channels * bytes; n += 4)
      words.push_back(word_of({byte(n), byte(n + 1), byte(n + 2), byte(n + 3)}));
    return;
  }
  for (size_t k = 0; k < w.inputs(); k += 2) {
    if (form == WeightForm::kWide) {
      for (size_t o = first; o < first + channels; ++o)
        words.push_back(pair_word(w.at(o, k), w.at(o, k + 1)));
    } else {
      for (size_t o = first; o < first + channels; o += 2)
        words.push_back(word_of({w.at(o, k), w.at(o + 1, k), w.at(o, k + 1), w.at(o + 1, k + 1)}));
    }
  }
}

}  // namespace

bool takes_words(std::span<const runtime::Scale> scales, bool rounds_once) {
  constexpr int64_t kMost = INT32_MAX;
  return !rounds_once || std::ranges::all_of(scales, [](const runtime::Scale& scale) {
    return reduced(scale.multiplier) << doublings(scale) <= kMost;
  });
}

std::vector<int32_t> words_of(const UnfoldedWeights& u, WeightForm form) {
  const auto channels = static_cast<int32_t>(u.bias.size());
  const PaddedWeights weights(u);
  std::vector<int32_t> words;
  for (int32_t o = 0; o < channels; o += 4) {
    const int32_t group = form == WeightForm::kDepthwise ? 4 : runtime::words_group(channels, o);
    append_group(weights, static_cast<size_t>(o), static_cast<size_t>(group), form, words);
    for (int32_t c = o; c < o + group; ++c) {
      const auto k = static_cast<size_t>(c);
      const auto constants = c < channels ? constants_of(u.bias[k], u.scales[k], u.rounds_once)
                                          : std::array<int32_t, 4>{};
      words.insert(words.end(), constants.begin(), constants.end());
    }
  }
  return words;
}

runtime::Conv2DWordsParams words_params(const runtime::UnfoldedConv2DParams& p, int32_t groups) {
  return {.words = nullptr,
          .window = p.window,
          .in_channels = groups * p.in_per_group,
          .out_channels = groups * p.out_per_group,
          .clamp_min = p.clamp_min,
          .clamp_max = p.clamp_max,
          .rounds_once = p.rounds_once};
}

namespace {

/// Convolutions of int16 with one group of channels, whose multipliers fit its words.
bool is_in_words(const KernelUse& use) {
  const auto& p = std::get<runtime::UnfoldedConv2DParams>(use.params);
  return use.words && p.out_per_group == use.limits.back().end;
}

bool is_depthwise_in_words(const KernelUse& use) {
  const auto& p = std::get<runtime::UnfoldedConv2DParams>(use.params);
  return use.words && p.in_per_group == 1 && p.out_per_group == 1 &&
         p.window.kernel_h * p.window.kernel_w <= runtime::kDepthwiseWordsTaps;
}

KernelParams conv_2d_words(const Operands& t, const KernelParams& portable) {
  const auto& p = std::get<runtime::UnfoldedConv2DParams>(portable);
  return words_params(p, static_cast<int32_t>(t.out().shape.back()) / p.out_per_group);
}

template <WeightForm kForm>
std::vector<PackedConstant> pack_conv_2d_words(const Operands& t) {
  const std::vector<PackedConstant> unfolded = pack_unfolded_conv_2d(t);
  const Bytes &weights = unfolded.at(0).data, &biases = unfolded.at(1).data;
  std::vector<int64_t> bias(biases.size() / sizeof(int64_t));
  std::memcpy(bias.data(), biases.data(), biases.size());
  const std::vector<runtime::Scale> scales = channel_scales(t, bias.size(), scale_of(t.out()));
  return {packed_words(
      "words",
      words_of({.weights = {reinterpret_cast<const int8_t*>(weights.data()), weights.size()},
                .bias = bias,
                .scales = scales,
                .rounds_once = rounds_once(t.graph, t.op)},
               kForm))};
}

/// Kernels of int16 whose constants are words.
template <auto Kernel, WeightForm kForm>
constexpr KernelInfo words_row(const char* name, Family family) {
  return row<Kernel>(
      {.name = name,
       .family = family,
       .in = DType::kInt16,
       .out = DType::kInt16,
       .set = kForm == WeightForm::kRows ? InstructionSet::kMve : InstructionSet::kDsp,
       .progress = Progress::kPixel,
       .dense_channels = true,
       .takes = kForm == WeightForm::kDepthwise ? is_depthwise_in_words : is_in_words,
       .weights = kForm == WeightForm::kWide ? Weights::kFast : Weights::kLeast,
       .form = kForm,
       .channel_multiple = 4,
       .pack = pack_conv_2d_words<kForm>,
       .adapt = conv_2d_words});
}

}  // namespace

std::span<const KernelInfo> conv_2d_words_rows() {
  using enum Family;
  static constexpr KernelInfo kRows[] = {
      words_row<runtime::conv_2d_i16_mve, WeightForm::kRows>("conv_2d_i16_mve", kConv2D),
      words_row<runtime::conv_2d_i16_dsp, WeightForm::kWide>("conv_2d_i16_dsp", kConv2D),
      words_row<runtime::conv_2d_i16_compact_dsp, WeightForm::kCompact>("conv_2d_i16_compact_dsp",
                                                                        kConv2D),
      words_row<runtime::conv_2d_i16_depthwise_dsp, WeightForm::kDepthwise>(
          "conv_2d_i16_depthwise_dsp", kConv2D),
      words_row<runtime::transpose_conv_i16_mve, WeightForm::kRows>("transpose_conv_i16_mve",
                                                                    kTransposeConv),
      words_row<runtime::transpose_conv_i16_dsp, WeightForm::kWide>("transpose_conv_i16_dsp",
                                                                    kTransposeConv),
      words_row<runtime::transpose_conv_i16_compact_dsp, WeightForm::kCompact>(
          "transpose_conv_i16_compact_dsp", kTransposeConv),
  };
  return kRows;
}

}  // namespace thimble
