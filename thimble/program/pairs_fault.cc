// SPDX-License-Identifier: Apache-2.0
// Reads runtime::Conv2DPairsParams back: by its definition, not as they are packed.
#include <array>
#include <cstdlib>
#include <limits>
#include <optional>

#include "thimble/program/read_back.h"
#include "thimble/reference/factors.h"

namespace thimble {
namespace {

using runtime::Tail;

// A channel as the words say it.
struct ReadChannel {
  int64_t bias = 0;
  std::vector<int64_t> weights;
  int64_t multiplier = 0, constant = 0, shift = 0;
};

// How the words hold weights.
struct PairsForm {
  WeightForm form;
  size_t channels, inputs;
  bool shared = false;  ///< constants stand once, behind the pairs

  [[nodiscard]] bool compact() const { return form == WeightForm::kCompact; }
  [[nodiscard]] bool nibbles() const { return form == WeightForm::kNibbles; }
  /// Inputs of a pair, with those whose weights are zeros.
  [[nodiscard]] size_t filled() const {
    return nibbles() ? (inputs + 7) / 8 * 8 : (inputs + 3) / 4 * 4;
  }
  [[nodiscard]] size_t pair_words() const {
    return 2 + filled() / (nibbles() ? 4 : compact() ? 2 : 1) + (shared ? 0 : 6);
  }
  [[nodiscard]] size_t head() const { return compact() || nibbles() ? 1 : 0; }
  [[nodiscard]] size_t shared_at() const { return head() + (channels + 1) / 2 * pair_words(); }
  /// Where the list of what weights lack begins.
  [[nodiscard]] size_t rests() const { return shared_at() + (shared ? 6 : 0); }
};

ReadChannel wide_channel(const int32_t* pair, size_t which, const PairsForm& form) {
  ReadChannel c{.bias = pair[which], .weights = {}};
  for (size_t k = 0; k < form.filled(); ++k) {
    const auto word = static_cast<uint32_t>(pair[2 + k / 4 * 4 + 2 * which + k % 2]);
    c.weights.push_back(static_cast<int16_t>(k % 4 < 2 ? word & 0xffffU : word >> 16U));
  }
  return c;
}

// As they meet inputs: the halves those of odd inputs less 127, their low bytes 256 times the even
// ones less these.
ReadChannel compact_channel(const int32_t* pair, size_t which, const PairsForm& form) {
  ReadChannel c{.bias = pair[which], .weights = {}};
  int64_t less = 0;
  for (size_t k = 0; k < form.filled(); k += 2) {
    const auto word = static_cast<uint32_t>(pair[2 + k / 4 * 2 + which]);
    const auto half = static_cast<int16_t>(k % 4 == 0 ? word & 0xffffU : word >> 16U);
    const auto low = static_cast<int8_t>(half);
    c.weights.insert(c.weights.end(), {256 * low, half - low});
    less += c.weights.back();
  }
  // All that counts of it are 32 bits.
  c.bias = static_cast<int32_t>(static_cast<uint32_t>(c.bias - 127 * less));
  return c;
}

// Of eight inputs, those that stand in the lower half of a word; the others are two further.
ReadChannel nibble_channel(const int32_t* pair, size_t which, const PairsForm& form) {
  ReadChannel c{.bias = pair[which], .weights = std::vector<int64_t>(form.filled())};
  constexpr std::array<size_t, 4> kFromTheHighest = {0, 1, 4, 5};
  for (size_t k = 0; k < form.filled(); k += 8) {
    const auto word = static_cast<uint32_t>(pair[2 + k / 4 + which]);
    for (size_t n = 0; n < kFromTheHighest.size(); ++n) {
      const uint32_t lower = word >> 4 * (3 - n) & 15U, upper = word >> 4 * (7 - n) & 15U;
      const size_t at = k + kFromTheHighest[n];
      c.weights[at] = 4096 * (int64_t{lower} - (lower > 7 ? 16 : 0));
      c.weights[at + 2] = 4096 * (int64_t{upper} - (upper > 7 ? 16 : 0));
    }
  }
  return c;
}

// What is listed behind the pairs that weights lack: one each; nothing if that is no such list.
std::optional<std::vector<int64_t>> lacking(const std::vector<int32_t>& words,
                                            const PairsForm& form, size_t o) {
  std::vector<int64_t> result(form.filled());
  if (!form.compact()) return result;
  if (words.back() != std::numeric_limits<int32_t>::max() || (words.size() - form.rests()) % 2 == 0)
    return std::nullopt;
  int32_t before = 0;
  for (size_t at = form.rests(); at + 1 < words.size(); at += 2) {
    const int32_t channel = words[at], input = words[at + 1];
    if (channel < before || static_cast<size_t>(channel) >= form.channels || input < 0 ||
        static_cast<size_t>(input) >= result.size() || input % 2 == 0)
      return std::nullopt;
    before = channel;
    if (static_cast<size_t>(channel) == o) ++result[static_cast<size_t>(input)];
  }
  return result;
}

ReadChannel channel(const std::vector<int32_t>& words, size_t o, const PairsForm& form) {
  const int32_t* const pair = words.data() + form.head() + o / 2 * form.pair_words();
  ReadChannel c = form.nibbles()   ? nibble_channel(pair, o % 2, form)
                  : form.compact() ? compact_channel(pair, o % 2, form)
                                   : wide_channel(pair, o % 2, form);
  const int32_t* const constants =
      (form.shared ? words.data() + form.shared_at() : pair + form.pair_words() - 6) + 3 * (o % 2);
  c.multiplier = constants[0];
  c.constant = constants[1];
  c.shift = constants[2];
  return c;
}

// What the operator says of a channel, the input zero point folded into the bias.
struct WantedChannel {
  int64_t bias = 0;
  std::vector<int64_t> weights;
  reference::FixedFactor factor;

