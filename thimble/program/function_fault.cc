// SPDX-License-Identifier: Apache-2.0
// Parameters of functions of one value.
#include <algorithm>

#include "thimble/program/fault_of.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/sigmoid.h"

namespace thimble {
namespace {

using reference::to_fixed_factor;

bool is_function_of_int8(const ReadBack& r) {
  return r.in(0).type == DType::kInt8 && r.out().type == DType::kInt8;
}

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

}  // namespace

std::string fault_of(const Relu& a, const ReadBack& r) {
  if (r.is_float()) return float_clamp_fault(a.range, r);
  return is_function_of_int8(r) ? table_fault(r) : rescale_fault(r, a.range);
}

std::string fault_of(const Relu6&, const ReadBack& r) {
  if (r.is_float()) return float_clamp_fault(Activation::kRelu6, r);
  if (r.is_onnx()) return table_fault(r);
  const auto* p = r.as<runtime::ClampParams>();
  if (p == nullptr) return kOtherKernel;
  const auto range = reference::activation_range(Activation::kRelu6, r.in(0));
  return Difference()
      .expect("clamp_min", p->clamp_min, range.min)
      .expect("clamp_max", p->clamp_max, range.max)
      .text();
}

std::string fault_of(const LeakyRelu& a, const ReadBack& r) {
  if (r.is_float()) {
    const auto* p = r.as<runtime::FloatLeakyReluParams>();
    if (p == nullptr) return kOtherKernel;
    return Difference().expect_float("alpha", p->alpha, a.alpha).text();
  }
  if (is_function_of_int8(r)) return table_fault(r);
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

std::string fault_of(const Quantize&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  if (size_bytes(r.in(0).type) == 1 && size_bytes(r.out().type) == 1) return table_fault(r);
  if (r.in(0).type != DType::kFloat32) return rescale_fault(r, Activation::kNone);
  const Family wanted = r.is_onnx() ? Family::kQuantizeToEven : Family::kQuantize;
  return info(r.call.kernel).family == wanted ? float_fault(r, r.out()) : kOtherKernel;
}

std::string fault_of(const Dequantize&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return float_fault(r, r.in(0));
}

std::string fault_of(const Logistic&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return r.in(0).type == DType::kInt16 ? sigmoid_fault(r, 0) : table_fault(r);
}

std::string fault_of(const Tanh&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return r.in(0).type == DType::kInt16 ? sigmoid_fault(r, 1) : table_fault(r);
}

std::string fault_of(const Elu&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return table_fault(r);
}

std::string fault_of(const HardSwish&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return table_fault(r);
}

std::string fault_of(const Abs&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return r.in(0).type == DType::kInt16 ? mirrored_fault(r) : table_fault(r);
}

std::string fault_of(const Rsqrt&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  if (r.in(0).type == DType::kInt8) return table_fault(r);
  const auto* p = r.as<runtime::RsqrtParams>();
  if (p == nullptr) return kOtherKernel;
  reference::FixedFactor wanted = reference::rsqrt_factor(r.in(0), r.out());
  wanted.shift -= 20;  // bits behind the point of a root
  return Difference().expect("scale", p->scale, wanted).text();
}

std::string fault_of(const Gelu&, const ReadBack& r) {
  if (r.is_float()) return kOtherKernel;
  return table_fault(r);
}

std::string fault_of(const Cast&, const ReadBack&) { return kOtherKernel; }

std::string fault_of(const Elementwise&, const ReadBack&) { return kOtherKernel; }

}  // namespace thimble
