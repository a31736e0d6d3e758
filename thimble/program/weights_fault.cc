// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/model/rounding.h"
#include "thimble/program/fault_of.h"
#include "thimble/program/float_weights.h"
#include "thimble/reference/factors.h"

namespace thimble {
namespace {

// Where the weights of output channel o stand in the model's tensor.
struct ChannelRun {
  size_t first, step, count;
};
ChannelRun run_of(const Tensor& weights, bool channel_last, size_t o) {
  const auto all = static_cast<size_t>(elements(weights.shape));
  const auto channels =
      static_cast<size_t>(channel_last ? weights.shape.back() : weights.shape.front());
  return channel_last ? ChannelRun{o, channels, all / channels}
                      : ChannelRun{o * (all / channels), 1, all / channels};
}

// Weights of 4 bits, two to a byte, the lower half first; a channel begins with a byte, and what is
// left of its last one is 0. None if it is not, or if they have another type or size.
std::vector<int8_t> unpacked_nibbles(const ReadBack& r, size_t constant, const Shape& shape) {
  const auto channels = static_cast<size_t>(shape.front());
  const size_t inputs = static_cast<size_t>(elements(shape)) / channels, bytes = (inputs + 1) / 2;
  const auto packed = unpacked<int8_t>(r, constant, DType::kInt8, channels * bytes);
  std::vector<int8_t> values;
  for (size_t k = 0; k < packed.size() * inputs / bytes; ++k) {
    const int8_t byte = packed[k / inputs * bytes + k % inputs / 2];
    const int32_t lower = byte & 15, upper = (byte - lower) / 16;
    const int32_t first = lower > 7 ? lower - 16 : lower;
    values.push_back(static_cast<int8_t>(k % inputs % 2 == 0 ? first : upper));
    const bool fills = k % inputs + 1 == inputs && inputs % 2 != 0;
    if (fills && upper != 0) return {};
  }
  return values;
}

// Kernels hold weights as the model does, or in 4 bits; `constant` is their number.
void compare_weights(const ReadBack& r, size_t constant, Difference& d) {
  const Tensor& weights = r.in(1);
  const auto count = static_cast<size_t>(elements(weights.shape));
  const bool nibbles = info(r.call.kernel).form == WeightForm::kNibbles;
  const std::vector<int8_t> packed = nibbles ? unpacked_nibbles(r, constant, weights.shape)
                                             : unpacked<int8_t>(r, constant, DType::kInt8, count);
  if (packed.size() != count) {
    d.fail("its packed weights have another type or size");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    const auto wanted = static_cast<int8_t>((*weights.data)[k]);
    if (packed[k] == wanted) continue;
    d.fail(fmt::format("its packed weight {} is {}, not {}", k, packed[k], wanted));
    return;
  }
}

// folded: less input zero point * sum of the channel's weights.
void compare_bias(const ReadBack& r, size_t constant, size_t channels, bool folded,
                  bool channel_last, Difference& d) {
  const std::vector<int32_t> packed = unpacked<int32_t>(r, constant, DType::kInt32, channels);
  if (packed.size() != channels) {
    d.fail("its packed bias has another type or size");
    return;
  }
  for (size_t o = 0; o < channels && d.none(); ++o) {
    int64_t bias = packed[o];
    if (folded) {
      const ChannelRun run = run_of(r.in(1), channel_last, o);
      int64_t sum = 0;
      for (size_t k = 0; k < run.count; ++k)
        sum += static_cast<int8_t>((*r.in(1).data)[run.first + k * run.step]);
      bias += sum * zero_point(r.in(0));
    }
    int32_t wanted = 0;
    if (r.op.inputs.size() > 2)
      std::memcpy(&wanted, r.in(2).data->data() + o * sizeof(wanted), sizeof(wanted));
    if (bias != wanted)
      d.fail(fmt::format("its packed bias {} stands for {}, not {}", o, bias, wanted));
  }
}

// Two constants: multipliers, then shifts.
void compare_factors(const ReadBack& r, size_t constant,
                     const std::vector<reference::FixedFactor>& wanted, Difference& d) {
  const auto multipliers = unpacked<int32_t>(r, constant, DType::kInt32, wanted.size());
  const auto shifts = unpacked<int8_t>(r, constant + 1, DType::kInt8, wanted.size());
  if (multipliers.size() != wanted.size() || shifts.size() != wanted.size()) {
    d.fail("its packed scales have another type or size");
    return;
  }
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (multipliers[o] == wanted[o].multiplier && shifts[o] == wanted[o].shift) continue;
    d.fail(fmt::format("its scale of channel {} is {} * 2^{}, not {} * 2^{}", o, multipliers[o],
                       shifts[o], wanted[o].multiplier, wanted[o].shift));
    return;
  }
}

template <class Op>
void compare_place(const Op& a, const ReadBack& r, const runtime::Window2D& given, Difference& d) {
  if constexpr (requires { a.window; }) {
    compare_window(a.window, r.in(0), given, d);
  } else {
    compare_no_window(r, given, d);
  }
}

// Beside the constants, of one group whose weights were packed.
template <class Op, class Params>
void compare_packed(const Op& a, const ReadBack& r, const Params& p, Difference& d) {
  compare_place(a, r, p.window, d);
  d.expect("in_channels", p.in_channels, r.in(1).shape.back());
  d.expect("out_channels", p.out_channels, r.in(1).shape.front());
  d.expect("input_zero_point", p.input_zero_point, zero_point(r.in(0)));
  compare_output(p, a.activation, r.out(), d);
}

// What convolutions and fully connected layers have in common: factors per scale of the result.
template <class Op, class Factors>
std::string convolution_fault(const Op& a, const ReadBack& r, const Factors& factors) {
  Difference d;
  const Tensor& weights = r.in(1);
  const int64_t channels = weights.shape.front(), depth = weights.shape.back();
  const auto count = static_cast<size_t>(channels);
  const Accumulator* narrow = find_accumulator(r.graph, r.op.outputs[0]);
  if (narrow != nullptr && r.call.method == Method::kFinalise) {
    const auto* p = r.as<runtime::RescaleParams>();
    if (p == nullptr) return kOtherKernel;
    d.expect("scale", p->scale,
             reference::to_fixed_factor(static_cast<double>(narrow->scale) / scale(r.out())));
    d.expect("input_zero_point", p->input_zero_point, narrow->zero_point);
    compare_output(*p, a.activation, r.out(), d);
  } else if (narrow != nullptr) {
    const auto* p = r.as<runtime::Conv2DNarrowParams>();
    if (p == nullptr) return kOtherKernel;
    compare_place(a, r, p->window, d);
    d.expect("in_channels", p->in_channels, depth);
    d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
    d.expect("accumulator_zero_point", p->accumulator_zero_point, narrow->zero_point);
    compare_weights(r, 0, d);
    compare_bias(r, 1, count, false, false, d);
    compare_factors(r, 2, factors(narrow->scale), d);
  } else if (const auto* pairs = r.as<runtime::Conv2DPairsParams>(); pairs != nullptr) {
    compare_packed(a, r, *pairs, d);
    if (d.none()) d.fail(pairs_fault(r, *pairs, factors(r.out().quantization.scales.at(0))));
  } else if (const auto* fours = r.as<runtime::Conv2DFoursParams>(); fours != nullptr) {
    compare_packed(a, r, *fours, d);
    if (d.none()) d.fail(fours_fault(r, *fours, factors(r.out().quantization.scales.at(0))));
  } else {
    const auto* p = r.as<runtime::Conv2DParams>();
    if (p == nullptr) return kOtherKernel;
    const int64_t in_channels = std::is_same_v<Op, Conv2D> ? r.in(0).shape.back() : depth;
    compare_place(a, r, p->window, d);
    d.expect("in_per_group", p->in_per_group, depth);
    d.expect("out_per_group", p->out_per_group, channels / (in_channels / depth));
    d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
    compare_output(*p, a.activation, r.out(), d);
    compare_weights(r, 0, d);
    compare_bias(r, 1, count, true, false, d);
    compare_factors(r, 2, factors(r.out().quantization.scales.at(0)), d);
  }
  return d.text();
}

// A bias of the model as two words; weights of a channel together, also of a depthwise convolution.
template <class Op>
std::string unfolded_fault(const Op& a, const ReadBack& r,
                           const std::vector<reference::FixedFactor>& factors) {
  constexpr bool kDepthwise = std::is_same_v<Op, DepthwiseConv2D>;
  if (const auto* words = r.as<runtime::Conv2DWordsParams>(); words != nullptr) {
    Difference d;
    compare_place(a, r, words->window, d);
    if (d.none()) d.fail(words_fault(r, *words, a.activation, factors));
    return d.text();
  }
  const auto* p = r.as<runtime::UnfoldedConv2DParams>();
  if (p == nullptr) return kOtherKernel;
  const Tensor& weights = r.in(1);
  const auto channels = static_cast<int64_t>(factors.size());
  const int64_t depth = kDepthwise ? 1 : weights.shape.back();
  int64_t groups = 1;
  if constexpr (!std::is_same_v<Op, FullyConnected>) groups = r.in(0).shape.back() / depth;
  Difference d;
  compare_place(a, r, p->window, d);
  d.expect("in_per_group", p->in_per_group, depth);
  d.expect("out_per_group", p->out_per_group, channels / groups);
  d.expect("out_channels", p->out_channels, channels);
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  d.expect("weights_zero_point", p->weights_zero_point, zero_point(weights));
  d.expect("rounds_once", p->rounds_once, rounds_once(r.graph, r.op) ? 1 : 0);
  compare_output(*p, a.activation, r.out(), d);
  const auto packed =
      unpacked<int8_t>(r, 0, DType::kInt8, static_cast<size_t>(elements(weights.shape)));
  const auto words = unpacked<int32_t>(r, 1, DType::kInt32, 2 * factors.size());
  if (packed.empty() || words.empty()) d.fail("its constants have another type or size");
  for (size_t o = 0; o < factors.size() && d.none(); ++o) {
    const ChannelRun run = run_of(weights, kDepthwise, o);
    for (size_t k = 0; k < run.count; ++k) {
      if (packed[o * run.count + k] !=
          static_cast<int8_t>((*weights.data)[run.first + k * run.step]))
        d.fail(fmt::format("weight {} of its channel {} is wrong", k, o));
    }
    const auto bias = static_cast<int64_t>(static_cast<uint64_t>(words[2 * o + 1]) << 32U |
                                           static_cast<uint32_t>(words[2 * o]));
    d.expect("bias", bias, model_bias(r, o));
  }
  compare_factors(r, 2, factors, d);
  return d.text();
}

}  // namespace

