// SPDX-License-Identifier: Apache-2.0
// Reads runtime::Conv2DFoursParams back: by its definition, not as they are packed.
#include <cstdlib>
#include <limits>

#include "thimble/program/read_back.h"

namespace thimble {
namespace {

using runtime::FoursRounding;

// The words of all fours, and how they hold weights.
struct ReadFours {
  bool nibbles;
  size_t sixteens;
  std::vector<int32_t> words = {};

  [[nodiscard]] size_t count() const { return 4 + (nibbles ? 8 : 16) * sixteens + 8; }
  /// Word `k` of the four that channel o is in.
  [[nodiscard]] int32_t word(size_t o, size_t k) const { return words[o / 4 * count() + k]; }
  [[nodiscard]] int8_t byte(size_t o, size_t at) const {
    return static_cast<int8_t>(static_cast<uint32_t>(word(o, 4 + at / 4)) >> 8U * (at % 4));
  }
  [[nodiscard]] int64_t weight(size_t o, size_t k) const {
    if (!nibbles) return byte(o, k / 16 * 64 + o % 4 * 16 + k % 16);
    // The first channel's is what is left by sixteen, from -8 to 7.
    const int64_t both = byte(o, k / 16 * 32 + o % 4 / 2 * 16 + k % 16);
    const int64_t first = ((both & 15) ^ 8) - 8;
    return o % 2 == 0 ? first : (both - first) / 16;
  }
  /// bias: of a first channel the one before.
  [[nodiscard]] int64_t bias(size_t o, int64_t before) const {
    const int64_t held = word(o, o % 4);
    if (!nibbles) return held;
    const int64_t times = o % 2 == 0 ? held : held - before;
    return times % 16 == 0 ? times / 16 : std::numeric_limits<int64_t>::max();
  }
  [[nodiscard]] int32_t multiplier(size_t o) const { return word(o, count() - 8 + o % 4); }
  [[nodiscard]] int32_t shift(size_t o) const { return word(o, count() - 4 + o % 4); }
};

std::string rounding_fault(const runtime::Conv2DFoursParams& p, int64_t shift) {
  const auto rounding = static_cast<FoursRounding>(p.rounding);
  if ((shift == reference::kFloatShift) != (rounding == FoursRounding::kToEven))
    return "its scale is of another kind";
  switch (rounding) {
    case FoursRounding::kToEven:
      return "";
    case FoursRounding::kUp:  // whatever is below the zero point is clamped to it or above
      return p.clamp_min >= p.output_zero_point && shift <= 0 ? ""
                                                              : "its ties round away from zero";
    case FoursRounding::kAway:
      return shift < 0 ? "" : "its shift has no ties";
    case FoursRounding::kAny:
      return "";
  }
  return "it has no such rounding";
}

}  // namespace

std::string fours_fault(const ReadBack& r, const runtime::Conv2DFoursParams& p,
                        const std::vector<reference::FixedFactor>& factors) {
  const size_t channels = factors.size();
  const Bytes& weights = *r.in(1).data;
  const size_t inputs = weights.size() / channels;
  ReadFours fours{.nibbles = info(r.call.kernel).form == WeightForm::kNibbles,
                  .sixteens = (inputs + 15) / 16};
  const size_t count = (channels + 3) / 4 * fours.count();
  fours.words = unpacked<int32_t>(r, 0, DType::kInt32, count);
  if (fours.words.size() != count) return "its packed weights have another type or size";
  int64_t before = 0;  // the bias of the channel before
  for (size_t o = 0; o < (channels + 3) / 4 * 4; ++o) {
    const bool real = o < channels;
    int32_t model_bias = 0;
    if (real && r.op.inputs.size() > 2)
      std::memcpy(&model_bias, r.in(2).data->data() + o * sizeof(model_bias), sizeof(model_bias));
    int64_t bias = model_bias, reach = 0;
    for (size_t k = 0; k < 16 * fours.sixteens; ++k) {
      const int64_t wanted =
          real && k < inputs ? static_cast<int8_t>(weights[o * inputs + k]) : int64_t{0};
      if (fours.weight(o, k) != wanted)
        return fmt::format("channel {}: its packed weight {} is another", o, k);
      bias -= zero_point(r.in(0)) * wanted;
      reach += 128 * std::abs(wanted);
    }
    const reference::FixedFactor factor = real ? factors[o] : reference::FixedFactor{0, 0};
    if (fours.bias(o, before) != bias)
      return fmt::format("channel {}: its packed bias is another", o);
    before = bias;
    if (fours.nibbles && 16 * (std::abs(bias) + reach) > std::numeric_limits<int32_t>::max())
      return fmt::format("channel {}: its sums may overflow", o);
    if (fours.multiplier(o) != factor.multiplier || fours.shift(o) != factor.shift)
      return fmt::format("channel {}: its packed scale is another", o);
    const std::string fault = real ? rounding_fault(p, factor.shift) : "";
    if (!fault.empty()) return fmt::format("channel {}: {}", o, fault);
  }
  return "";
}

}  // namespace thimble
