// SPDX-License-Identifier: Apache-2.0
// Reads runtime::DepthwiseConv2DPackedParams back: by its definition, not as they are packed.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "thimble/program/read_back.h"
#include "thimble/reference/factors.h"

namespace thimble {
namespace {

using runtime::DepthwiseConv2DPackedParams;
using runtime::Window2D;

// What the operator says of a channel.
struct WantedDepthwise {
  const ReadBack& r;
  int64_t channel;
  reference::FixedFactor factor;

  // Less the weights' zero point.
  [[nodiscard]] int64_t weight(int64_t y, int64_t x) const {
    const Shape& shape = r.in(1).shape;
    if (x < 0 || x >= shape[2]) return 0;
    const int64_t at = (y * shape[2] + x) * shape[3] + channel;
    return static_cast<int8_t>((*r.in(1).data)[static_cast<size_t>(at)]) -
           reference::weight_zero_point_of(r.in(1));
  }
  // Without the input's zero point.
  [[nodiscard]] int64_t bias() const {
    int32_t value = 0;
    if (r.op.inputs.size() > 2) {
      const auto at = static_cast<size_t>(channel) * sizeof(value);
      std::memcpy(&value, r.in(2).data->data() + at, sizeof(value));
    }
    return value;
  }
  [[nodiscard]] int64_t folded_bias() const {
    int64_t sum = bias();
    each_weight([&](int64_t w) { sum -= zero_point(r.in(0)) * w; });
    return sum;
  }
  // What the sum can be at most, either way.
  [[nodiscard]] int64_t largest() const {
    const int64_t zero = zero_point(r.in(0));
    const int64_t input = std::max(127 - zero, zero + 128);
    int64_t sum = std::abs(bias());
    each_weight([&](int64_t w) { sum += input * std::abs(w); });
    return sum;
  }
  void each_weight(const auto& visit) const {
    const Shape& shape = r.in(1).shape;
    for (int64_t y = 0; y < shape[1]; ++y) {
      for (int64_t x = 0; x < shape[2]; ++x) visit(weight(y, x));
    }
  }
};

// 2 to the power that weights and bias are times.
int64_t held_times(DepthwiseTail tail, int shift) {
  if (tail == DepthwiseTail::kToEven) return 1;
  return tail == DepthwiseTail::kRelu ? int64_t{1} << (12 + shift) : 2;
}

int64_t added(DepthwiseTail tail, int right, int64_t zero, int64_t least) {
  if (tail == DepthwiseTail::kToEven) return zero - least;
  const int64_t half = int64_t{1} << (right - 1);
  const int64_t one = int64_t{1} << right;
  if (tail == DepthwiseTail::kClamped) return half + (zero - least) * one;
  if (tail == DepthwiseTail::kShifted) return half + zero * one;
  // Halves of what the product is rounded to, in 1 / 2^(11 - right).
  return ((half + zero * one) * 2 + 1) * (int64_t{1} << (10 - right));
}

// Whether the lower clamp is taken from the zero point, and added when all is clamped.
bool clamps_late(DepthwiseTail tail) {
  return tail == DepthwiseTail::kClamped || tail == DepthwiseTail::kToEven;
}

// Why the kernel would not do what the reference does.
std::string exactness_fault(DepthwiseTail tail, const WantedDepthwise& c,
                            const reference::ActivationRange& range) {
  const int64_t zero = zero_point(c.r.out());
  if (!clamps_late(tail) && (zero != -128 || range.min != -128 || range.max != 127))
    return "its kernel does not do its clamps";
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const bool is_float = c.factor.shift == reference::kFloatShift;
  if (is_float != (tail == DepthwiseTail::kToEven)) return "its kernel has scales of another kind";
  if (is_float) {
    const auto largest = static_cast<double>(c.largest());
    const auto scale = static_cast<double>(std::bit_cast<float>(c.factor.multiplier));
    return c.largest() > kMost || largest * scale > 1 << 30 ? "its products may overflow" : "";
  }
  const int right = -c.factor.shift;
  const int most = tail == DepthwiseTail::kRelu ? 10 : 23;
  if (right < (tail == DepthwiseTail::kRelu ? 4 : 1) || right > most || c.factor.multiplier < 0)
    return "its kernel does not do its shift";
  const int64_t held = c.largest() * held_times(tail, c.factor.shift);
  if (held > kMost) return "its sums may overflow";
  const int64_t product = held * c.factor.multiplier / (int64_t{1} << 32) + 1;
  const int64_t constant = added(tail, right, zero, range.min);
  return product + std::abs(constant) >= kMost ? "its products may overflow" : "";
}

int64_t half_of(int32_t word, bool upper) {
  return static_cast<int16_t>(static_cast<uint32_t>(word) >> (upper ? 16U : 0U));
}

// The weights of a channel, of windows that begin at the left column of a pair (form 0) or at the
// right one.
std::string channel_weights_fault(const int32_t* words, const Window2D& w, int64_t form,
                                  int64_t times, const WantedDepthwise& c) {
  const auto check = [&](int64_t word, int64_t y, int64_t x) {
    return half_of(words[word], false) == c.weight(y, x) * times &&
           half_of(words[word], true) == c.weight(y, x + 1) * times;
  };
  int64_t word = 0;
  if (runtime::is_depthwise_3x3(w)) {
    for (; word < 6; ++word) {
      if (!check(word, word / 2, word % 2)) return "its packed weights are others";
    }
    return "";
  }
  const int64_t pairs = runtime::depthwise_window_pairs(w);
  if (2 * pairs - form < w.kernel_w) return "its packed weights are too few";
  for (; word < pairs * w.kernel_h; ++word) {
    if (!check(word, word % w.kernel_h, word / w.kernel_h * 2 - form))
      return "its packed weights are others";
  }
  for (; word < runtime::depthwise_weight_words(w); ++word) {
    if (words[word] != 0) return "its packed weights are followed by others";
  }
  return "";
}

std::string packed_tail_fault(DepthwiseTail tail, const int32_t* words, const WantedDepthwise& c,
                              int64_t least) {
  const int right = -c.factor.shift;
  const int shift = tail == DepthwiseTail::kToEven ? c.factor.shift : right;
  size_t k = 0;
  if (tail != DepthwiseTail::kRelu && words[k++] != shift) return "its packed shift is another";
  if (words[k++] != c.factor.multiplier) return "its packed multiplier is another";
  return words[k] == added(tail, right, zero_point(c.r.out()), least)
             ? ""
             : "its packed constant is another";
}

std::vector<reference::FixedFactor> factors_of(const ReadBack& r) {
  return reference::convolution_factors(r.op.attributes.arithmetic, r.in(0), r.in(1),
                                        r.out().quantization.scales.at(0), r.in(1).shape.back());
}

std::string constants_fault(const ReadBack& r, const DepthwiseConv2DPackedParams& p,
                            DepthwiseTail tail, const reference::ActivationRange& range) {
  const int64_t channels = r.in(1).shape.back();
  const std::vector<reference::FixedFactor> factors = factors_of(r);
  const int64_t forms = runtime::depthwise_forms(p.window);
  const int64_t weights = runtime::depthwise_weight_words(p.window);
  const int64_t each = 1 + weights + (tail == DepthwiseTail::kRelu ? 2 : 3);
  const auto count = static_cast<size_t>(forms * channels * each);
  const std::vector<int32_t> words = unpacked<int32_t>(r, 0, DType::kInt32, count);
  if (words.size() != count) return "its packed constants have another type or size";
  for (int64_t k = 0; k < forms * channels; ++k) {
    const int64_t o = k % channels;
    const WantedDepthwise wanted{r, o, factors[static_cast<size_t>(o)]};
    const int32_t* const given = words.data() + k * each;
    std::string fault = exactness_fault(tail, wanted, range);
    if (fault.empty()) {
      const int64_t times = held_times(tail, wanted.factor.shift);
      if (given[0] != static_cast<int32_t>(wanted.folded_bias() * times))
        fault = "its packed bias is another";
      if (fault.empty())
        fault = channel_weights_fault(given + 1, p.window, k / channels, times, wanted);
      if (fault.empty()) fault = packed_tail_fault(tail, given + 1 + weights, wanted, range.min);
    }
    if (!fault.empty()) return fmt::format("channel {}: {}", o, fault);
  }
  return "";
}

// One channel's constants in 8 bits.
std::string compact_channel_fault(const int32_t* words, const WantedDepthwise& c) {
  const Shape& shape = c.r.in(1).shape;
  const int64_t taps = shape[1] * shape[2];
  if (words[0] != c.folded_bias()) return "its packed bias is another";
  if (words[1] != c.factor.multiplier) return "its packed multiplier is another";
  const auto byte = [&](int64_t k) {
    return static_cast<int8_t>(static_cast<uint32_t>(words[2 + k / 4]) >> (8 * (k % 4)));
  };
  for (int64_t tap = 0; tap < taps; ++tap) {
    if (byte(tap) != c.weight(tap / shape[2], tap % shape[2]))
      return "its packed weights are others";
  }
  if (byte(taps) != static_cast<int8_t>(-c.factor.shift)) return "its packed shift is another";
  for (int64_t k = taps + 1; k % 4 != 0; ++k) {
    if (byte(k) != 0) return "its packed weights are followed by others";
  }
  return "";
}

std::string compact_constants_fault(const ReadBack& r, const DepthwiseConv2DPackedParams& p,
                                    DepthwiseTail tail, const reference::ActivationRange& range) {
  const int64_t channels = r.in(1).shape.back();
  const std::vector<reference::FixedFactor> factors = factors_of(r);
  const int64_t each = runtime::depthwise_compact_words(p.window);
  const auto count = static_cast<size_t>(1 + channels * each);
  const std::vector<int32_t> words = unpacked<int32_t>(r, 0, DType::kInt32, count);
  if (words.size() != count) return "its packed constants have another type or size";
  const int64_t added_later = clamps_late(tail) ? range.min : 0;
  if (words[0] != zero_point(r.out()) - added_later) return "its packed zero point is another";
  for (int64_t o = 0; o < channels; ++o) {
    const WantedDepthwise wanted{r, o, factors[static_cast<size_t>(o)]};
    std::string fault = exactness_fault(tail, wanted, range);
    if (fault.empty()) fault = compact_channel_fault(words.data() + 1 + o * each, wanted);
    if (!fault.empty()) return fmt::format("channel {}: {}", o, fault);
  }
  return "";
}

// The portable kernel's parameters say how much it needs.
int64_t least_scratch(const ReadBack& r, const DepthwiseConv2DPackedParams& p) {
  runtime::DepthwiseConv2DParams portable{};
  portable.window = p.window;
  portable.out_channels = p.out_channels;
  portable.multiplier = p.multiplier;
  return least_scratch_bytes(r.call.kernel, {.kernel = r.call.kernel, .params = portable});
}

}  // namespace

std::string packed_depthwise_fault(const DepthwiseConv2D& a, const ReadBack& r,
                                   const DepthwiseConv2DPackedParams& p) {
  const reference::ActivationRange range = reference::activation_range(a.activation, r.out());
  Difference d;
  compare_window(a.window, r.in(0), p.window, d);
  d.expect("dilation_h", p.window.dilation_h, 1).expect("dilation_w", p.window.dilation_w, 1);
  d.expect("out_channels", p.out_channels, r.in(1).shape.back());
  d.expect("multiplier", p.multiplier, a.multiplier);
  d.expect("input_zero_point", p.input_zero_point, zero_point(r.in(0)));
  d.expect("clamp_add", p.clamp_add, 255 - (range.max - range.min));
  d.expect("clamp_less", p.clamp_less, range.max - 255);
  if (!d.none()) return d.text();
  if (p.scratch_bytes < least_scratch(r, p)) d.fail("it has too little scratch");
  const KernelInfo& kernel = info(r.call.kernel);
  const DepthwiseTail tail = kernel.tail.value();
  return d
      .fail(kernel.form == WeightForm::kCompact ? compact_constants_fault(r, p, tail, range)
                                                : constants_fault(r, p, tail, range))
      .text();
}

}  // namespace thimble
