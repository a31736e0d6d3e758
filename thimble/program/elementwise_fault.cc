// SPDX-License-Identifier: Apache-2.0
// Parameters of operators that go element by element over two operands.
#include <algorithm>
#include <cmath>

#include "thimble/program/fault_of.h"
#include "thimble/reference/common_scale.h"
#include "thimble/reference/factors.h"

namespace thimble {
namespace {

using reference::to_fixed_factor;

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

std::string product_fault(const ReadBack& r, Activation activation, reference::FixedFactor wanted) {
  const auto* p = r.as<runtime::MulParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  for (size_t k = 0; k < 2; ++k) d.expect("zero_point", p->zero_point[k], zero_point(r.in(k)));
  d.expect("output_scale", p->output_scale, wanted);
  compare_output(*p, activation, r.out(), d);
  return d.text();
}

// What is wrong with a sum in ONNX's arithmetic.
std::string float_sum_fault(const ReadBack& r, Activation activation) {
  const auto* p = r.as<runtime::AddToEvenParams>();
  if (p == nullptr) return kOtherKernel;
  const reference::FloatSum wanted = reference::float_sum(r.in(0), r.in(1), r.out());
  Difference d;
  for (size_t k = 0; k < 2; ++k) d.expect_float("scale", p->scale[k], wanted.scale[k]);
  d.expect_float("constant", p->constant, wanted.constant);
  compare_clamps(*p, activation, r.out(), d);
  return d.text();
}

std::string float_product_fault(const ReadBack& r, Activation activation) {
  const auto* p = r.as<runtime::MulToEvenParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  for (size_t k = 0; k < 2; ++k) d.expect("zero_point", p->zero_point[k], zero_point(r.in(k)));
  d.expect_float("scale", p->scale, reference::float_product(r.in(0), r.in(1), r.out()));
  d.expect_float("output_zero_point", p->output_zero_point,
                 static_cast<float>(zero_point(r.out())));
  compare_clamps(*p, activation, r.out(), d);
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

std::string sum_of_pair_fault(Activation activation, reference::Quotients quotients,
                              const ReadBack& r) {
  if (r.out().type == DType::kInt32) return kOtherKernel;
  const int bits = r.out().type == DType::kInt16 ? 15 : 20;
  return scaled_pair_fault(r, activation, {bits, std::ldexp(common_scale(r), -bits), quotients});
}

}  // namespace

std::string fault_of(const Add& a, const ReadBack& r) {
  if (r.is_float()) return float_clamp_fault(a.activation, r);
  if (r.is_onnx()) return float_sum_fault(r, a.activation);
  return sum_of_pair_fault(a.activation, reference::Quotients::kDouble, r);
}

std::string fault_of(const Sub& a, const ReadBack& r) {
  if (r.is_float()) return float_clamp_fault(a.activation, r);
  return sum_of_pair_fault(a.activation, reference::difference_quotients(r.arithmetic()), r);
}

std::string fault_of(const SquaredDifference&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  const double square = common_scale(r) * common_scale(r);
  const int left_shift = r.out().type == DType::kInt16 ? 0 : 7;
  return scaled_pair_fault(r, Activation::kNone, {left_shift, std::ldexp(square, -2 * left_shift)});
}

std::string fault_of(const Mul& a, const ReadBack& r) {
  if (r.is_float()) return float_clamp_fault(a.activation, r);
  if (r.out().type == DType::kInt32) return kOtherKernel;
  if (r.is_onnx()) return float_product_fault(r, a.activation);
  return product_fault(r, a.activation,
                       reference::product_factor(r.arithmetic(), r.in(0), r.in(1), r.out()));
}

std::string fault_of(const Div& a, const ReadBack& r) {
  if (r.is_float()) return float_clamp_fault(a.activation, r);
  if (r.out().type == DType::kInt32) return kOtherKernel;
  const float quotient =  // in float32, as the reference
      r.in(0).quantization.scales.at(0) /
      (r.in(1).quantization.scales.at(0) * r.out().quantization.scales.at(0));
  return product_fault(r, a.activation, to_fixed_factor(static_cast<double>(quotient)));
}

std::string fault_of(const Comparison& a, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return comparison_fault(r, accepted(a.relation));
}

std::string fault_of(const Prelu&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  const auto* p = r.as<runtime::PreluParams>();
  if (p == nullptr) return kOtherKernel;
  const auto wanted = reference::prelu_factors(r.arithmetic(), r.in(0), r.in(1), r.out());
  Difference d;
  d.expect("positive", p->positive, wanted.positive);
  d.expect("negative", p->negative, wanted.negative);
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  d.expect("alpha_zero_point", p->alpha_zero_point, zero_point(r.in(1)));
  compare_output(*p, Activation::kNone, r.out(), d);
  return d.text();
}

std::string fault_of(const FloorDiv&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Pow&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Maximum&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Minimum&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Select&, const ReadBack&) { return kOtherKernel; }

}  // namespace thimble