  // How far inputs of 8 bits can move it from the bias.
  [[nodiscard]] int64_t reach() const {
    int64_t sum = 0;
    for (const int64_t w : weights) sum += 128 * std::abs(w);
    return sum;
  }
};

WantedChannel wanted_channel(const ReadBack& r, size_t o, reference::FixedFactor factor) {
  WantedChannel c{.bias = 0, .weights = {}, .factor = factor};
  const Tensor& weights = r.in(1);
  const auto inputs = static_cast<size_t>(elements(weights.shape) / weights.shape.front());
  int32_t bias = 0;
  if (r.op.inputs.size() > 2)
    std::memcpy(&bias, r.in(2).data->data() + o * sizeof(bias), sizeof(bias));
  c.bias = bias;
  const auto add = [&](size_t at) {
    c.weights.push_back(static_cast<int8_t>((*weights.data)[o * inputs + at]) -
                        reference::weight_zero_point_of(weights));
    c.bias -= zero_point(r.in(0)) * c.weights.back();
  };
  const bool window = weights.shape.size() == 4;
  const size_t rows = window ? static_cast<size_t>(weights.shape[1]) : 1;
  const size_t run = inputs / rows, rest = run % 4, filled = (run + 3) / 4 * 4;
  // Rows of few channels are filled up to fours, if that is as many fours.
  if (window && weights.shape[3] < 4 && rows > 1 && rows * filled == (inputs + 3) / 4 * 4) {
    for (size_t k = 0; k < rows * filled; ++k) {
      if (k % filled < run) {
        add(k / filled * run + k % filled);
      } else {
        c.weights.push_back(0);
      }
    }
    return c;
  }
  // The fours of every row of the window, then the rests.
  for (size_t k = 0; k < inputs; ++k) {
    const size_t main = inputs - rows * rest;
    const size_t row = k < main ? k / (run - rest) : (k - main) / rest;
    const size_t at = k < main ? k % (run - rest) : run - rest + (k - main) % rest;
    add(row * run + at);
  }
  return c;
}

// What the reference makes of any sum, if it is one small number: then so must the constants.
std::optional<int64_t> constant_result(const WantedChannel& c) {
  if (c.factor.multiplier == 0) return 0;
  const int64_t least = c.bias - c.reach(), most = c.bias + c.reach();
  if (c.factor.multiplier < 0 || c.factor.shift > 0 ||
      least < std::numeric_limits<int32_t>::min() || most > std::numeric_limits<int32_t>::max())
    return std::nullopt;
  const int64_t low = reference::multiply(static_cast<int32_t>(least), c.factor);
  const int64_t high = reference::multiply(static_cast<int32_t>(most), c.factor);
  const bool small = std::abs(low) < int64_t{1} << 20;
  return small && low == high ? std::optional(low) : std::nullopt;
}

bool is_relu(Tail tail) {
  return runtime::shared_shift(tail) != 0 || tail == Tail::kRelu || tail == Tail::kReluHigh ||
         tail == Tail::kReluFrom;
}

bool is_to_even(Tail tail) { return tail == Tail::kToEven || tail == Tail::kToEvenClamps; }

// The sum is held times 2^this.
int64_t doublings(Tail tail, const PairsForm& form, const reference::FixedFactor& factor) {
  if (form.nibbles()) return 12;
  if (form.compact()) return 8;
  if (tail == Tail::kSums || is_to_even(tail)) return 0;
  const int64_t shared = runtime::shared_shift(tail);
  return shared != 0 ? 1 + shared + factor.shift
                     : (is_relu(tail) ? 2 : 1) + std::max<int64_t>(factor.shift, 0);
}

// What is left to shift to the right.
int64_t right_shift(Tail tail, int64_t doublings, const reference::FixedFactor& factor) {
  return (is_relu(tail) ? doublings - 1 : 0) - factor.shift;
}

// What is added before that: zero point and rounding, and of a ReLU half of the product's, in units
// of the sum's doublings.
int64_t constant(Tail tail, int64_t doublings, const reference::FixedFactor& factor,
                 int64_t zero_point) {
  const int64_t right = right_shift(tail, doublings, factor);
  const int64_t half = is_relu(tail) && factor.shift < 0 ? int64_t{1} << (doublings - 2) : 0;
  return zero_point * (int64_t{1} << right) + (int64_t{1} << (right - 1)) + half;
}

// Why the tail would not compute what the reference does.
std::string tail_fault(Tail tail, const runtime::Conv2DPairsParams& p, const PairsForm& form,
                       const WantedChannel& c) {
  const int64_t twice = doublings(tail, form, c.factor);
  const bool overflows =
      twice > (form.nibbles() ? 12 : 8) || twice < 0 ||
      std::abs(c.bias) + c.reach() > std::numeric_limits<int32_t>::max() >> twice;
  if (tail == Tail::kSums) return form.head() != 0 && overflows ? "its sums may overflow" : "";
  const bool is_float = c.factor.shift == reference::kFloatShift;
  if (is_float != is_to_even(tail)) return "its tail has scales of another kind";
  const bool from = tail == Tail::kReluFrom;
  const bool low = from            ? p.clamp_min == p.output_zero_point
                   : is_relu(tail) ? p.clamp_min == -128 && p.output_zero_point == -128
                                   : p.clamp_min <= -1;
  const bool any_clamps =
      tail == Tail::kReluHigh || tail == Tail::kSignedClamps || tail == Tail::kToEvenClamps;
  if (!low || p.clamp_max < 0 ||
      (!any_clamps && ((!from && p.clamp_min != -128) || p.clamp_max != 127)))
    return "its tail does not do its clamps";
  if (is_float) {
    const double scale = static_cast<double>(std::bit_cast<float>(c.factor.multiplier));
    const auto largest = static_cast<double>(std::abs(c.bias) + c.reach());
    return overflows || largest * scale > 1 << 30 ? "its tail may overflow" : "";
  }
  if (constant_result(c)) return "";
  if (!is_relu(tail) && c.factor.shift >= 0) return "its tail does not round its shift";
  const int64_t shared = runtime::shared_shift(tail);
  const int64_t right = right_shift(tail, twice, c.factor);
  if (shared != 0 && (c.factor.shift > 0 || twice < 2 || right != shared))
    return "its tail does not round its shift";
  if (c.factor.multiplier < 0 || right < 1 || right > 30 || overflows ||
      std::abs(constant(tail, twice, c.factor, from ? 0 : p.output_zero_point)) > 1 << 30)
    return "its tail may overflow";
  return "";
}

// Weights and bias times 2^doublings, then the constants.
std::string channel_fault(Tail tail, int32_t output_zero_point, const PairsForm& form,
                          const ReadChannel& given, const WantedChannel& wanted) {
  const bool sums = tail == Tail::kSums;
  const int64_t shared = runtime::shared_shift(tail);
  const bool to_even = is_to_even(tail);
  const std::optional<int64_t> result = sums || to_even ? std::nullopt : constant_result(wanted);
  if (result) {
    const int64_t shift = shared != 0 ? shared : 1;
    const bool same = given.multiplier == 0 && given.shift == shift &&
                      given.constant == (*result + output_zero_point) * (int64_t{1} << shift) +
                                            (int64_t{1} << (shift - 1));
    return same ? "" : "its packed scale is another";
  }
  const int64_t twice = doublings(tail, form, wanted.factor);
  const int64_t factor = int64_t{1} << twice;
  if (given.bias != wanted.bias * factor) return "its packed bias is another";
  for (size_t k = 0; k < given.weights.size(); ++k) {
    const int64_t weight = k < wanted.weights.size() ? wanted.weights[k] * factor : 0;
    if (given.weights[k] != weight) return fmt::format("its packed weight {} is another", k);
  }
  if (to_even) {
    const float scale = std::bit_cast<float>(wanted.factor.multiplier) / static_cast<float>(factor);
    const bool same = given.multiplier == std::bit_cast<int32_t>(scale) && given.constant == 0 &&
                      given.shift == reference::kFloatShift;
    return same ? "" : "its packed scale is another";
  }
  const int64_t shift = sums ? wanted.factor.shift : right_shift(tail, twice, wanted.factor);
  const int64_t added = sums ? 0 : constant(tail, twice, wanted.factor, output_zero_point);
  const bool same = given.multiplier == wanted.factor.multiplier && given.shift == shift &&
                    given.constant == added;
  return same ? "" : "its packed scale is another";
}

}  // namespace

std::string pairs_fault(const ReadBack& r, const runtime::Conv2DPairsParams& p,
                        const std::vector<reference::FixedFactor>& factors) {
  if (p.tail < 0 || p.tail > static_cast<int32_t>(Tail::kSums)) return "it has no such tail";
  const auto tail = static_cast<Tail>(p.tail);
  const size_t channels = factors.size();
  PairsForm form{.form = info(r.call.kernel).form.value(),
                 .channels = channels,
                 .inputs = static_cast<size_t>(elements(r.in(1).shape)) / channels};
  const size_t given = r.constants.empty() ? 0 : r.constants[0]->data.size() / sizeof(int32_t);
  if (form.head() != 0) {
    const std::vector<int32_t> all = unpacked<int32_t>(r, 0, DType::kInt32, given);
    if (all.empty() || all[0] < 0 || all[0] > 1)
      return "its packed weights do not say where their scales are";
    form.shared = all[0] == 1;
  }
  const size_t count = form.compact() ? std::max(given, form.rests() + 1) : form.rests();
  const std::vector<int32_t> words = unpacked<int32_t>(r, 0, DType::kInt32, count);
  if (words.size() != count) return "its packed weights have another type or size";
  for (size_t o = 0; o < channels; ++o) {
    const WantedChannel wanted = wanted_channel(r, o, factors[o]);
    std::string fault = tail_fault(tail, p, form, wanted);
    const int32_t added = tail == Tail::kReluFrom ? 0 : p.output_zero_point;
    const std::optional<std::vector<int64_t>> less = lacking(words, form, o);
    if (!less) return "its list of what weights lack is none";
    ReadChannel read = channel(words, o, form);
    for (size_t k = 0; k < less->size(); ++k) read.weights[k] -= 256 * (*less)[k];
    if (fault.empty()) fault = channel_fault(tail, added, form, read, wanted);
    if (!fault.empty()) return fmt::format("channel {}: {}", o, fault);
  }
  return "";
}

}  // namespace thimble
