// SPDX-License-Identifier: Apache-2.0
// Parameters of pools and reductions.
#include <algorithm>

#include "thimble/program/fault_of.h"
#include "thimble/reference/factors.h"

namespace thimble {
namespace {

std::string pool_fault(const Window& window, Activation activation, const ReadBack& r) {
  const auto* p = r.as<runtime::Pool2DParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_window(window, r.in(0), p->window, d);
  const reference::ActivationRange range = reference::activation_range(activation, r.out());
  d.expect("clamp_min", p->clamp_min, range.min).expect("clamp_max", p->clamp_max, range.max);
  return d.text();
}

std::string float_pool_fault(const Window& window, Activation activation, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatPool2DParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_window(window, r.in(0), p->window, d);
  compare_float_clamp(*p, activation, d);
  return d.text();
}

std::string number_pool_fault(const AveragePool2D& a, const ReadBack& r) {
  const auto* p = r.as<runtime::NumberPoolParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_window(a.window, r.in(0), p->window, d);
  d.expect_float("scale", p->scale, r.in(0).quantization.scales.at(0));
  d.expect_float("output_scale", p->output_scale, r.out().quantization.scales.at(0));
  d.expect("zero_point", p->zero_point, zero_point(r.in(0)));
  compare_output(*p, a.activation, r.out(), d);
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

// Axes that are summed over: 1.
std::vector<int64_t> reduced_axes(const std::vector<int>& axes, const Shape& x) {
  std::vector<int64_t> reduced(kKernelAxes, 0);
  for (const int axis : axes) reduced.at(static_cast<size_t>(axis) + kKernelAxes - x.size()) = 1;
  return reduced;
}

std::string reduction_fault(const std::vector<int>& axes, bool divides, const ReadBack& r) {
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
  d.expect("scale", p->scale,
           reference::reduction_factor(r.arithmetic(), r.in(0), r.out(), divides ? count : 1));
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  d.expect("output_zero_point", p->output_zero_point, zero_point(r.out()));
  return d.text();
}

std::string float_reduction_fault(const std::vector<int>& axes, float divisor, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatMeanParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  compare_four("in_extent", p->in_extent, last_four(r.in(0).shape), d);
  compare_four("reduced", p->reduced, reduced_axes(axes, r.in(0).shape), d);
  return d.expect_float("divisor", p->divisor, divisor).text();
}

}  // namespace

std::string fault_of(const AveragePool2D& a, const ReadBack& r) {
  if (r.is_float()) return float_pool_fault(a.window, a.activation, r);
  if (r.call.method == Method::kAccumulate) return sum_fault(r, {0, 1, 1, 0});
  if (r.is_onnx()) return number_pool_fault(a, r);
  const Family wanted = r.arithmetic() == Arithmetic::kTfliteUint8 ? Family::kAveragePool2DTiesUp
                                                                   : Family::kAveragePool2D;
  if (r.call.method == Method::kCompute && info(r.call.kernel).family != wanted)
    return kOtherKernel;
  return pool_fault(a.window, a.activation, r);
}

std::string fault_of(const MaxPool2D& a, const ReadBack& r) {
  if (r.is_float()) return float_pool_fault(a.window, a.activation, r);
  return pool_fault(a.window, a.activation, r);
}

std::string fault_of(const L2Pool2D& a, const ReadBack& r) {
  if (!r.is_float()) return kOtherKernel;
  return float_pool_fault(a.window, a.activation, r);
}

std::string fault_of(const Mean& a, const ReadBack& r) {
  if (r.is_float()) {
    int64_t count = 1;
    for (const int axis : a.axes) count *= r.in(0).shape.at(static_cast<size_t>(axis));
    return float_reduction_fault(a.axes, static_cast<float>(count), r);
  }
  return reduction_fault(a.axes, true, r);
}

std::string fault_of(const Sum& a, const ReadBack& r) {
  if (r.is_float()) return float_reduction_fault(a.axes, 1, r);
  return reduction_fault(a.axes, false, r);
}

}  // namespace thimble
