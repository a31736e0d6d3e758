// SPDX-License-Identifier: Apache-2.0
// Parameters and constants of what is left of operators with a state.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "thimble/program/fault_of.h"
#include "thimble/program/float_weights.h"
#include "thimble/reference/sigmoid.h"

namespace thimble {
namespace {

using reference::to_fixed_factor;

// SVDF forms its factors in float32.
reference::FixedFactor svdf_factor_of(const ReadBack& r) {
  const auto of = [](const Tensor& t) { return t.quantization.scales.at(0); };
  return to_fixed_factor(static_cast<double>(of(r.in(0)) * of(r.in(1)) / of(r.out())));
}

// Whether packed constant k is what the operand holds.
void compare_operand(const ReadBack& r, size_t k, size_t operand, Difference& d) {
  const Tensor& t = r.in(operand);
  if (k >= r.constants.size() || r.constants[k]->type != t.type || r.constants[k]->data != *t.data)
    d.fail(fmt::format("its constant {} is not the operator's operand {}", k, operand));
}

// Biases of the gates for the input and for the hidden state, the zero points folded in.
void compare_gate_biases(const ReadBack& r, Difference& d) {
  const auto rows = static_cast<size_t>(elements(r.in(4).shape));
  const auto biases = unpacked<int32_t>(r, 2, DType::kInt32, 2 * rows);
  if (biases.empty()) {
    d.fail("its biases have another type or size");
    return;
  }
  for (size_t k = 0; k < biases.size(); ++k) {
    const size_t row = k / 2, operand = k % 2;
    const Bytes& weights = *r.in(2 + operand).data;
    const auto first = weights.begin() + static_cast<int64_t>(row * (weights.size() / rows));
    int64_t wanted = 0;
    for (auto at = first; at != first + static_cast<int64_t>(weights.size() / rows); ++at)
      wanted -= int64_t{zero_point(r.in(operand))} * static_cast<int8_t>(*at);
    int32_t own = 0;
    std::memcpy(&own, r.in(4).data->data() + row * sizeof(own), sizeof(own));
    if (operand == 0) wanted += own;
    d.expect("biases", biases[k], static_cast<int32_t>(static_cast<uint32_t>(wanted)));
  }
}

std::string float_svdf_fault(const SvdfOutput& a, const ReadBack& r) {
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

template <class Params>
std::string compare_float_lstm(const Lstm& a, const Params& p, const ReadBack& r, Difference& d) {
  d.expect("times", p.times, r.in(0).shape.at(1));
  d.expect("inputs", p.inputs, r.in(0).shape.at(2));
  d.expect("units", p.units, r.in(4).shape.at(1));
  d.expect("reverse", p.reverse, a.reverse ? 1 : 0);
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

}  // namespace

std::string fault_of(const SvdfFeatures& a, const ReadBack& r) {
  if (r.is_float()) return float_weights_fault(a, r);
  const auto* p = r.as<runtime::SvdfFeaturesParams>();
  if (p == nullptr) return kOtherKernel;
  Difference d;
  d.expect("depth", p->depth, r.in(0).shape.back());
  d.expect("input_zero_point", p->input_zero_point, zero_point(r.in(0)));
  d.expect("output_zero_point", p->output_zero_point, zero_point(r.out()));
  d.expect("scale", p->scale, svdf_factor_of(r));
  compare_operand(r, 0, 1, d);
  return d.text();
}

std::string fault_of(const ShiftIn& a, const ReadBack& r) {
  const auto* p = r.as<runtime::ShiftInParams>();
  if (p == nullptr) return kOtherKernel;
  const Shape &state = r.in(0).shape, &newest = r.in(1).shape;
  const auto axis = static_cast<size_t>(a.axis);
  Difference d;
  d.expect("axis", p->axis, a.axis + 4 - static_cast<int>(state.size()));
  d.expect("kept", p->kept, state.at(axis) - newest.at(axis));
  d.expect("count", p->count, newest.at(axis));
  return d.text();
}

std::string fault_of(const SvdfOutput& a, const ReadBack& r) {
  if (r.is_float()) return float_svdf_fault(a, r);
  const auto* p = r.as<runtime::SvdfParams>();
  if (p == nullptr) return kOtherKernel;
  const Shape& state = r.in(0).shape;
  Difference d;
  d.expect("rank", p->rank, state.at(1) / r.out().shape.at(1));
  d.expect("memory", p->memory, state.at(2));
  d.expect("state_zero_point", p->state_zero_point, zero_point(r.in(0)));
  d.expect("output_zero_point", p->output_zero_point, zero_point(r.out()));
  d.expect("scale", p->scale, svdf_factor_of(r));
  compare_operand(r, 0, 2, d);
  return d.text();
}

std::string fault_of(const Recurrent& a, const ReadBack& r) {
  const auto* p = r.as<runtime::FloatRecurrentParams>();
  if (p == nullptr || !r.is_float()) return kOtherKernel;
  Difference d;
  d.expect("times", p->times, r.in(0).shape.at(1));
  d.expect("inputs", p->inputs, r.in(0).shape.at(2));
  d.expect("units", p->units, r.in(1).shape.at(1));
  d.expect("reverse", p->reverse, a.reverse ? 1 : 0);
  for (size_t k = 0; k < 3; ++k)
    compare_floats(
        r, k, r.in(2 + k), [](size_t place) { return place; }, d);
  return d.text();
}

std::string fault_of(const Lstm& a, const ReadBack& r) {
  if (r.is_float()) return float_lstm_fault(a, r);
  const auto* p = r.as<runtime::LstmParams>();
  if (p == nullptr) return kOtherKernel;
  const Shape& x = r.in(0).shape;
  Difference d;
  d.expect("times", p->times, x.at(1)).expect("inputs", p->inputs, x.at(2));
  d.expect("units", p->units, r.in(4).shape.at(1));
  d.expect("output_zero_point", p->output_zero_point, zero_point(r.out()));
  for (size_t gate = 0; gate < std::size(p->input_scale); ++gate) {
    const auto factor = [&](size_t operand) {
      const float product =
          r.in(operand).quantization.scales.at(0) * r.in(2 + operand).quantization.scales.at(gate);
      return to_fixed_factor(static_cast<double>(product) * 0x1p12);
    };
    d.expect("input_scale", p->input_scale[gate], factor(0));
    d.expect("recurrent_scale", p->recurrent_scale[gate], factor(1));
  }
  d.expect("forget_scale", p->forget_scale, to_fixed_factor(0x1p-15));
  d.expect("update_scale", p->update_scale,
           to_fixed_factor(0x1p-30 / static_cast<double>(a.cell_scale)));
  d.expect("output_scale", p->output_scale, to_fixed_factor(0x1p-30 / scale(r.out())));
  // 3/4 of a step of the table's 2^-14 units, in the cell state's steps.
  const double argument = 3.0 * 4096 * static_cast<double>(a.cell_scale);
  if (std::ldexp(p->cell_multiplier, -p->cell_shift) != argument ||
      (p->cell_multiplier != 3 && p->cell_shift != 0))
    d.fail("its scale of the cell state is wrong");
  d.expect("cell_limit", p->cell_limit, a.cell_clip > 0 ? a.cell_clip : 32768);
  compare_operand(r, 0, 2, d);
  compare_operand(r, 1, 3, d);
  compare_gate_biases(r, d);
  const auto& table = reference::sigmoid_table();
  const auto given = unpacked<int16_t>(r, 3, DType::kInt16, table.size());
  if (!std::ranges::equal(given, table, {}, [](int16_t v) { return static_cast<uint16_t>(v); }))
    d.fail("its table is wrong");
  return d.text();
}

}  // namespace thimble