int64_t model_bias(const ReadBack& r, size_t o) {
  if (r.op.inputs.size() < 3) return 0;
  int64_t wide = 0;
  int32_t narrow = 0;
  if (r.in(2).type == DType::kInt64) {
    std::memcpy(&wide, r.in(2).data->data() + o * sizeof wide, sizeof wide);
    return wide;
  }
  std::memcpy(&narrow, r.in(2).data->data() + o * sizeof narrow, sizeof narrow);
  return narrow;
}

void compare_no_window(const ReadBack& r, const runtime::Window2D& given, Difference& d) {
  d.expect("kernel_h", given.kernel_h, 1).expect("kernel_w", given.kernel_w, 1);
  d.expect("stride_h", given.stride_h, 1).expect("stride_w", given.stride_w, 1);
  d.expect("dilation_h", given.dilation_h, 1).expect("dilation_w", given.dilation_w, 1);
  d.expect("pad_top", given.pad_top, 0).expect("pad_left", given.pad_left, 0);
  if (given.in_h < r.call.axes[1].limits.end || given.in_w < r.call.axes[2].limits.end)
    d.fail("its window takes rows of the input for padding");
}

void compare_window(const Window& window, const Tensor& in, const runtime::Window2D& given,
                    Difference& d) {
  d.expect("kernel_h", given.kernel_h, window.kernel_h);
  d.expect("kernel_w", given.kernel_w, window.kernel_w);
  d.expect("stride_h", given.stride_h, window.stride_h);
  d.expect("stride_w", given.stride_w, window.stride_w);
  d.expect("dilation_h", given.dilation_h, window.dilation_h);
  d.expect("dilation_w", given.dilation_w, window.dilation_w);
  d.expect("pad_top", given.pad_top, window.padding.top);
  d.expect("pad_left", given.pad_left, window.padding.left);
  d.expect("in_h", given.in_h, in.shape.at(1)).expect("in_w", given.in_w, in.shape.at(2));
}

