// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/parameter_fault.h"

#include <algorithm>
#include <cmath>

#include "thimble/model/resize.h"
#include "thimble/program/read_back.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/sigmoid.h"
#include "thimble/reference/softmax_tables.h"

namespace thimble {
namespace {

using reference::to_fixed_factor;

std::string rescale_fault(const ReadBack& r, Activation activation) {
  const auto* p = r.as<runtime::RescaleParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("scale", p->scale, to_fixed_factor(scale(r.in(0)) / scale(r.out())));
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  compare_output(*p, activation, r.out(), d);
  return d.text();
}

std::string float_fault(const ReadBack& r, const Tensor& integers) {
  const auto* p = r.as<runtime::FloatParams>();
  if (p == nullptr) return kOtherKernel;
  if (p->scale != integers.quantization.scales.at(0))
    return fmt::format("its scale is {}, not {}", p->scale, integers.quantization.scales.at(0));
  return Difference().expect("zero_point", p->zero_point, zero_point(integers)).text();
}

std::string pool_fault(const Window& window, Activation activation, const ReadBack& r) {
  const auto* p = r.as<runtime::Pool2DParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_window(window, r.in(0), p->window, d);
  const reference::ActivationRange range = reference::activation_range(activation, r.out());
  d.expect("clamp_min", p->clamp_min, range.min).expect("clamp_max", p->clamp_max, range.max);
  return d.text();
}

// Sums over the axes for which reduced[axis] is 1, in chunks of rows.
std::string sum_fault(const ReadBack& r, const std::vector<int64_t>& reduced) {
  const auto* p = r.as<runtime::SumParams>();
  if (p == nullptr) return kOtherKernel;
  const Shape& x = r.in(0).shape;
  Difference d;
  compare_four("in_extent", p->in_extent, last_four(x), d);
  compare_four("reduced", p->reduced, reduced, d);
  const auto rank = static_cast<int64_t>(x.size());
  d.expect("chunk_axis", p->chunk_axis,
           static_cast<int64_t>(chunk_axis(r.graph, r.op)) + int64_t{kKernelAxes} - rank);
  return d.text();
}

double common_scale(const ReadBack& r) { return 2 * std::max(scale(r.in(0)), scale(r.in(1))); }

struct ScaledPair {
  int left_shift;
  double result_scale;  // of what is computed of both, before it is requantised
  reference::Quotients quotients = reference::Quotients::kDouble;
};

std::string scaled_pair_fault(const ReadBack& r, Activation activation, const ScaledPair& pair) {
  const auto* p = r.as<runtime::AddParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("left_shift", p->left_shift, pair.left_shift);
  for (size_t k = 0; k < 2; ++k) {
    d.expect("zero_point", p->zero_point[k], zero_point(r.in(k)));
    d.expect("scale", p->scale[k],
             to_fixed_factor(reference::quotient(scale(r.in(k)), common_scale(r), pair.quotients)));
  }
  d.expect("output_scale", p->output_scale,
           to_fixed_factor(reference::quotient(pair.result_scale, scale(r.out()), pair.quotients)));
  compare_output(*p, activation, r.out(), d);
  return d.text();
}

// What the reference makes of each value, in an order other than the table's.
std::string table_fault(const ReadBack& r) {
  if (r.as<runtime::LookupParams>() == nullptr) return kOtherKernel;
  constexpr size_t kValues = 256;
  const auto table = unpacked<int8_t>(r, 0, DType::kInt8, kValues);
  if (table.size() != kValues) return "its table has another type or size";
  Graph graph;
  for (const Tensor* t : {&r.in(0), &r.out()})
    graph.tensors.push_back({"", {int64_t{kValues}, 1}, t->type, t->quantization, nullptr});
  const Op op{r.op.attributes, {{0}}, {{1}}, r.op.file_index};
  Bytes downwards(kValues);
  for (size_t k = 0; k < kValues; ++k)
    downwards[k] = static_cast<uint8_t>(127 - static_cast<int>(k));
  const Bytes wanted = interpret_op(graph, op, {downwards, {}}).at(0);
  for (size_t k = 0; k < kValues; ++k) {
    if (table[kValues - 1 - k] != static_cast<int8_t>(wanted[k]))
      return fmt::format("its table is wrong for {}", 127 - static_cast<int>(k));
  }
  return "";
}

std::string sigmoid_fault(const ReadBack& r, int most_exponent) {
  const auto* p = r.as<runtime::SigmoidParams>();
  if (p == nullptr) return kOtherKernel;
  const auto& wanted = reference::sigmoid_table();
  const auto table = unpacked<int16_t>(r, 0, DType::kInt16, wanted.size());
  if (!std::ranges::equal(table, wanted, {}, [](int16_t v) { return static_cast<uint16_t>(v); }))
    return "its table is wrong";
  const auto scaling = reference::sigmoid_scaling(r.in(0).quantization.scales.at(0), most_exponent);
  return Difference()
      .expect("multiplier", p->multiplier, scaling.multiplier)
      .expect("shift", p->shift, scaling.shift)
      .text();
}

// The fault of ABS of int16.
std::string mirrored_fault(const ReadBack& r) {
  const auto* p = r.as<runtime::LeakyReluParams>();
  if (p == nullptr) return kOtherKernel;
  const float ratio = r.in(0).quantization.scales.at(0) / r.out().quantization.scales.at(0);
  const auto wanted = to_fixed_factor(static_cast<double>(ratio));
  Difference d;
  d.expect("positive", p->positive, wanted);
  d.expect("negative", p->negative, {-wanted.multiplier, wanted.shift});
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  compare_output(*p, Activation::kNone, r.out(), d);
  return d.text();
}

std::string product_fault(const ReadBack& r, Activation activation, reference::FixedFactor wanted) {
  const auto* p = r.as<runtime::MulParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  for (size_t k = 0; k < 2; ++k) d.expect("zero_point", p->zero_point[k], zero_point(r.in(k)));
  d.expect("output_scale", p->output_scale, wanted);
  compare_output(*p, activation, r.out(), d);
  return d.text();
}

std::string comparison_fault(const ReadBack& r, int32_t accepted) {
  if (const auto* p = r.as<runtime::RelationParams>())
    return Difference().expect("accepted", p->accepted, accepted).text();
  const auto* p = r.as<runtime::ComparisonParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("accepted", p->accepted, accepted);
  for (size_t k = 0; k < 2; ++k) {
    const bool is_scaled = r.in(k).type == DType::kInt8;
    d.expect("zero_point", p->zero_point[k], is_scaled ? zero_point(r.in(k)) : 0);
    d.expect("scale", p->scale[k], to_fixed_factor(is_scaled ? scale(r.in(k)) : 1));
  }
  return d.text();
}

std::string softmax_tables_fault(const Softmax& a, const ReadBack& r) {
  const auto* p = r.as<runtime::SoftmaxTableParams>();
  if (p == nullptr) return kOtherKernel;
  for (const auto& [k, wanted] : {std::pair{size_t{0}, &reference::exponential_table()},
                                  {size_t{1}, &reference::reciprocal_table()}}) {
    if (!std::ranges::equal(unpacked<int16_t>(r, k, DType::kInt16, wanted->size()), *wanted))
      return "one of its tables is wrong";
  }
  const float input_scale = r.in(0).quantization.scales.at(0);
  return Difference()
      .expect("input_scale", p->input_scale, reference::softmax_table_factor(a.beta, input_scale))
      .expect("channels", p->channels, r.in(0).shape.back())
      .text();
}

std::string exponentials_fault(const Softmax& a, const ReadBack& r,
                               const runtime::SoftmaxExponentialsParams& p) {
  const reference::SoftmaxScaling scaling =
      reference::softmax_scaling(static_cast<double>(a.beta), scale(r.in(0)));
  const std::vector<int32_t> table = unpacked<int32_t>(r, 0, DType::kInt32, 256);
  Difference d;
  if (table.empty()) d.fail("its table of exponentials has another type or size");
  for (size_t k = 0; k < table.size(); ++k) {
    if (table[k] != reference::softmax_exponential(-static_cast<int32_t>(k), scaling))
      d.fail(fmt::format("its exponential of -{} is wrong", k));
  }
  return d.expect("channels", p.channels, r.in(0).shape.back()).text();
}

std::string rows_fault(const ReadBack& r, size_t constant, const std::vector<int64_t>& wanted) {
  const auto rows = unpacked<int16_t>(r, constant, DType::kInt16, wanted.size());
  return std::ranges::equal(rows, wanted) ? "" : "its table of rows or columns is wrong";
}

/// By operator. The kernels of the others have no parameters.
struct Checker {
  const ReadBack& r;

