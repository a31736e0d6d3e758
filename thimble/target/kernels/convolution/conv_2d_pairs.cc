// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/convolution/conv_2d_pairs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "thimble/model/error.h"
#include "thimble/target/kernels/convolution/shape.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/rows.h"

namespace thimble {
namespace {

// That all sums are held with; nothing: each tail has its own.
std::optional<int> doublings_of(WeightForm form) {
  if (form == WeightForm::kCompact) return 8;
  return form == WeightForm::kNibbles ? std::optional(12) : std::nullopt;
}

Tails tails_of_pairs(const FoldedWeights& f, WeightForm form, const std::vector<TailRange>& sums) {
  const std::optional<int> held = doublings_of(form);
  return tails_of(f.scales, sums, f.output_zero_point, f.clamp, held,
                  held                        ? std::max(*held, kMostDoublings)
                  : f.weights_zero_point == 0 ? kMostDoublings
                                              : kMostDoublings - 1);
}

// The inputs of a window as the kernel reads them: the fours of its rows, then what is left of all;
// or rows filled up with kNone.
constexpr size_t kNone = std::numeric_limits<size_t>::max();
std::vector<size_t> reading_order(size_t inputs, const FoldedWeights& f) {
  const auto rows = static_cast<size_t>(f.kernel_h);
  const size_t run = inputs / rows;
  const auto filled = static_cast<size_t>(runtime::conv_2d_pairs_row_inputs(
      f.kernel_h, f.kernel_w, static_cast<int32_t>(run) / f.kernel_w));
  const size_t in_fours = filled == run ? run - run % 4 : filled;
  std::vector<size_t> order;
  for (size_t ky = 0; ky < rows; ++ky) {
    for (size_t k = 0; k < in_fours; ++k) order.push_back(k < run ? ky * run + k : kNone);
  }
  for (size_t ky = 0; ky < rows; ++ky) {
    for (size_t k = in_fours; k < run; ++k) order.push_back(ky * run + k);
  }
  return order;
}

// One channel of a pair; none: zeros. Weights in the order of the inputs.
struct PairChannel {
  std::vector<int16_t> weights;  // less their zero point
  int32_t bias = 0;
  TailConstants tail;

