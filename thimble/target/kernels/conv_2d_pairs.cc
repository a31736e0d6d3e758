// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/conv_2d_pairs.h"

#include <array>
#include <cstdlib>

#include "thimble/model/error.h"
#include "thimble/target/kernels/packing.h"
#include "thimble/target/kernels/weights.h"

namespace thimble {
namespace {

std::vector<SumRange> sum_ranges(const FoldedWeights& f) {
  const size_t inputs = f.weights.size() / f.bias.size();
  std::vector<SumRange> result;
  for (size_t o = 0; o < f.bias.size(); ++o) {
    int64_t reach = 0;
    for (const int8_t w : f.weights.subspan(o * inputs, inputs))
      reach += 128 * std::abs(int64_t{w});
    result.push_back({f.bias[o] - reach, f.bias[o] + reach});
  }
  return result;
}

// The inputs of a window as the kernel reads them: the fours of its rows, then what is left of all.
std::vector<size_t> reading_order(size_t inputs, size_t rows) {
  const size_t run = inputs / rows, in_fours = run - run % 4;
  std::vector<size_t> order;
  for (size_t ky = 0; ky < rows; ++ky) {
    for (size_t k = 0; k < in_fours; ++k) order.push_back(ky * run + k);
  }
  for (size_t ky = 0; ky < rows; ++ky) {
    for (size_t k = in_fours; k < run; ++k) order.push_back(ky * run + k);
  }
  return order;
}

// One channel of a pair; none: zeros.
struct PairChannel {
  std::vector<int8_t> weights;
  int32_t bias = 0;
  TailConstants tail;

  [[nodiscard]] int32_t weight(size_t k) const {
    return k < weights.size() ? weights[k] * (1 << tail.doublings) : 0;
  }
};

void append_pair(const std::array<PairChannel, 2>& pair, size_t inputs,
                 std::vector<int32_t>& words) {
  for (const PairChannel& c : pair) {
    const auto bias = static_cast<uint32_t>(c.bias) << static_cast<uint32_t>(c.tail.doublings);
    words.push_back(static_cast<int32_t>(bias));
  }
  for (size_t k = 0; k < inputs; k += 4) {
    for (const PairChannel& c : pair) {
      words.push_back(pair_word(c.weight(k), c.weight(k + 2)));
      words.push_back(pair_word(c.weight(k + 1), c.weight(k + 3)));
    }
  }
  for (const PairChannel& c : pair)
    words.insert(words.end(), {c.tail.multiplier, c.tail.constant, c.tail.shift});
}

runtime::Conv2DPairsParams without_tail(const runtime::Conv2DParams& p) {
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

ClampRange clamp_of(const Operands& t) {
  const auto* convolution = std::get_if<Conv2D>(&t.op.attributes);
  return clamp_range(convolution != nullptr ? convolution->activation
                                            : std::get<FullyConnected>(t.op.attributes).activation,
                     t.out());
}

}  // namespace

FoldedConvolution::FoldedConvolution(const Operands& t)
    : output_zero_point_(zero_point_of(t.out())) {
  std::optional<std::vector<int32_t>> bias = folded_bias(t, WeightOrder::kChannelFirst);
  check(bias.has_value(), "a folded bias does not fit 32 bits");
  bias_ = std::move(*bias);
  scales_ = channel_scales(t, bias_.size(), scale_of(t.out()));
  const Bytes& weights = *t.in(1).data;
  weights_ = {reinterpret_cast<const int8_t*>(weights.data()), weights.size()};
  if (t.in(1).shape.size() == 4) kernel_h_ = static_cast<int32_t>(t.in(1).shape[1]);
}

FoldedWeights FoldedConvolution::view(const ClampRange& clamp) const {
  return {.weights = weights_,
          .bias = bias_,
          .scales = scales_,
          .output_zero_point = output_zero_point_,
          .clamp = clamp,
          .kernel_h = kernel_h_};
}

Pairs pairs_of(const FoldedWeights& f) {
  const size_t channels = f.bias.size(), inputs = f.weights.size() / channels;
  const Tails tails = tails_of(f.scales, sum_ranges(f), f.output_zero_point, f.clamp);
  Pairs result{.tail = tails.tail, .words = {}};
  const std::vector<size_t> order = reading_order(inputs, static_cast<size_t>(f.kernel_h));
  const auto channel = [&](size_t o) {
    if (o >= channels) return PairChannel{};
    PairChannel c{.weights = {}, .bias = f.bias[o], .tail = tails.channels[o]};
    for (const size_t k : order) c.weights.push_back(f.weights[o * inputs + k]);
    return c;
  };
  for (size_t o = 0; o < channels; o += 2)
    append_pair({channel(o), channel(o + 1)}, inputs, result.words);
  return result;
}

std::vector<PackedConstant> pack_conv_2d_pairs(const Operands& t) {
  return {packed_words("pairs", pairs_of(FoldedConvolution(t).view(clamp_of(t))).words)};
}

int64_t conv_2d_pairs_scratch_bytes(const KernelParams& portable) {
  return runtime::conv_2d_pairs_dsp_scratch_bytes(
      without_tail(std::get<runtime::Conv2DParams>(portable)));
}

KernelParams conv_2d_pairs(const Operands& t, const KernelParams& portable) {
  runtime::Conv2DPairsParams p = without_tail(std::get<runtime::Conv2DParams>(portable));
  p.tail =
      static_cast<int32_t>(pairs_of(FoldedConvolution(t).view({p.clamp_min, p.clamp_max})).tail);
  return p;
}

}  // namespace thimble
