// SPDX-License-Identifier: Apache-2.0
// Parameters and constants of kernels of float32 against their operators.
#include <limits>

#include "thimble/model/resize.h"
#include "thimble/program/read_back.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

template <class Params>
void compare_float_clamp(const Params& p, Activation activation, Difference& d) {
  const RealRange range = real_range(activation);
  d.expect_float("clamp_min", p.clamp_min, range.min);
  d.expect_float("clamp_max", p.clamp_max, range.max);
}

// Elements as the model has them, number k at place(k).
template <class Place>
void compare_floats(const ReadBack& r, size_t constant, const Tensor& tensor, const Place& place,
                    Difference& d) {
  const auto count = static_cast<size_t>(elements(tensor.shape));
  // As bits: -0 is another number than 0.
  const auto packed = unpacked<uint32_t>(r, constant, DType::kFloat32, count);
  if (packed.size() != count) {
    d.fail("one of its constants has another type or size");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    uint32_t wanted = 0;
    std::memcpy(&wanted, tensor.data->data() + k * sizeof wanted, sizeof wanted);
    if (packed[place(k)] == wanted) continue;
    d.fail(fmt::format("element {} of its constant {} is wrong", k, constant));
    return;
  }
}

// Weights of float32 or int8, constant 0.
template <class Place>
void compare_real_weights(const ReadBack& r, size_t constant, const Tensor& weights,
                          const Place& place, Difference& d) {
  if (weights.type == DType::kFloat32) return compare_floats(r, constant, weights, place, d);
  const auto count = static_cast<size_t>(elements(weights.shape));
  const auto packed = unpacked<uint8_t>(r, constant, DType::kInt8, count);
  if (packed.size() != count) {
    d.fail("one of its constants has another type or size");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    if (packed[place(k)] == (*weights.data)[k]) continue;
    d.fail(fmt::format("element {} of its constant {} is wrong", k, constant));
    return;
  }
}

// What weights of int8 stand for, as float32: constant 0. The channel of element k is channel(k).
template <class Place, class Channel>
void compare_expanded_weights(const ReadBack& r, const Place& place, const Channel& channel,
                              Difference& d) {
  const Tensor& weights = r.in(1);
  const Quantization& q = weights.quantization;
  const auto count = static_cast<size_t>(elements(weights.shape));
  const auto packed = unpacked<uint32_t>(r, 0, DType::kFloat32, count);
  if (packed.size() != count) {
    d.fail("one of its constants has another type or size");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    const size_t c = q.scales.size() == 1 ? 0 : channel(k);
    const int32_t steps = static_cast<int8_t>((*weights.data)[k]) - q.zero_points.at(c);
    const float wanted = q.scales.at(c) * static_cast<float>(steps);
    if (packed[place(k)] == std::bit_cast<uint32_t>(wanted)) continue;
    d.fail(fmt::format("element {} of its weights is wrong", k));
    return;
  }
}

// What weights of int8 stand for: scales in constant 2.
void compare_hybrid(const ReadBack& r, const runtime::HybridConv2DParams& p, Difference& d) {
  const Quantization& q = r.in(1).quantization;
  d.expect("scale_step", p.scale_step, q.scales.size() == 1 ? 0 : 1);
  for (const int32_t zero : q.zero_points) d.expect("zero_point", p.zero_point, zero);
  const auto scales = unpacked<float>(r, 2, DType::kFloat32, q.scales.size());
  if (scales.size() != q.scales.size()) d.fail("its scales have another type or number");
  for (size_t k = 0; k < scales.size(); ++k) d.expect_float("scales", scales[k], q.scales[k]);
}

void compare_float_bias(const ReadBack& r, int64_t channels, Difference& d) {
  if (r.op.inputs.size() > 2) {
    compare_floats(
        r, 1, r.in(2), [](size_t k) { return k; }, d);
    return;
  }
  const auto count = static_cast<size_t>(channels);
  const auto packed = unpacked<uint32_t>(r, 1, DType::kFloat32, count);
  if (packed != std::vector<uint32_t>(count, 0)) d.fail("its packed bias is not zeros");
}