  [[nodiscard]] Arithmetic arithmetic() const { return r.op.attributes.arithmetic; }
  [[nodiscard]] bool is_function_of_int8() const {
    return r.in(0).type == DType::kInt8 && r.out().type == DType::kInt8;
  }

  std::string operator()(const Conv2D& a) const { return weights_fault(a, r); }
  std::string operator()(const DepthwiseConv2D& a) const { return weights_fault(a, r); }
  std::string operator()(const FullyConnected& a) const { return weights_fault(a, r); }
  std::string operator()(const TransposeConv& a) const { return weights_fault(a, r); }
  template <class Recurrent>
  requires kIsRecurrent<Recurrent> std::string operator()(const Recurrent& a) const {
    return weights_fault(a, r);
  }
  template <class Signal>
  requires kIsSignal<Signal> std::string operator()(const Signal& a) const {
    return signal_fault(a, r);
  }
  std::string operator()(const BatchMatMul& a) const {
    const auto* p = r.as<runtime::BatchMatMulParams>();
    if (p == nullptr) return kOtherKernel;
    Difference d;
    const Shape& x = r.in(0).shape;
    d.expect("depth", p->depth, a.adjoint_x ? x[x.size() - 2] : x.back());
    for (size_t k = 0; k < 2; ++k) d.expect("zero_point", p->zero_point[k], zero_point(r.in(k)));
    d.expect("output_zero_point", p->output_zero_point, zero_point(r.out()));
    const float product =  // in float32, as the reference
        r.in(0).quantization.scales.at(0) * r.in(1).quantization.scales.at(0);
    d.expect("scale", p->scale, to_fixed_factor(static_cast<double>(product) / scale(r.out())));
    return d.text();
  }
  std::string operator()(const AveragePool2D& a) const {
    if (r.call.method == Method::kAccumulate) return sum_fault(r, {0, 1, 1, 0});
    const Family wanted = arithmetic() == Arithmetic::kTfliteUint8 ? Family::kAveragePool2DTiesUp
                                                                   : Family::kAveragePool2D;
    if (r.call.method == Method::kCompute && info(r.call.kernel).family != wanted)
      return kOtherKernel;
    return pool_fault(a.window, a.activation, r);
  }
  std::string operator()(const MaxPool2D& a) const { return pool_fault(a.window, a.activation, r); }
  std::string operator()(const Mean& a) const { return reduction_fault(a.axes, true); }
  std::string operator()(const Sum& a) const { return reduction_fault(a.axes, false); }
  [[nodiscard]] std::string reduction_fault(const std::vector<int>& axes, bool divides) const {
    const Shape& x = r.in(0).shape;
    const std::vector<int64_t> reduced = reduced_axes(axes, x);
    int64_t count = 1;
    for (const int axis : axes) count *= x.at(static_cast<size_t>(axis));
    if (r.call.method == Method::kAccumulate) return sum_fault(r, reduced);
    const auto* p = r.as<runtime::MeanParams>();
    if (p == nullptr) return kOtherKernel;
    Difference d;
    compare_four("in_extent", p->in_extent, last_four(x), d);
    compare_four("reduced", p->reduced, reduced, d);
    const reference::FixedFactor ratio = to_fixed_factor(scale(r.in(0)) / scale(r.out()));
    d.expect("scale", p->scale, divides ? reference::divided(ratio, count) : ratio);
    d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
    d.expect("output_zero_point", p->output_zero_point, zero_point(r.out()));
    return d.text();
  }
  std::string operator()(const Add& a) const {
    return sum_of_pair_fault(a.activation, reference::Quotients::kDouble);
  }
  std::string operator()(const Sub& a) const {
    return sum_of_pair_fault(a.activation, reference::difference_quotients(arithmetic()));
  }
  [[nodiscard]] std::string sum_of_pair_fault(Activation activation,
                                              reference::Quotients quotients) const {
    if (r.out().type == DType::kInt32) return kOtherKernel;
    const int bits = r.out().type == DType::kInt16 ? 15 : 20;
    return scaled_pair_fault(r, activation, {bits, std::ldexp(common_scale(r), -bits), quotients});
  }
  std::string operator()(const SquaredDifference&) const {
    const double square = common_scale(r) * common_scale(r);
    const int left_shift = r.out().type == DType::kInt16 ? 0 : 7;
    return scaled_pair_fault(r, Activation::kNone,
                             {left_shift, std::ldexp(square, -2 * left_shift)});
  }
  std::string operator()(const Mul& a) const {
    if (r.out().type == DType::kInt32) return kOtherKernel;
    return product_fault(r, a.activation,
                         reference::product_factor(arithmetic(), r.in(0), r.in(1), r.out()));
  }
  std::string operator()(const Div& a) const {
    if (r.out().type == DType::kInt32) return kOtherKernel;
    const float quotient =  // in float32, as the reference
        r.in(0).quantization.scales.at(0) /
        (r.in(1).quantization.scales.at(0) * r.out().quantization.scales.at(0));
    return product_fault(r, a.activation, to_fixed_factor(static_cast<double>(quotient)));
  }
  std::string operator()(const Comparison& a) const {
    return comparison_fault(r, accepted(a.relation));
  }
  std::string operator()(const Gather& a) const { return gather_fault(a, r); }
  std::string operator()(const UpdateSlice&) const { return update_slice_fault(r); }
  std::string operator()(const ArgMax& a) const {
    const auto* p = r.as<runtime::ArgMaxParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference()
        .expect("channels", p->channels, r.in(0).shape.at(static_cast<size_t>(a.axis)))
        .expect("least", p->least, a.least ? 1 : 0)
        .text();
  }
  std::string operator()(const CumSum& a) const {
    const auto* p = r.as<runtime::CumSumParams>();
    if (p == nullptr) return kOtherKernel;
    const double ratio = 2 * scale(r.in(0)) / (0x1p20 * scale(r.out()));
    return Difference()
        .expect("scale", p->scale, to_fixed_factor(ratio))
        .expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)))
        .expect("output_zero_point", p->output_zero_point, zero_point(r.out()))
        .expect("exclusive", p->exclusive, a.exclusive ? 1 : 0)
        .expect("reverse", p->reverse, a.reverse ? 1 : 0)
        .expect("channels", p->channels, r.in(0).shape.at(static_cast<size_t>(a.axis)))
        .text();
  }
  std::string operator()(const L2Normalization&) const {
    const auto* p = r.as<runtime::L2NormalizationParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference()
        .expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)))
        .expect("channels", p->channels, r.in(0).shape.back())
        .text();
  }
  std::string operator()(const Pad& a) const { return pad_fault(a, r); }
  std::string operator()(const Softmax& a) const {
    if (r.in(0).type == DType::kInt16) return softmax_tables_fault(a, r);
    if (const auto* table = r.as<runtime::SoftmaxExponentialsParams>(); table != nullptr)
      return exponentials_fault(a, r, *table);
    const auto* p = r.as<runtime::SoftmaxParams>();
    if (p == nullptr) return kOtherKernel;
    const reference::SoftmaxScaling wanted =
        reference::softmax_scaling(static_cast<double>(a.beta), scale(r.in(0)));
    Difference d;
    d.expect("input_scale", p->input_scale, wanted.factor);
    d.expect("diff_min", p->diff_min, std::max<int64_t>(wanted.smallest, -INT32_MAX));
    return d.expect("channels", p->channels, r.in(0).shape.back()).text();
  }
  std::string operator()(const LeakyRelu& a) const {
    if (is_function_of_int8()) return table_fault(r);
    const auto* p = r.as<runtime::LeakyReluParams>();
    if (p == nullptr) return kOtherKernel;
    const auto wanted = reference::leaky_relu_factors(a, r.in(0), r.out());
    Difference d;
    d.expect("positive", p->positive, wanted.positive);
    d.expect("negative", p->negative, wanted.negative);
    d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
    compare_output(*p, Activation::kNone, r.out(), d);
    return d.text();
  }
  std::string operator()(const Prelu&) const {
    const auto* p = r.as<runtime::PreluParams>();
    if (p == nullptr) return kOtherKernel;
    const auto wanted = reference::prelu_factors(arithmetic(), r.in(0), r.in(1), r.out());
    Difference d;
    d.expect("positive", p->positive, wanted.positive);
    d.expect("negative", p->negative, wanted.negative);
    d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
    d.expect("alpha_zero_point", p->alpha_zero_point, zero_point(r.in(1)));
    compare_output(*p, Activation::kNone, r.out(), d);
    return d.text();
  }
  std::string operator()(const LogSoftmax&) const {
    const auto* p = r.as<runtime::LogSoftmaxParams>();
    if (p == nullptr) return kOtherKernel;
    const reference::SoftmaxScaling wanted = reference::softmax_scaling(1, scale(r.in(0)));
    Difference d;
    d.expect("input_scale", p->input_scale, wanted.factor);
    d.expect("inverse_scale", p->inverse_scale, reference::inverse_scaling(wanted.factor));
    d.expect("diff_min", p->diff_min, std::max<int64_t>(wanted.smallest, -INT32_MAX));
    return d.expect("channels", p->channels, r.in(0).shape.back()).text();
  }
  std::string operator()(const Relu& a) const {
    return is_function_of_int8() ? table_fault(r) : rescale_fault(r, a.range);
  }
  std::string operator()(const Relu6&) const {
    const auto* p = r.as<runtime::ClampParams>();
    if (p == nullptr) return kOtherKernel;
    const auto range = reference::activation_range(Activation::kRelu6, r.in(0));
    return Difference()
        .expect("clamp_min", p->clamp_min, range.min)
        .expect("clamp_max", p->clamp_max, range.max)
        .text();
  }
  std::string operator()(const Quantize&) const {
    if (size_bytes(r.in(0).type) == 1 && size_bytes(r.out().type) == 1) return table_fault(r);
    return r.in(0).type == DType::kFloat32 ? float_fault(r, r.out())
                                           : rescale_fault(r, Activation::kNone);
  }
  std::string operator()(const Dequantize&) const { return float_fault(r, r.in(0)); }
  std::string operator()(const Logistic&) const {
    return r.in(0).type == DType::kInt16 ? sigmoid_fault(r, 0) : table_fault(r);
  }
  std::string operator()(const Tanh&) const {
    return r.in(0).type == DType::kInt16 ? sigmoid_fault(r, 1) : table_fault(r);
  }
  std::string operator()(const Elu&) const { return table_fault(r); }
  std::string operator()(const HardSwish&) const { return table_fault(r); }
  std::string operator()(const Abs&) const {
    return r.in(0).type == DType::kInt16 ? mirrored_fault(r) : table_fault(r);
  }
  std::string operator()(const Rsqrt&) const {
    if (r.in(0).type == DType::kInt8) return table_fault(r);
    const auto* p = r.as<runtime::RsqrtParams>();
    if (p == nullptr) return kOtherKernel;
    reference::FixedFactor wanted = reference::rsqrt_factor(r.in(0), r.out());
    wanted.shift -= 20;  // bits behind the point of a root
    return Difference().expect("scale", p->scale, wanted).text();
  }
  std::string operator()(const Gelu&) const { return table_fault(r); }
  std::string operator()(const ResizeNearestNeighbor& a) const { return nearest_fault(a, r); }
  std::string operator()(const ResizeBilinear& a) const {
    const auto* p = r.as<runtime::ResizeBilinearParams>();
    if (p == nullptr) return kOtherKernel;
    Difference d;
    const auto compare = [&](const runtime::LinearAxis& given, size_t axis) {
      const int64_t in = r.in(0).shape[axis];
      const LinearPositions wanted = linear_positions(a, in, r.out().shape[axis]);
      d.expect("step", given.step, wanted.step).expect("offset", given.offset, wanted.offset);
      d.expect("in_extent", given.in_extent, in);
    };
    compare(p->rows, 1);
    compare(p->columns, 2);
    return d.text();
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return kOtherKernel;
  }
};

}  // namespace

