// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/kernels/depthwise/depthwise_dsp.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "thimble/model/error.h"
#include "thimble/target/kernels/convolution/unfolded_conv_2d.h"
#include "thimble/target/kernels/convolution/weights.h"
#include "thimble/target/kernels/rows.h"
#include "thimble/target/kernels/tails.h"

namespace thimble {
namespace {

using runtime::DepthwiseConv2DPackedParams;
using runtime::DepthwiseConv2DParams;
using runtime::Scale;
using runtime::Window2D;

constexpr int kReluShift = 11;  // of runtime/dsp/depthwise_tail.h
constexpr int kMostShift = 23;  // a zero point times 2^23 fits 32

// The sum of a channel is held times 2^doublings.
int doublings(DepthwiseTail tail, const Scale& scale) {
  if (tail == DepthwiseTail::kToEven) return 0;
  return tail == DepthwiseTail::kRelu ? kReluShift + 1 + scale.shift : 1;
}

// Whether the lower clamp is taken from the zero point, and added when all is clamped.
bool clamps_late(DepthwiseTail tail) {
  return tail == DepthwiseTail::kClamped || tail == DepthwiseTail::kToEven;
}

// What is added to the product of sum and multiplier before it is shifted: half of what one is
// there, and the zero point.
int32_t constant_of(DepthwiseTail tail, const Scale& scale, int32_t zero_point, int32_t least) {
  const int32_t from = zero_point - (clamps_late(tail) ? least : 0);
  if (tail == DepthwiseTail::kToEven) return from;
  const int right = -scale.shift;
  const int32_t constant = (1 << (right - 1)) + from * (1 << right);
  if (tail != DepthwiseTail::kRelu) return constant;
  return constant * (1 << (kReluShift - right)) + (1 << (kReluShift - 1 - right));
}

bool exact(DepthwiseTail tail, const DepthwiseSums& sums, size_t o) {
  const Scale& scale = sums.scales[o];
  if (tail == DepthwiseTail::kToEven) {
    constexpr double kMost = 1 << 30;  // with the zero point it fits 32 bits
    const auto real = static_cast<double>(std::bit_cast<float>(scale.multiplier));
    return sums.largest[o] <= std::numeric_limits<int32_t>::max() &&
           static_cast<double>(sums.largest[o]) * real < kMost;
  }
  const int right = -scale.shift;
  if (scale.multiplier < 0 || right < 1 || right > kMostShift) return false;
  if (tail == DepthwiseTail::kRelu && right >= kReluShift) return false;
  const int times = doublings(tail, scale);
  const int64_t most = std::numeric_limits<int32_t>::max();
  if (times > kMostDoublings - (sums.weights_zero_point != 0 ? 1 : 0) ||
      sums.largest[o] > most >> times)
    return false;
  const int64_t product = ((sums.largest[o] << times) * scale.multiplier >> 32) + 1;
  const int64_t constant = constant_of(tail, scale, sums.output_zero_point, sums.clamp.min);
  return product + std::abs(constant) < most;
}

constexpr int64_t kMostScratchBytes = 16 << 10;
// A single row that is packed costs a group of channels some 1,250 instructions beside its blocks,
// which save some 37 for every four channels and output (docs/kernels.md).
constexpr int64_t kFoursOfOutputs = 32;

// How the kernels walk over a call.
enum class Traversal : uint8_t {
  kAny,
  kWholeRows,  // and no other way
  kUnpacked,   // never pixel by pixel; unpacked constants in scratch, too
};

// What calls of at most these extents can use of a budget: whole rows of all channels or of some;
// else what windows of 3 x 3 pixel by pixel need, or as many outputs of a row as there is room for;
// 0: not even that.
int64_t scratch_within(const DepthwiseConv2DParams& p, const CallExtents& call,
                       int64_t budget_bytes, Traversal traversal) {
  const Window2D& w = p.window;
  const auto rows = static_cast<int32_t>(call.rows), columns = static_cast<int32_t>(call.columns);
  const int32_t all = p.out_channels / p.multiplier;
  const int32_t channels = p.multiplier == 1 ? static_cast<int32_t>(call.channels) : all;
  const bool whole = traversal == Traversal::kWholeRows;
  const bool by_pixels =
      runtime::is_depthwise_3x3(w) && p.multiplier == 1 && traversal == Traversal::kAny;
  const int32_t unpacked =
      traversal == Traversal::kUnpacked ? runtime::depthwise_unpacked_bytes(w) * p.multiplier : 0;
  const int32_t unit = p.multiplier == 1 ? std::min(all, 4) : all;
  const auto strip = [&](int32_t outputs) {
    return runtime::depthwise_scratch_bytes(w, unit, outputs, w.kernel_h) + unit * unpacked;
  };
  const auto within =
      static_cast<int32_t>(std::min(budget_bytes, std::max(kMostScratchBytes, int64_t{strip(1)})));
  const int32_t least = whole ? 0 : by_pixels ? runtime::depthwise_padding_bytes(all) : strip(1);
  if (least > within) return 0;
  const auto whole_rows = [&](int32_t count) {
    return std::max(least, runtime::depthwise_scratch_bytes(w, count, columns,
                                                            runtime::depthwise_rows(w, rows)) +
                               count * unpacked);
  };
  if (by_pixels && rows * columns == 1) return least;
  // Less than four channels go by whole rows: other ways are no faster than the portable kernel.
  if (by_pixels && channels < 4) return whole_rows(channels) <= within ? whole_rows(channels) : 0;
  const int32_t fours = runtime::depthwise_fours(w, within, columns, rows, unpacked);
  const int64_t at_a_time = std::min(fours, (channels + 3) / 4);
  if (by_pixels && rows == 1 && at_a_time * columns < kFoursOfOutputs) return least;
  if (whole_rows(channels) <= within) return whole_rows(channels);
  if (p.multiplier == 1 && fours > 0 &&
      (traversal == Traversal::kUnpacked ||
       !runtime::depthwise_by_pixels(w, 1, within, rows, columns, channels)))
    return whole_rows(4 * fours);
  if (whole || by_pixels) return least;
  int32_t outputs = columns;
  while (strip(outputs) > within) outputs -= outputs > 4 ? 1 + (outputs - 1) % 4 : 1;
  return strip(outputs);
}

// All of the operator in one call; rows of the output that SAME padding can have, at most.
CallExtents whole_call(const DepthwiseConv2DParams& p) {
  const Window2D& w = p.window;
  return {.rows = (w.in_h + w.stride_h - 1) / w.stride_h,
          .columns = (w.in_w + w.stride_w - 1) / w.stride_w,
          .channels = p.out_channels};
}

// One channel's weights times 2^times; columns outside of the kernel are 0.
struct ChannelWeights {
  const DepthwiseWeights& from;
  const Window2D& window;
  size_t channel, channels;
  int times;

