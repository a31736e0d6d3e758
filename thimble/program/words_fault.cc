// SPDX-License-Identifier: Apache-2.0
// Reads runtime::Conv2DWordsParams back: by its definition, not as they are packed.
#include <algorithm>

#include "thimble/model/rounding.h"
#include "thimble/program/read_back.h"

namespace thimble {
namespace {

// Where the constants of one output channel stand.
struct ChannelWords {
  const int32_t* group;  ///< its weights
  size_t channels;       ///< of the group
  size_t number;         ///< of the channel in it
  const int32_t* constants;
};

class Words {
 public:
  Words(std::vector<int32_t> words, WeightForm form, size_t channels, size_t inputs)
      : words_(std::move(words)), form_(form), channels_(channels), inputs_(inputs) {}

  [[nodiscard]] static size_t count(WeightForm form, size_t channels, size_t inputs) {
    const size_t fours = channels / 4, left = channels % 4;
    const size_t last = left == 0 ? 0 : form == WeightForm::kDepthwise || left == 3 ? 4 : 2;
    return fours * of_group(form, 4, inputs) + (last == 0 ? 0 : of_group(form, last, inputs));
  }
  /// Channels, with those that are zeros.
  [[nodiscard]] size_t channels() const {
    const size_t multiple = form_ != WeightForm::kDepthwise && channels_ % 4 <= 2 ? 2 : 4;
    return (channels_ + multiple - 1) / multiple * multiple;
  }
  [[nodiscard]] size_t inputs() const {
    return form_ == WeightForm::kDepthwise ? inputs_ : (inputs_ + 1) / 2 * 2;
  }
  [[nodiscard]] ChannelWords channel(size_t o) const {
    const int32_t* const group = words_.data() + o / 4 * of_group(form_, 4, inputs_);
    const size_t left = channels_ - o / 4 * 4;
    const size_t channels = form_ != WeightForm::kDepthwise && left <= 2 ? 2 : 4;
    return {group, channels, o % 4, group + of_weights(form_, channels, inputs_) + o % 4 * 4};
  }
  [[nodiscard]] int32_t weight(const ChannelWords& c, size_t k) const {
    const auto byte = [](int32_t word, size_t n) {
      return static_cast<int8_t>(static_cast<uint32_t>(word) >> (8U * n));
    };
    const size_t pair = k / 2, second = k % 2;
    switch (form_) {
      case WeightForm::kWide:
        return static_cast<int16_t>(static_cast<uint32_t>(c.group[pair * c.channels + c.number]) >>
                                    (16U * second));
      case WeightForm::kCompact:
        return byte(c.group[(pair * c.channels + c.number) / 2], c.number % 2 + 2 * second);
      case WeightForm::kDepthwise:
        return byte(c.group[k], c.number % 2 * 2 + c.number / 2);
      case WeightForm::kNibbles:
        break;  // no kernel in words has them
      case WeightForm::kRows: {
        const size_t at = c.number * inputs() + k;
        return byte(c.group[at / 4], at % 4);
      }
    }
    return 0;
  }

 private:
  [[nodiscard]] static size_t of_weights(WeightForm form, size_t group, size_t inputs) {
    const size_t pairs = (inputs + 1) / 2;
    return form == WeightForm::kDepthwise ? inputs
                                          : pairs * group / (form == WeightForm::kWide ? 1 : 2);
  }
  [[nodiscard]] static size_t of_group(WeightForm form, size_t group, size_t inputs) {
    return of_weights(form, group, inputs) + 4 * group;
  }

  std::vector<int32_t> words_;
  WeightForm form_;
  size_t channels_, inputs_;
};

// What the reference does to a sum: times the factor's 16 bits, plus a half, shifted right.
std::string once_fault(const int32_t* constants, int64_t bias, reference::FixedFactor factor) {
  const int64_t multiplier = factor.multiplier;
  const int64_t bits16 = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
  const int64_t right = 15 - factor.shift;
  const int64_t further = constants[3];
  if (further < 0 || further > 31 || 32 + further < right) return "its shift is wrong";
  const auto doublings = static_cast<uint64_t>(32 + further - right);
  if (doublings > 31 || constants[2] != bits16 << doublings) return "its multiplier is wrong";
  const uint64_t half = uint64_t{1} << static_cast<uint64_t>(31 + further);
  const uint64_t total = static_cast<uint64_t>(bias) * static_cast<uint64_t>(constants[2]) + half;
  const uint64_t given =
      uint64_t{static_cast<uint32_t>(constants[1])} << 32U | static_cast<uint32_t>(constants[0]);
  return given == total ? "" : "its bias is wrong";
}

std::string twice_fault(const int32_t* constants, int64_t bias, reference::FixedFactor factor) {
  if (constants[2] != factor.multiplier || constants[3] != factor.shift)
    return "its scale is wrong";
  const bool same = constants[0] == static_cast<int32_t>(bias) && constants[1] == 0;
  return same ? "" : "its bias is wrong";
}

std::string none_fault(const int32_t* constants) {
  return std::all_of(constants, constants + 4, [](int32_t word) { return word == 0; })
             ? ""
             : "it is behind the last and not zero";
}

}  // namespace

std::string words_fault(const ReadBack& r, const runtime::Conv2DWordsParams& p,
                        Activation activation, const std::vector<reference::FixedFactor>& factors) {
  const WeightForm form = info(r.call.kernel).form.value();
  const Bytes& weights = *r.in(1).data;
  const size_t channels = factors.size(), inputs = weights.size() / channels;
  const bool depthwise = std::holds_alternative<DepthwiseConv2D>(r.op.attributes);
  const bool once = rounds_once(r.graph, r.op);
  Difference d;
  // A convolution of groups of one channel takes the depthwise kernel, too.
  const bool by_channel = depthwise || form == WeightForm::kDepthwise;
  d.expect("in_channels", p.in_channels, r.in(by_channel ? 0 : 1).shape.back());
  d.expect("out_channels", p.out_channels, static_cast<int64_t>(channels));
  d.expect("rounds_once", p.rounds_once, once ? 1 : 0);
  const reference::ActivationRange range = reference::activation_range(activation, r.out());
  d.expect("clamp_min", p.clamp_min, range.min).expect("clamp_max", p.clamp_max, range.max);
  if (zero_point(r.in(0)) != 0 || zero_point(r.out()) != 0) d.fail("its zero points are not 0");
  const size_t count = Words::count(form, channels, inputs);
  std::vector<int32_t> unpacked_words = unpacked<int32_t>(r, 0, DType::kInt32, count);
  if (unpacked_words.size() != count) d.fail("its words have another type or size");
  if (!d.none()) return d.text();
  const Words words(std::move(unpacked_words), form, channels, inputs);
  for (size_t o = 0; o < words.channels() && d.none(); ++o) {
    const ChannelWords c = words.channel(o);
    for (size_t k = 0; k < words.inputs(); ++k) {
      const size_t at = depthwise ? k * channels + o : o * inputs + k;
      const bool real = o < channels && k < inputs;
      if (words.weight(c, k) != (real ? static_cast<int8_t>(weights[at]) : 0))
        d.fail(fmt::format("weight {} of its channel {} is wrong", k, o));
    }
    const std::string fault = o >= channels ? none_fault(c.constants)
                              : once        ? once_fault(c.constants, model_bias(r, o), factors[o])
                                     : twice_fault(c.constants, model_bias(r, o), factors[o]);
    if (!fault.empty()) d.fail(fmt::format("channel {}: {}", o, fault));
  }
  return d.text();
}

}  // namespace thimble