std::vector<int64_t> last_four(const Shape& shape) {
  std::vector<int64_t> result(kKernelAxes, 1);
  for (size_t k = 0; k < std::min(kKernelAxes, shape.size()); ++k)
    result[kKernelAxes - 1 - k] = shape[shape.size() - 1 - k];
  return result;
}

void compare_four(const char* what, const int32_t (&given)[kKernelAxes],
                  const std::vector<int64_t>& wanted, Difference& d) {
  for (size_t k = 0; k < kKernelAxes; ++k) d.expect(what, given[k], wanted[k]);
}

std::vector<int64_t> reduced_axes(const std::vector<int>& axes, const Shape& x) {
  std::vector<int64_t> reduced(kKernelAxes, 0);
  for (const int axis : axes) reduced.at(static_cast<size_t>(axis) + kKernelAxes - x.size()) = 1;
  return reduced;
}

std::string pad_fault(const Pad& a, const ReadBack& r) {
  const auto* p = r.as<runtime::PadParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  std::vector<int64_t> before(kKernelAxes, 0);
  for (size_t k = 0; k < std::min(kKernelAxes, a.before.size()); ++k)
    before[kKernelAxes - 1 - k] = a.before[a.before.size() - 1 - k];
  compare_four("before", p->before, before, d);
  compare_four("in_extent", p->in_extent, last_four(r.in(0).shape), d);
  return d.expect("value", p->value, a.value).text();
}