  [[nodiscard]] int32_t at(int32_t y, int32_t x) const {
    if (x < 0 || x >= window.kernel_w) return 0;
    const int32_t tap = y * window.kernel_w + x;
    const int32_t weight = from.weights[static_cast<size_t>(tap) * channels + channel];
    return (weight - from.weights_zero_point) * (1 << times);
  }
  [[nodiscard]] int32_t pair(int32_t y, int32_t x) const {
    return pair_word(at(y, x), at(y, x + 1));
  }
};

void append_weights(const ChannelWeights& c, int32_t form, std::vector<int32_t>& words) {
  const Window2D& w = c.window;
  const size_t end = words.size() + static_cast<size_t>(runtime::depthwise_weight_words(w));
  if (runtime::is_depthwise_3x3(w)) {
    for (int32_t y = 0; y < w.kernel_h; ++y)
      words.insert(words.end(), {c.pair(y, 0), c.pair(y, 1)});
    return;
  }
  for (int32_t k = 0; k < runtime::depthwise_window_pairs(w); ++k) {
    for (int32_t y = 0; y < w.kernel_h; ++y) words.push_back(c.pair(y, 2 * k - form));
  }
  words.resize(end);
}

void append_tail(DepthwiseTail tail, const Scale& scale, const DepthwiseConv2DParams& p,
                 std::vector<int32_t>& words) {
  const bool to_even = tail == DepthwiseTail::kToEven;
  if (tail != DepthwiseTail::kRelu) words.push_back(to_even ? scale.shift : -scale.shift);
  words.push_back(scale.multiplier);
  words.push_back(constant_of(tail, scale, p.output_zero_point, p.clamp_min));
}

// Parameters of weights with a zero point come unfolded.
DepthwiseConv2DParams folded(const KernelParams& portable) {
  if (const auto* p = std::get_if<DepthwiseConv2DParams>(&portable)) return *p;
  const auto& p = std::get<runtime::UnfoldedConv2DParams>(portable);
  DepthwiseConv2DParams result{};
  result.window = p.window;
  result.out_channels = p.out_channels;
  result.multiplier = p.out_per_group;
  result.input_zero_point = p.input_zero_point;
  result.output_zero_point = p.output_zero_point;
  result.clamp_min = p.clamp_min;
  result.clamp_max = p.clamp_max;
  return result;
}

template <WeightForm kForm>
int64_t depthwise_scratch_within(const KernelParams& portable, const CallExtents& call,
                                 int64_t budget_bytes) {
  return scratch_within(folded(portable), call, budget_bytes,
                        kForm == WeightForm::kCompact ? Traversal::kUnpacked : Traversal::kAny);
}

template <WeightForm kForm>
int64_t depthwise_scratch_bytes(const KernelParams& portable) {
  return depthwise_scratch_within<kForm>(portable, whole_call(folded(portable)), kMostScratchBytes);
}

}  // namespace

std::optional<DepthwiseTail> depthwise_tail(const DepthwiseSums& sums) {
  const auto all = [&](DepthwiseTail tail) {
    for (size_t o = 0; o < sums.scales.size(); ++o) {
      if (!exact(tail, sums, o)) return false;
    }
    return true;
  };
  if (!sums.scales.empty() && sums.scales.front().shift == runtime::kFloatShift)
    return all(DepthwiseTail::kToEven) ? std::optional(DepthwiseTail::kToEven) : std::nullopt;
  // Whatever is below the zero point is clamped to it: how negative sums round does not matter.
  const bool relu =
      sums.clamp.min == -128 && sums.clamp.max == 127 && sums.output_zero_point == -128;
  if (relu && all(DepthwiseTail::kRelu)) return DepthwiseTail::kRelu;
  if (!all(DepthwiseTail::kClamped)) return std::nullopt;
  return relu ? DepthwiseTail::kShifted : DepthwiseTail::kClamped;
}

std::optional<DepthwiseTail> depthwise_tail(const Operands& t, const ClampRange& clamp) {
  const Shape& weights = t.in(1).shape;
  const auto channels = static_cast<size_t>(weights.back());
  const int64_t taps = weights[1] * weights[2];
  const int32_t zero_point = has_offset_weights(t) ? zero_point_of(t.in(1)) : 0;
  const int64_t weight = 128 + std::abs(int64_t{zero_point});
  std::vector<int64_t> largest(channels, taps * weight * 255);  // |x - zero point| <= 255
  if (const Tensor* bias = t.bias(); bias != nullptr) {
    for (size_t o = 0; o < channels; ++o) {
      int32_t value = 0;
      std::memcpy(&value, bias->data->data() + o * sizeof(value), sizeof(value));
      largest[o] += std::abs(int64_t{value});
    }
  }
  const std::vector<Scale> scales = channel_scales(t, channels, scale_of(t.out()));
  return depthwise_tail({.scales = scales,
                         .largest = largest,
                         .weights_zero_point = zero_point,
                         .output_zero_point = zero_point_of(t.out()),
                         .clamp = clamp});
}

std::vector<int32_t> depthwise_words(const DepthwiseWeights& from,
                                     const DepthwiseConv2DParams& params, DepthwiseTail tail) {
  const Window2D& w = params.window;
  const size_t channels = from.bias.size();
  std::vector<int32_t> words;
  for (int32_t form = 0; form < runtime::depthwise_forms(w); ++form) {
    for (size_t o = 0; o < channels; ++o) {
      const int times = doublings(tail, from.scales[o]);
      // A bias that does not fit is right modulo 2^32, and so is the sum, which does.
      words.push_back(static_cast<int32_t>(static_cast<uint32_t>(from.bias[o])
                                           << static_cast<uint32_t>(times)));
      append_weights({from, w, o, channels, times}, form, words);
      append_tail(tail, from.scales[o], params, words);
    }
  }
  return words;
}

std::vector<int32_t> depthwise_compact_words(const DepthwiseWeights& from,
                                             const DepthwiseConv2DParams& params,
                                             DepthwiseTail tail) {
  const size_t channels = from.bias.size();
  const int32_t taps = params.window.kernel_h * params.window.kernel_w;
  const int32_t least = clamps_late(tail) ? params.clamp_min : 0;
  std::vector<int32_t> words = {params.output_zero_point - least};
  for (size_t o = 0; o < channels; ++o) {
    words.insert(words.end(), {from.bias[o], from.scales[o].multiplier});
    Bytes bytes;
    for (int32_t tap = 0; tap < taps; ++tap)
      bytes.push_back(static_cast<uint8_t>(from.weights[static_cast<size_t>(tap) * channels + o]));
    bytes.push_back(static_cast<uint8_t>(-from.scales[o].shift));
    bytes.resize((bytes.size() + 3) / 4 * 4);
    for (size_t k = 0; k < bytes.size(); k += 4) {
      uint32_t word = 0;
      for (size_t i = 4; i-- > 0;) word = word << 8 | bytes[k + i];
      words.push_back(static_cast<int32_t>(word));
    }
  }
  return words;
}

DepthwiseConv2DPackedParams depthwise_packed(const DepthwiseConv2DParams& portable) {
  DepthwiseConv2DPackedParams p{.constants = nullptr,
                                .window = portable.window,
                                .out_channels = portable.out_channels,
                                .multiplier = portable.multiplier,
                                .input_zero_point = portable.input_zero_point,
                                .clamp_add = 255 - (portable.clamp_max - portable.clamp_min),
                                .clamp_less = portable.clamp_max - 255,
                                .scratch_bytes = 0};
  p.scratch_bytes = static_cast<int32_t>(depthwise_scratch_bytes<WeightForm::kWide>(portable));
  return p;
}

bool is_depthwise_clamped(const KernelUse& use) {
  if (!use.tail.has_value()) return false;
  const Window2D w = folded(use.params).window;
  return w.dilation_h == 1 && w.dilation_w == 1;
}

namespace {

template <DepthwiseTail kTail, WeightForm kForm>
std::vector<PackedConstant> pack_depthwise(const Operands& t) {
  const auto& a = std::get<DepthwiseConv2D>(t.op.attributes);
  const KernelUse use = uses(a, t, Method::kCompute).front();
  const std::optional<std::vector<int32_t>> bias = folded_bias(t, WeightOrder::kChannelLast);
  check(bias.has_value(), "a folded bias does not fit 32 bits");
  const std::vector<Scale> scales = channel_scales(t, bias->size(), scale_of(t.out()));
  const Bytes& weights = *t.in(1).data;
  const DepthwiseWeights from{
      .weights = {reinterpret_cast<const int8_t*>(weights.data()), weights.size()},
      .weights_zero_point = has_offset_weights(t) ? zero_point_of(t.in(1)) : 0,
      .bias = *bias,
      .scales = scales};
  const DepthwiseConv2DParams params = folded(use.params);
  return {packed_words("constants", kForm == WeightForm::kCompact
                                        ? depthwise_compact_words(from, params, kTail)
                                        : depthwise_words(from, params, kTail))};
}

bool is_depthwise_in_integers(const KernelUse& use) {
  return is_depthwise_clamped(use) && use.tail != DepthwiseTail::kToEven;
}

bool is_depthwise_to_even(const KernelUse& use) {
  return is_depthwise_clamped(use) && use.tail == DepthwiseTail::kToEven;
}

bool is_depthwise_relu(const KernelUse& use) {
  return is_depthwise_clamped(use) && use.tail == DepthwiseTail::kRelu;
}

bool is_depthwise_shifted(const KernelUse& use) {
  return is_depthwise_in_integers(use) && use.tail != DepthwiseTail::kClamped;
}

int64_t depthwise_in_place_scratch_bytes(const KernelParams& portable) {
  const auto& p = std::get<DepthwiseConv2DParams>(portable);
  return scratch_within(p, whole_call(p), kMostScratchBytes, Traversal::kWholeRows);
}

int64_t depthwise_in_place_scratch_within(const KernelParams& portable, const CallExtents& call,
                                          int64_t budget_bytes) {
  const auto& p = std::get<DepthwiseConv2DParams>(portable);
  CallExtents whole = whole_call(p);
  whole.channels = std::max<int64_t>(call.channels, std::min(p.out_channels, 4));
  return scratch_within(p, whole, budget_bytes, Traversal::kWholeRows);
}

KernelParams adapt_depthwise(const Operands&, const KernelParams& portable) {
  return depthwise_packed(folded(portable));
}

/// What the DSP kernels of depthwise convolutions have in common: they differ in their tails.
template <auto Kernel, DepthwiseTail kTail>
constexpr KernelInfo depthwise_row(const char* name) {
  using enum DepthwiseTail;
  return row<Kernel>({.name = name,
                      .family = Family::kDepthwiseConv2D,
                      .also = Family::kConv2DOffset,
                      .set = InstructionSet::kDsp,
                      .progress = Progress::kPixel,
                      .dense_channels = true,
                      .takes = kTail == kRelu      ? is_depthwise_relu
                               : kTail == kShifted ? is_depthwise_shifted
                               : kTail == kClamped ? is_depthwise_in_integers
                                                   : is_depthwise_to_even,
                      .weights = Weights::kFast,
                      .form = WeightForm::kWide,
                      .tail = kTail,
                      .scratch_bytes = depthwise_scratch_bytes<WeightForm::kWide>,
                      .scratch_within = depthwise_scratch_within<WeightForm::kWide>,
                      .scratch_type = DType::kInt32,
                      .pack = pack_depthwise<kTail, WeightForm::kWide>,
                      .adapt = adapt_depthwise,
                      .fitted_as = kTail == kRelu || kTail == kShifted
                                       ? "depthwise_conv_2d_dsp"
                                       : "depthwise_conv_2d_clamped_dsp"});
}

template <auto Kernel, DepthwiseTail kTail>
constexpr KernelInfo depthwise_row_compact(const char* name) {
  KernelInfo result = depthwise_row<Kernel, kTail>(name);
  result.also = {};
  result.weights = Weights::kCompact;
  result.form = WeightForm::kCompact;
  result.channel_multiple = 4;
  result.scratch_bytes = depthwise_scratch_bytes<WeightForm::kCompact>;
  result.scratch_within = depthwise_scratch_within<WeightForm::kCompact>;
  result.pack = pack_depthwise<kTail, WeightForm::kCompact>;
  return result;
}

template <auto Kernel, DepthwiseTail kTail>
constexpr KernelInfo depthwise_row_in_place(const char* name) {
  KernelInfo result = depthwise_row<Kernel, kTail>(name);
  result.family = Family::kDepthwiseConv2DInPlace;
  result.also = {};
  result.progress = Progress::kPlane;
  result.rings = false;
  result.whole_axes = {false, true, true, false};
  result.weights = Weights::kCompact;
  result.channel_multiple = 4;
  result.scratch_bytes = depthwise_in_place_scratch_bytes;
  result.scratch_within = depthwise_in_place_scratch_within;
  return result;
}

}  // namespace

std::span<const KernelInfo> depthwise_dsp_rows() {
  using enum DepthwiseTail;
  static constexpr KernelInfo kRows[] = {
      depthwise_row<runtime::depthwise_conv_2d_dsp, kRelu>("depthwise_conv_2d_dsp"),
      depthwise_row<runtime::depthwise_conv_2d_shifted_dsp, kShifted>(
          "depthwise_conv_2d_shifted_dsp"),
      depthwise_row<runtime::depthwise_conv_2d_clamped_dsp, kClamped>(
          "depthwise_conv_2d_clamped_dsp"),
      depthwise_row<runtime::depthwise_conv_2d_to_even_dsp, kToEven>(
          "depthwise_conv_2d_to_even_dsp"),
      depthwise_row_compact<runtime::depthwise_conv_2d_compact_dsp, kRelu>(
          "depthwise_conv_2d_compact_dsp"),
      depthwise_row_compact<runtime::depthwise_conv_2d_compact_shifted_dsp, kShifted>(
          "depthwise_conv_2d_compact_shifted_dsp"),
      depthwise_row_compact<runtime::depthwise_conv_2d_compact_clamped_dsp, kClamped>(
          "depthwise_conv_2d_compact_clamped_dsp"),
      depthwise_row_compact<runtime::depthwise_conv_2d_compact_to_even_dsp, kToEven>(
          "depthwise_conv_2d_compact_to_even_dsp"),
      depthwise_row_in_place<runtime::depthwise_conv_2d_in_place_dsp, kRelu>(
          "depthwise_conv_2d_in_place_dsp"),
      depthwise_row_in_place<runtime::depthwise_conv_2d_in_place_shifted_dsp, kShifted>(
          "depthwise_conv_2d_in_place_shifted_dsp"),
      depthwise_row_in_place<runtime::depthwise_conv_2d_in_place_clamped_dsp, kClamped>(
          "depthwise_conv_2d_in_place_clamped_dsp"),
      depthwise_row_in_place<runtime::depthwise_conv_2d_in_place_to_even_dsp, kToEven>(
          "depthwise_conv_2d_in_place_to_even_dsp"),
  };
  return kRows;
}

}  // namespace thimble
