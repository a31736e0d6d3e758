// SPDX-License-Identifier: Apache-2.0
// Parameters of operators that go along an axis.
#include <algorithm>

#include "thimble/program/fault_of.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/softmax_tables.h"

namespace thimble {
namespace {

using reference::to_fixed_factor;

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

std::string float_softmax_fault(float beta, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatSoftmaxParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference()
      .expect_float("beta", p->beta, beta)
      .expect("channels", p->channels, r.in(0).shape.back())
      .text();
}

}  // namespace

std::string fault_of(const ArgMax& a, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  const auto* p = r.as<runtime::ArgMaxParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference()
      .expect("channels", p->channels, r.in(0).shape.at(static_cast<size_t>(a.axis)))
      .expect("least", p->least, a.least ? 1 : 0)
      .expect("last", p->last, a.last ? 1 : 0)
      .text();
}

std::string fault_of(const CumSum& a, const ReadBack& r) {
  if (r.is_float()) {
    const auto* p = r.as<runtime::FloatCumSumParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference()
        .expect("exclusive", p->exclusive, a.exclusive ? 1 : 0)
        .expect("reverse", p->reverse, a.reverse ? 1 : 0)
        .expect("channels", p->channels, r.in(0).shape.at(static_cast<size_t>(a.axis)))
        .text();
  }
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

std::string fault_of(const L2Normalization&, const ReadBack& r) {
  if (r.is_float()) {
    const auto* p = r.as<runtime::FloatL2NormalizationParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference().expect("channels", p->channels, r.in(0).shape.back()).text();
  }
  const auto* p = r.as<runtime::L2NormalizationParams>();
  if (p == nullptr) return kOtherKernel;
  return Difference()
      .expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)))
      .expect("channels", p->channels, r.in(0).shape.back())
      .text();
}

std::string fault_of(const Softmax& a, const ReadBack& r) {
  if (r.is_float()) return float_softmax_fault(a.beta, r);
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

std::string fault_of(const LogSoftmax&, const ReadBack& r) {
  if (r.is_float()) return float_softmax_fault(1, r);
  const auto* p = r.as<runtime::LogSoftmaxParams>();
  if (p == nullptr) return kOtherKernel;
  const reference::SoftmaxScaling wanted = reference::softmax_scaling(1, scale(r.in(0)));
  Difference d;
  d.expect("input_scale", p->input_scale, wanted.factor);
  d.expect("inverse_scale", p->inverse_scale, reference::inverse_scaling(wanted.factor));
  d.expect("diff_min", p->diff_min, std::max<int64_t>(wanted.smallest, -INT32_MAX));
  return d.expect("channels", p->channels, r.in(0).shape.back()).text();
}

}  // namespace thimble
