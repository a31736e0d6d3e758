// SPDX-License-Identifier: Apache-2.0
// Reads runtime::Conv2DFoursParams back: by its definition, not as they are packed.
#include "thimble/program/read_back.h"

namespace thimble {
namespace {

using runtime::FoursRounding;

// Word `k` of the four that channel o is in.
int32_t four_word(const std::vector<int32_t>& words, size_t sixteens, size_t o, size_t k) {
  return words[o / 4 * (4 + 16 * sixteens + 8) + k];
}

int64_t four_weight(const std::vector<int32_t>& words, size_t sixteens, size_t o, size_t k) {
  const size_t byte = k / 16 * 64 + o % 4 * 16 + k % 16;
  const auto word = static_cast<uint32_t>(four_word(words, sixteens, o, 4 + byte / 4));
  return static_cast<int8_t>(word >> 8U * (byte % 4));
}

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
  const size_t inputs = weights.size() / channels, sixteens = (inputs + 15) / 16;
  const size_t count = (channels + 3) / 4 * (4 + 16 * sixteens + 8);
  const std::vector<int32_t> words = unpacked<int32_t>(r, 0, DType::kInt32, count);
  if (words.size() != count) return "its packed weights have another type or size";
  for (size_t o = 0; o < (channels + 3) / 4 * 4; ++o) {
    const bool real = o < channels;
    int32_t model_bias = 0;
    if (real && r.op.inputs.size() > 2)
      std::memcpy(&model_bias, r.in(2).data->data() + o * sizeof(model_bias), sizeof(model_bias));
    int64_t bias = model_bias;
    for (size_t k = 0; k < 16 * sixteens; ++k) {
      const int64_t wanted =
          real && k < inputs ? static_cast<int8_t>(weights[o * inputs + k]) : int64_t{0};
      if (four_weight(words, sixteens, o, k) != wanted)
        return fmt::format("channel {}: its packed weight {} is another", o, k);
      bias -= zero_point(r.in(0)) * wanted;
    }
    const reference::FixedFactor factor = real ? factors[o] : reference::FixedFactor{0, 0};
    if (four_word(words, sixteens, o, o % 4) != bias)
      return fmt::format("channel {}: its packed bias is another", o);
    const size_t constants = 4 + 16 * sixteens + o % 4;
    if (four_word(words, sixteens, o, constants) != factor.multiplier ||
        four_word(words, sixteens, o, constants + 4) != factor.shift)
      return fmt::format("channel {}: its packed scale is another", o);
    const std::string fault = real ? rounding_fault(p, factor.shift) : "";
    if (!fault.empty()) return fmt::format("channel {}: {}", o, fault);
  }
  return "";
}

}  // namespace thimble