// None if it has no such attribute.
template <class Op>
Activation activation_of(const Op& a) {
  if constexpr (requires { a.activation; }) {
    return a.activation;
  } else {
    return Activation::kNone;
  }
}

template <class Op, class Params>
std::string convolution_fault(const Op& a, const Params& p, const ReadBack& r, Difference& d) {
  constexpr bool kDepthwise = std::is_same_v<Op, DepthwiseConv2D>;
  const Shape& weights = r.in(1).shape;
  const int64_t channels = kDepthwise ? weights.back() : weights.front();
  const int64_t depth = kDepthwise ? 1 : weights.back();
  int64_t groups = 1;
  if constexpr (requires { a.window; }) {
    compare_window(a.window, r.in(0), p.window, d);
    groups = r.in(0).shape.back() / depth;
  } else {
    compare_no_window(r, p.window, d);
  }
  d.expect("in_per_group", p.in_per_group, depth);
  d.expect("out_per_group", p.out_per_group, channels / groups);
  compare_float_clamp(p, activation_of(a), d);
  const auto taps = static_cast<size_t>(elements(weights) / channels);
  const auto place = [&](size_t k) {
    return kDepthwise ? k % static_cast<size_t>(channels) * taps + k / static_cast<size_t>(channels)
                      : k;
  };
  const auto channel = [&](size_t k) {
    return kDepthwise ? k % static_cast<size_t>(channels) : k / taps;
  };
  if (std::is_same_v<Params, runtime::FloatConv2DParams> && r.in(1).type != DType::kFloat32) {
    compare_expanded_weights(r, place, channel, d);
  } else {
    compare_real_weights(r, 0, r.in(1), place, d);
  }
  compare_float_bias(r, channels, d);
  return d.text();
}

template <class Op>
std::string float_weights_fault(const Op& a, const ReadBack& r) {
  Difference d;
  if (const auto* p = r.as<runtime::FloatConv2DParams>()) return convolution_fault(a, *p, r, d);
  const auto* p = r.as<runtime::HybridConv2DParams>();
  if (p == nullptr || r.in(1).type == DType::kFloat32) return kOtherKernel;
  compare_hybrid(r, *p, d);
  return convolution_fault(a, *p, r, d);
}

template <class Params>
std::string compare_float_lstm(const Lstm& a, const Params& p, const ReadBack& r, Difference& d) {
  d.expect("times", p.times, r.in(0).shape.at(1));
  d.expect("inputs", p.inputs, r.in(0).shape.at(2));
  d.expect("units", p.units, r.in(4).shape.at(1));
  d.expect_float("cell_limit", p.cell_limit,
                 a.real_clip > 0 ? a.real_clip : std::numeric_limits<float>::max());
  for (size_t k = 0; k < 3; ++k)
    compare_real_weights(
        r, k, r.in(2 + k), [](size_t place) { return place; }, d);
  return d.text();
}

std::string float_lstm_fault(const Lstm& a, const ReadBack& r) {
  Difference d;
  if (r.in(2).type == DType::kFloat32) {
    const auto* p = r.as<runtime::FloatLstmParams>();
    return p == nullptr ? kOtherKernel : compare_float_lstm(a, *p, r, d);
  }
  const auto* p = r.as<runtime::HybridLstmParams>();
  if (p == nullptr) return kOtherKernel;
  for (size_t operand = 0; operand < 2; ++operand) {
    const Quantization& q = r.in(2 + operand).quantization;
    for (size_t gate = 0; gate < std::size(p->input_scale); ++gate) {
      const auto& scales = operand == 0 ? p->input_scale : p->recurrent_scale;
      d.expect_float("scale", scales[gate], q.scales.at(gate));
      d.expect("zero_point", p->zero_point[operand], q.zero_points.at(gate));
    }
  }
  return compare_float_lstm(a, *p, r, d);
}