  [[nodiscard]] int32_t weight(size_t k) const { return k < weights.size() ? weights[k] : 0; }
  [[nodiscard]] int32_t times(int64_t value) const {
    const auto bits = static_cast<uint32_t>(value) << static_cast<uint32_t>(tail.doublings);
    return static_cast<int32_t>(bits);
  }
};
using ChannelPair = std::array<PairChannel, 2>;

// In 16 bits, times what the sums are held with.
void append_wide(const ChannelPair& pair, size_t inputs, std::vector<int32_t>& words) {
  for (const PairChannel& c : pair) words.push_back(c.times(c.bias));
  for (size_t k = 0; k < inputs; k += 4) {
    for (const PairChannel& c : pair) {
      words.push_back(pair_word(c.times(c.weight(k)), c.times(c.weight(k + 2))));
      words.push_back(pair_word(c.times(c.weight(k + 1)), c.times(c.weight(k + 3))));
    }
  }
}

// Inputs 1 and 3 of four are held less 127.
constexpr int32_t kLess = 127;
bool lacks(const PairChannel& c, size_t k) {
  return k % 2 == 1 && c.weight(k) == -128 && c.weight(k - 1) < 0;
}
int32_t odd_weight(const PairChannel& c, size_t k) { return c.weight(k) + (lacks(c, k) ? 1 : 0); }
int32_t halfword(const PairChannel& c, size_t k) {
  return 256 * odd_weight(c, k + 1) + c.weight(k);
}

// In 8 bits, two weights a half.
void append_compact(const ChannelPair& pair, size_t inputs, std::vector<int32_t>& words) {
  for (const PairChannel& c : pair) {
    int64_t odd = 0;
    for (size_t k = 1; k < inputs; k += 2) odd += odd_weight(c, k);
    words.push_back(c.times(c.bias + kLess * odd));
  }
  for (size_t k = 0; k < inputs; k += 4) {
    for (const PairChannel& c : pair)
      words.push_back(pair_word(halfword(c, k), halfword(c, k + 2)));
  }
}

// In 4 bits, from the highest of each half down: what one AND leaves of a word meets inputs 0 and 2
// of four, or 1 and 3, of the first four of eight or of the second.
void append_nibbles(const ChannelPair& pair, size_t inputs, std::vector<int32_t>& words) {
  for (const PairChannel& c : pair) words.push_back(c.times(c.bias));
  for (size_t k = 0; k < inputs; k += 8) {
    for (const PairChannel& c : pair) {
      const auto half = [&](size_t first) {
        return nibble_pair(c.weight(first + 5), c.weight(first + 4)) |
               nibble_pair(c.weight(first + 1), c.weight(first)) << 8;
      };
      words.push_back(pair_word(half(k), half(k + 2)));
    }
  }
}

void append_pair(WeightForm form, const ChannelPair& pair, size_t inputs,
                 std::vector<int32_t>& words) {
  if (form == WeightForm::kNibbles) return append_nibbles(pair, inputs, words);
  (form == WeightForm::kCompact ? append_compact : append_wide)(pair, inputs, words);
}

template <class Params>
runtime::Conv2DPairsParams params_without_tail(const Params& p) {
  return {.pairs = nullptr,
          .window = p.window,
          .in_channels = p.in_per_group,
          .out_channels = p.out_per_group,
          .input_zero_point = p.input_zero_point,
          .output_zero_point = p.output_zero_point,
          .clamp_min = p.clamp_min,
          .clamp_max = p.clamp_max,
          .tail = 0};
}

runtime::Conv2DPairsParams without_tail(const KernelParams& portable) {
  if (const auto* p = std::get_if<runtime::UnfoldedConv2DParams>(&portable))
    return params_without_tail(*p);
  return params_without_tail(std::get<runtime::Conv2DParams>(portable));
}

ClampRange clamp_of(const Operands& t) {
  const auto* convolution = std::get_if<Conv2D>(&t.op.attributes);
  return clamp_range(convolution != nullptr ? convolution->activation
                                            : std::get<FullyConnected>(t.op.attributes).activation,
                     t.out());
}

}  // namespace

FoldedConvolution::FoldedConvolution(const Operands& t)
    : weights_zero_point_(t.in(1).quantization.per_channel() ? 0 : zero_point_of(t.in(1))),
      output_zero_point_(zero_point_of(t.out())) {
  std::optional<std::vector<int32_t>> bias = folded_bias(t, WeightOrder::kChannelFirst);
  check(bias.has_value(), "a folded bias does not fit 32 bits");
  bias_ = std::move(*bias);
  scales_ = channel_scales(t, bias_.size(), scale_of(t.out()));
  const Bytes& weights = *t.in(1).data;
  weights_ = {reinterpret_cast<const int8_t*>(weights.data()), weights.size()};
  if (t.in(1).shape.size() != 4) return;
  kernel_h_ = static_cast<int32_t>(t.in(1).shape[1]);
  kernel_w_ = static_cast<int32_t>(t.in(1).shape[2]);
}

FoldedWeights FoldedConvolution::view(const ClampRange& clamp) const {
  return {.weights = weights_,
          .weights_zero_point = weights_zero_point_,
          .bias = bias_,
          .scales = scales_,
          .output_zero_point = output_zero_point_,
          .clamp = clamp,
          .kernel_h = kernel_h_,
          .kernel_w = kernel_w_};
}

std::vector<TailRange> sum_ranges(const FoldedWeights& f) {
  const size_t inputs = f.weights.size() / f.bias.size();
  std::vector<TailRange> result;
  for (size_t o = 0; o < f.bias.size(); ++o) {
    const int32_t zero = f.weights_zero_point;
    const int64_t reach = 128 * sum_of_weights(f.weights.subspan(o * inputs, inputs),
                                               [zero](int8_t w) { return std::abs(w - zero); });
    result.push_back({f.bias[o] - reach, f.bias[o] + reach});
  }
  return result;
}

Pairs pairs_of(const FoldedWeights& f, WeightForm form) {
  const size_t channels = f.bias.size(), inputs = f.weights.size() / channels;
  const bool compact = form == WeightForm::kCompact, headed = form != WeightForm::kWide;
  const Tails tails = tails_of_pairs(f, form, sum_ranges(f));
  Pairs result{.tail = tails.tail, .words = {}};
  const std::vector<size_t> order = reading_order(inputs, f);
  const auto channel = [&](size_t o) {
    if (o >= channels) return PairChannel{};
    PairChannel c{.weights = {}, .bias = f.bias[o], .tail = tails.channels[o]};
    for (const size_t k : order) {
      const int32_t weight = k == kNone ? 0 : f.weights[o * inputs + k] - f.weights_zero_point;
      c.weights.push_back(static_cast<int16_t>(weight));
    }
    return c;
  };
  const bool shared = headed && std::ranges::all_of(tails.channels, [&](const TailConstants& c) {
                        return c == tails.channels.front();
                      });
  if (headed) result.words.push_back(shared ? 1 : 0);
  const auto append_tail = [&](const TailConstants& tail) {
    result.words.insert(result.words.end(), {tail.multiplier, tail.constant, tail.shift});
  };
  std::vector<int32_t> rests;
  for (size_t o = 0; o < channels; o += 2) {
    const ChannelPair pair = {channel(o), channel(o + 1)};
    append_pair(form, pair, order.size(), result.words);
    for (size_t c = 0; c < 2; ++c) {
      if (!shared) append_tail(pair[c].tail);
      for (size_t k = 0; k < order.size(); ++k) {
        if (compact && lacks(pair[c], k))
          rests.insert(rests.end(), {static_cast<int32_t>(o + c), static_cast<int32_t>(k)});
      }
    }
  }
  for (int both = 0; shared && both < 2; ++both) append_tail(tails.channels.front());
  if (!compact) return result;
  rests.push_back(std::numeric_limits<int32_t>::max());
  result.words.insert(result.words.end(), rests.begin(), rests.end());
  return result;
}

bool pairs_hold(const FoldedWeights& f, WeightForm form) {
  const std::vector<TailRange> sums = sum_ranges(f);
  if (tails_of_pairs(f, form, sums).tail != runtime::Tail::kSums) return true;
  const int64_t most = std::numeric_limits<int32_t>::max() >> doublings_of(form).value_or(0);
  return std::ranges::all_of(
      sums, [=](const TailRange& s) { return s.least >= -most && s.most <= most; });
}

namespace {

template <WeightForm kForm>
std::vector<PackedConstant> pack_conv_2d_pairs(const Operands& t) {
  PackedConstant pairs =
      packed_words("pairs", pairs_of(FoldedConvolution(t).view(clamp_of(t)), kForm).words);
  if (kForm == WeightForm::kWide) pairs.part_channels = 2;
  return {std::move(pairs)};
}

int64_t conv_2d_pairs_scratch_bytes(const KernelParams& portable) {
  return runtime::conv_2d_pairs_dsp_scratch_bytes(without_tail(portable));
}

int64_t conv_2d_pairs_nibbles_scratch_bytes(const KernelParams& portable) {
  return runtime::conv_2d_pairs_nibbles_dsp_scratch_bytes(without_tail(portable));
}

template <WeightForm kForm>
KernelParams conv_2d_pairs(const Operands& t, const KernelParams& portable) {
  runtime::Conv2DPairsParams p = without_tail(portable);
  const FoldedConvolution folded(t);
  const FoldedWeights view = folded.view({p.clamp_min, p.clamp_max});
  p.tail = static_cast<int32_t>(tails_of_pairs(view, kForm, sum_ranges(view)).tail);
  return p;
}

bool is_ungrouped_of_small_sums(const KernelUse& use) {
  return is_ungrouped(use) && use.small_sums;
}

bool is_ungrouped_of_nibble_pairs(const KernelUse& use) {
  return is_ungrouped(use) && use.nibble_pairs;
}

bool is_single_tap_of_fours(const KernelUse& use) {
  return is_single_tap(use) && convolution_shape(use.params).in_per_group % 4 == 0;
}

}  // namespace

std::span<const KernelInfo> conv_2d_pairs_rows() {
  using enum DType;
  using enum Family;
  using enum InstructionSet;
  using enum Progress;
  static constexpr KernelInfo kRows[] = {
      row<runtime::conv_2d_pairs_dsp>({.name = "conv_2d_pairs_dsp",
                                       .family = kConv2D,
                                       .also = kConv2DOffset,
                                       .set = kDsp,
                                       .progress = kPixel,
                                       .dense_output = true,
                                       .takes = is_ungrouped,
                                       .weights = Weights::kFast,
                                       .form = WeightForm::kWide,
                                       .channel_multiple = 2,
                                       .scratch_bytes = conv_2d_pairs_scratch_bytes,
                                       .scratch_type = kInt32,
                                       .pack = pack_conv_2d_pairs<WeightForm::kWide>,
                                       .adapt = conv_2d_pairs<WeightForm::kWide>}),
      row<runtime::conv_2d_1x1_dsp>({.name = "conv_2d_1x1_dsp",
                                     .family = kConv2D,
                                     .also = kConv2DOffset,
                                     .set = kDsp,
                                     .progress = kPixel,
                                     .dense_channels = true,
                                     .takes = is_single_tap_of_fours,
                                     .weights = Weights::kFast,
                                     .form = WeightForm::kWide,
                                     .channel_multiple = 2,
                                     .pack = pack_conv_2d_pairs<WeightForm::kWide>,
                                     .adapt = conv_2d_pairs<WeightForm::kWide>}),
      row<runtime::conv_2d_pairs_compact_dsp>({.name = "conv_2d_pairs_compact_dsp",
                                               .family = kConv2D,
                                               .set = kDsp,
                                               .progress = kPixel,
                                               .dense_output = true,
                                               .takes = is_ungrouped_of_small_sums,
                                               .form = WeightForm::kCompact,
                                               .channel_multiple = 2,
                                               .scratch_bytes = conv_2d_pairs_scratch_bytes,
                                               .scratch_type = kInt32,
                                               .pack = pack_conv_2d_pairs<WeightForm::kCompact>,
                                               .adapt = conv_2d_pairs<WeightForm::kCompact>}),
      row<runtime::conv_2d_pairs_nibbles_dsp>({.name = "conv_2d_pairs_nibbles_dsp",
                                               .family = kConv2D,
                                               .set = kDsp,
                                               .progress = kPixel,
                                               .dense_output = true,
                                               .takes = is_ungrouped_of_nibble_pairs,
                                               .form = WeightForm::kNibbles,
                                               .channel_multiple = 2,
                                               .scratch_bytes = conv_2d_pairs_nibbles_scratch_bytes,
                                               .scratch_type = kInt32,
                                               .pack = pack_conv_2d_pairs<WeightForm::kNibbles>,
                                               .adapt = conv_2d_pairs<WeightForm::kNibbles>}),
  };
  return kRows;
}

}  // namespace thimble