std::string fault_of(const TransposeConv& a, const ReadBack& r) {
  if (r.is_float()) return float_weights_fault(a, r);
  return unfolded_fault(
      a, r,
      reference::convolution_factors(r.op.attributes.arithmetic, r.in(0), r.in(1),
                                     r.out().quantization.scales.at(0), r.in(1).shape.front()));
}

namespace {

// Convolutions whose weights fold nothing into the bias.
bool is_unfolded(const ReadBack& r) {
  return r.in(0).type == DType::kInt16 || reference::weight_zero_point_of(r.in(1)) != 0;
}

}  // namespace

std::string fault_of(const Conv2D& a, const ReadBack& r) {
  if (r.is_float()) return float_weights_fault(a, r);
  const auto factors = [&](float result_scale) {
    return reference::convolution_factors(r.op.attributes.arithmetic, r.in(0), r.in(1),
                                          result_scale, r.in(1).shape.front());
  };
  if (is_unfolded(r) && r.as<runtime::Conv2DPairsParams>() == nullptr)
    return unfolded_fault(a, r, factors(r.out().quantization.scales.at(0)));
  return convolution_fault(a, r, factors);
}

std::string fault_of(const FullyConnected& a, const ReadBack& r) {
  if (r.is_float()) return float_weights_fault(a, r);
  const int64_t channels = r.in(1).shape.front();
  const auto factors = [&](float result_scale) {
    return reference::fully_connected_factors(r.arithmetic(), r.in(0), r.in(1), result_scale,
                                              channels);
  };
  if (r.in(0).type == DType::kInt16)
    return unfolded_fault(a, r, factors(r.out().quantization.scales.at(0)));
  if (info(r.call.kernel).family != Family::kFullyConnected)
    return convolution_fault(a, r, factors);
  const auto* p = r.as<runtime::FullyConnectedParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("in_channels", p->in_channels, r.in(1).shape.back());
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  d.expect("weights_zero_point", p->weights_zero_point, zero_point(r.in(1)));
  compare_output(*p, a.activation, r.out(), d);
  compare_bias(r, 0, static_cast<size_t>(channels), false, false, d);
  compare_factors(r, 1, factors(r.out().quantization.scales.at(0)), d);
  return d.text();
}