std::string gather_fault(const Gather& a, const ReadBack& r) {
  const auto* p = r.as<runtime::GatherParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference()
      .expect("extent", p->extent, r.in(0).shape.at(static_cast<size_t>(a.axis)))
      .text();
}

std::string update_slice_fault(const ReadBack& r) {
  const auto* p = r.as<runtime::UpdateSliceParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  const std::vector<int64_t> extent = last_four(r.in(1).shape);
  std::vector<int64_t> room = last_four(r.in(0).shape);
  for (size_t k = 0; k < kKernelAxes; ++k) room[k] -= extent[k];
  compare_four("extent", p->extent, extent, d);
  compare_four("room", p->room, room, d);
  return d.expect("axes", p->axes, std::ssize(r.in(0).shape)).text();
}

std::string nearest_fault(const ResizeNearestNeighbor& a, const ReadBack& r) {
  if (r.as<runtime::ResizeNearestNeighborParams>() == nullptr) return kOtherKernel;
  const Shape &x = r.in(0).shape, &y = r.out().shape;
  const std::string rows = rows_fault(r, 0, nearest_rows(a, x[1], y[1]));
  return rows.empty() ? rows_fault(r, 1, nearest_rows(a, x[2], y[2])) : rows;
}

std::string parameter_fault(const Graph& graph, const Program& program, const Call& call) {
  const bool takes_some = info(call.kernel).params != 0;
  if (!takes_some) return call.params < 0 ? "" : "it has parameters that its kernel does not take";
  const auto number = static_cast<size_t>(call.params);
  if (call.params < 0 || number >= program.params.size()) return "it has no parameters";
  const ProgramParams& given = program.params[number];
  if (given.params.index() != info(call.kernel).params) return kOtherKernel;
  ReadBack r{graph, graph.op(call.op), call, given.params, {}};
  for (const BufferId id : given.constants) {
    const bool known = id.valid() && id.index() < program.buffers.size();
    const ProgramConstant* constant = known ? program.constant(id) : nullptr;
    if (constant == nullptr) return "one of its constants is missing";
    r.constants.push_back(&constant->content);
  }
  return is_float32(graph, r.op) ? float_parameter_fault(r)
                                 : std::visit(Checker{r}, r.op.attributes);
}

}  // namespace thimble