std::string float_pool_fault(const Window& window, Activation activation, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatPool2DParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_window(window, r.in(0), p->window, d);
  compare_float_clamp(*p, activation, d);
  return d.text();
}

std::string float_clamp_fault(Activation activation, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatClampParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_float_clamp(*p, activation, d);
  return d.text();
}

std::string float_softmax_fault(float beta, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatSoftmaxParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference()
      .expect_float("beta", p->beta, beta)
      .expect("channels", p->channels, r.in(0).shape.back())
      .text();
}

// Constants `rows` and `rows` + 1.
void compare_rows(const ReadBack& r, size_t constant, const std::vector<RealRows>& wanted,
                  Difference& d) {
  const auto rows = unpacked<int16_t>(r, constant, DType::kInt16, 2 * wanted.size());
  const auto fractions = unpacked<float>(r, constant + 1, DType::kFloat32, wanted.size());
  if (rows.empty() || fractions.empty()) {
    d.fail("one of its tables has another type or size");
    return;
  }
  for (size_t k = 0; k < wanted.size(); ++k) {
    d.expect("rows", rows[2 * k], wanted[k].first).expect("rows", rows[2 * k + 1], wanted[k].last);
    d.expect_float("fractions", fractions[k], wanted[k].fraction);
  }
}

/// By operator. Those whose kernels have no parameters do not come here.
struct FloatChecker {
  const ReadBack& r;