std::string fault_of(const DepthwiseConv2D& a, const ReadBack& r) {
  if (r.is_float()) return float_weights_fault(a, r);
  const int64_t channels = r.in(1).shape.back();
  const std::vector<reference::FixedFactor> factors = reference::convolution_factors(
      r.op.attributes.arithmetic, r.in(0), r.in(1), r.out().quantization.scales.at(0), channels);
  if (const auto* packed = r.as<runtime::DepthwiseConv2DPackedParams>(); packed != nullptr)
    return packed_depthwise_fault(a, r, *packed);
  if (is_unfolded(r)) return unfolded_fault(a, r, factors);
  const auto* p = r.as<runtime::DepthwiseConv2DParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_window(a.window, r.in(0), p->window, d);
  d.expect("out_channels", p->out_channels, channels);
  d.expect("multiplier", p->multiplier, a.multiplier);
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  compare_output(*p, a.activation, r.out(), d);
  compare_weights(r, 0, d);
  compare_bias(r, 1, static_cast<size_t>(channels), true, true, d);
  compare_factors(r, 2, factors, d);
  if (info(r.call.kernel).set == InstructionSet::kMve) {
    const Window& w = a.window;
    const bool left = std::ranges::any_of(factors, [](const auto& f) { return f.shift >= 0; });
    if (left || w.dilation_h * w.dilation_w != 1 || w.kernel_h * w.kernel_w > 64)
      d.fail("its kernel does not do its shifts or its window");
  }
  return d.text();
}

std::string fault_of(const BatchMatMul& a, const ReadBack& r) {
  if (r.is_float()) {
    const auto* p = r.as<runtime::FloatMatMulParams>();
    if (p == nullptr) return kOtherKernel;
    const Shape& x = r.in(0).shape;
    const int64_t depth = a.adjoint_x ? x[x.size() - 2] : x.back();
    return Difference().expect("depth", p->depth, depth).text();
  }
  const auto* p = r.as<runtime::BatchMatMulParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  const Shape& x = r.in(0).shape;
  d.expect("depth", p->depth, a.adjoint_x ? x[x.size() - 2] : x.back());
  for (size_t k = 0; k < 2; ++k) d.expect("zero_point", p->zero_point[k], zero_point(r.in(k)));
  d.expect("output_zero_point", p->output_zero_point, zero_point(r.out()));
  d.expect("scale", p->scale, reference::matrix_factor(r.arithmetic(), r.in(0), r.in(1), r.out()));
  return d.text();
}

}  // namespace thimble
