// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/conv_2d_pairs.h"

#include <array>
#include <cstdlib>
#include <cstring>

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

int32_t word(int32_t low, int32_t high) {
  return static_cast<int32_t>((static_cast<uint32_t>(low) & 0xffffU) | static_cast<uint32_t>(high)
                                                                           << 16U);
}

// One channel of a pair; none: zeros.
struct PairChannel {
  std::span<const int8_t> weights;
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
      words.push_back(word(c.weight(k), c.weight(k + 2)));
      words.push_back(word(c.weight(k + 1), c.weight(k + 3)));
    }
  }
  for (const PairChannel& c : pair)
    words.insert(words.end(), {c.tail.multiplier, c.tail.constant, c.tail.shift});
}

Pairs pairs_of(const Operands& t, const ClampRange& clamp) {
  const std::optional<std::vector<int32_t>> bias = folded_bias(t, WeightOrder::kChannelFirst);
  check(bias.has_value(), "a folded bias does not fit 32 bits");
  const std::vector<runtime::Scale> scales = channel_scales(t, bias->size(), scale_of(t.out()));
  const Bytes& weights = *t.in(1).data;
  return pairs_of(
      FoldedWeights{.weights = {reinterpret_cast<const int8_t*>(weights.data()), weights.size()},
                    .bias = *bias,
                    .scales = scales,
                    .output_zero_point = zero_point_of(t.out()),
                    .clamp = clamp});
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

Pairs pairs_of(const FoldedWeights& f) {
  const size_t channels = f.bias.size(), inputs = f.weights.size() / channels;
  const Tails tails = tails_of(f.scales, sum_ranges(f), f.output_zero_point, f.clamp);
  Pairs result{.tail = tails.tail, .words = {}};
  const auto channel = [&](size_t o) {
    return o < channels
               ? PairChannel{f.weights.subspan(o * inputs, inputs), f.bias[o], tails.channels[o]}
               : PairChannel{};
  };
  for (size_t o = 0; o < channels; o += 2)
    append_pair({channel(o), channel(o + 1)}, inputs, result.words);
  return result;
}

std::vector<PackedConstant> pack_conv_2d_pairs(const Operands& t) {
  const Pairs pairs = pairs_of(t, clamp_of(t));
  PackedConstant words{"pairs", DType::kInt32, {static_cast<int64_t>(pairs.words.size())}, Bytes{}};
  words.data.resize(pairs.words.size() * sizeof(int32_t));
  std::memcpy(words.data.data(), pairs.words.data(), words.data.size());
  return {std::move(words)};
}

int64_t conv_2d_pairs_scratch_bytes(const KernelParams& portable) {
  return runtime::conv_2d_pairs_dsp_scratch_bytes(
      without_tail(std::get<runtime::Conv2DParams>(portable)));
}

KernelParams conv_2d_pairs(const Operands& t, const KernelParams& portable) {
  runtime::Conv2DPairsParams p = without_tail(std::get<runtime::Conv2DParams>(portable));
  p.tail = static_cast<int32_t>(pairs_of(t, {p.clamp_min, p.clamp_max}).tail);
  return p;
}

}  // namespace thimble