  std::string operator()(const Conv2D& a) const { return float_weights_fault(a, r); }
  std::string operator()(const DepthwiseConv2D& a) const { return float_weights_fault(a, r); }
  std::string operator()(const FullyConnected& a) const { return float_weights_fault(a, r); }
  std::string operator()(const TransposeConv& a) const { return float_weights_fault(a, r); }
  std::string operator()(const BatchMatMul& a) const {
    const auto* p = r.as<runtime::FloatMatMulParams>();
    if (p == nullptr) return kOtherKernel;
    const Shape& x = r.in(0).shape;
    const int64_t depth = a.adjoint_x ? x[x.size() - 2] : x.back();
    return Difference().expect("depth", p->depth, depth).text();
  }
  std::string operator()(const AveragePool2D& a) const {
    return float_pool_fault(a.window, a.activation, r);
  }
  std::string operator()(const MaxPool2D& a) const {
    return float_pool_fault(a.window, a.activation, r);
  }
  std::string operator()(const L2Pool2D& a) const {
    return float_pool_fault(a.window, a.activation, r);
  }
  std::string operator()(const Mean& a) const {
    int64_t count = 1;
    for (const int axis : a.axes) count *= r.in(0).shape.at(static_cast<size_t>(axis));
    return float_reduction_fault(a.axes, static_cast<float>(count));
  }
  std::string operator()(const Sum& a) const { return float_reduction_fault(a.axes, 1); }
  [[nodiscard]] std::string float_reduction_fault(const std::vector<int>& axes,
                                                  float divisor) const {
    const auto* p = r.as<runtime::FloatMeanParams>();
    if (p == nullptr) return kOtherKernel;
    Difference d;
    compare_four("in_extent", p->in_extent, last_four(r.in(0).shape), d);
    compare_four("reduced", p->reduced, reduced_axes(axes, r.in(0).shape), d);
    return d.expect_float("divisor", p->divisor, divisor).text();
  }
  std::string operator()(const CumSum& a) const {
    const auto* p = r.as<runtime::FloatCumSumParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference()
        .expect("exclusive", p->exclusive, a.exclusive ? 1 : 0)
        .expect("reverse", p->reverse, a.reverse ? 1 : 0)
        .expect("channels", p->channels, r.in(0).shape.at(static_cast<size_t>(a.axis)))
        .text();
  }
  std::string operator()(const L2Normalization&) const {
    const auto* p = r.as<runtime::FloatL2NormalizationParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference().expect("channels", p->channels, r.in(0).shape.back()).text();
  }
  std::string operator()(const SvdfFeatures& a) const { return float_weights_fault(a, r); }
  std::string operator()(const ShiftIn& a) const { return weights_fault(a, r); }
  std::string operator()(const Lstm& a) const { return float_lstm_fault(a, r); }
  std::string operator()(const SvdfOutput& a) const {
    const auto* p = r.as<runtime::FloatSvdfParams>();
    if (p == nullptr) return kOtherKernel;
    const Shape& state = r.in(0).shape;
    Difference d;
    d.expect("rank", p->rank, state.at(1) / r.out().shape.at(1));
    d.expect("memory", p->memory, state.at(2));
    compare_float_clamp(*p, a.activation, d);
    const auto in_order = [](size_t k) { return k; };
    compare_floats(r, 0, r.in(2), in_order, d);
    return d.text();
  }
  std::string operator()(const Add& a) const { return float_clamp_fault(a.activation, r); }
  std::string operator()(const Sub& a) const { return float_clamp_fault(a.activation, r); }
  std::string operator()(const Mul& a) const { return float_clamp_fault(a.activation, r); }
  std::string operator()(const Div& a) const { return float_clamp_fault(a.activation, r); }
  std::string operator()(const Relu& a) const { return float_clamp_fault(a.range, r); }
  std::string operator()(const Relu6&) const { return float_clamp_fault(Activation::kRelu6, r); }
  std::string operator()(const LeakyRelu& a) const {
    const auto* p = r.as<runtime::FloatLeakyReluParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference().expect_float("alpha", p->alpha, a.alpha).text();
  }
  std::string operator()(const Softmax& a) const { return float_softmax_fault(a.beta, r); }
  std::string operator()(const LogSoftmax&) const { return float_softmax_fault(1, r); }
  std::string operator()(const Pad& a) const { return pad_fault(a, r); }
  std::string operator()(const ResizeNearestNeighbor& a) const { return nearest_fault(a, r); }
  std::string operator()(const DetectionPostProcess& a) const {
    const auto* p = r.as<runtime::DetectionPostProcessParams>();
    if (p == nullptr) return kOtherKernel;
    Difference d;
    d.expect("boxes", p->boxes, r.in(0).shape.at(1));
    d.expect("classes", p->classes, a.classes);
    d.expect("label_offset", p->label_offset, r.in(1).shape.at(2) - a.classes);
    d.expect("max_detections", p->max_detections, a.max_detections);
    d.expect("detections_per_class", p->detections_per_class, a.detections_per_class);
    d.expect("regular", p->regular, a.regular ? 1 : 0);
    d.expect_float("score_threshold", p->score_threshold, a.score_threshold);
    d.expect_float("iou_threshold", p->iou_threshold, a.iou_threshold);
    for (size_t k = 0; k < 4; ++k) d.expect_float("scales", p->scales[k], a.scales[k]);
    compare_floats(
        r, 0, r.in(2), [](size_t k) { return k; }, d);
    return d.text();
  }
  std::string operator()(const ResizeBilinear& a) const {
    if (r.as<runtime::FloatResizeBilinearParams>() == nullptr) return kOtherKernel;
    const Shape &x = r.in(0).shape, &y = r.out().shape;
    Difference d;
    compare_rows(r, 0, real_rows(a, x[1], y[1]), d);
    compare_rows(r, 2, real_rows(a, x[2], y[2]), d);
    return d.text();
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return kOtherKernel;
  }
};

}  // namespace

std::string float_parameter_fault(const ReadBack& r) {
  return std::visit(FloatChecker{r}, r.op.attributes);
}

}  // namespace thimble
