// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM with its state as an input, and in its output.
#include <algorithm>
#include <cmath>

#include "thimble/operators/overloads.h"
#include "thimble/operators/predicates.h"

namespace thimble {
namespace {

constexpr size_t kLstmOperands = 5;
constexpr int64_t kLstmGateCount = 4;

const Lstm& lstm_of(const Op& op) { return std::get<Lstm>(op.attributes); }

bool lstm_inputs(const Graph&, const Op& op) { return op.inputs.size() == kLstmOperands; }

bool lstm_ranks_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.x().size() == 3 && v.in(1).shape.size() == 2 && v.in(2).shape.size() == 3 &&
         v.in(3).shape.size() == 3 && v.in(4).shape.size() == 2 && v.out().shape.size() == 2;
}

bool lstm_types_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  if (is_float32(graph, op)) return v.in(2).type == v.in(3).type;
  for (size_t k = 0; k + 1 < kLstmOperands; ++k) {
    if (v.in(k).type != DType::kInt8) return false;
  }
  return v.in(4).type == DType::kInt32 && v.out().type == DType::kInt8;
}

bool lstm_constants(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return v.in(2).is_constant() && v.in(3).is_constant() && v.in(4).is_constant();
}

bool lstm_values_have_one_scale(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  return has_one_scale(v.in(0)) && has_one_scale(v.out()) && same_quantization(v.in(1), v.out());
}

bool gates_have_scales(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  for (const size_t k : {size_t{2}, size_t{3}}) {
    const Quantization& q = v.in(k).quantization;
    if (q.scales.size() != size_t{kLstmGateCount} || q.axis != 0) return false;
    if (!std::ranges::all_of(q.scales, [](float s) { return is_positive_scale(s) && s < 1; }) ||
        !std::ranges::all_of(q.zero_points, [](int32_t z) { return z == 0; }))
      return false;
  }
  return true;
}

bool lstm_scales_are_moderate(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const float x = v.in(0).quantization.scales[0], out = v.out().quantization.scales[0];
  return x < 0x1p16F && out < 0x1p16F && out > 0x1p-24F;
}

bool cell_scale_is_power_of_two(const Graph&, const Op& op) {
  const float scale = lstm_of(op).cell_scale;
  int exponent = 0;
  return is_positive_scale(scale) && std::frexp(scale, &exponent) == 0.5F && scale >= 0x1p-20F &&
         scale <= 0x1p-4F;
}

bool real_clip_is_a_number(const Graph&, const Op& op) {
  return lstm_of(op).real_clip >= 0 && std::isfinite(lstm_of(op).real_clip);
}

bool lstm_goes_forwards(const Graph&, const Op& op) { return !lstm_of(op).reverse; }

bool cell_clip_is_int16(const Graph&, const Op& op) {
  return lstm_of(op).cell_clip >= 0 && lstm_of(op).cell_clip <= 32767;
}

/// Elements of a unit's cell state: two bytes of int16, or one number.
int64_t cell_width(const OpView& v) { return v.in(0).type == DType::kFloat32 ? 1 : 2; }

bool lstm_extents_fit(const Graph& graph, const Op& op) {
  const OpView v{graph, op};
  const int64_t batch = v.x()[0], inputs = v.x()[2], units = v.in(4).shape[1];
  return v.in(1).shape == Shape{batch, (1 + cell_width(v)) * units} &&
         v.in(2).shape == Shape{kLstmGateCount, units, inputs} &&
         v.in(3).shape == Shape{kLstmGateCount, units, units} && v.in(4).shape[0] == kLstmGateCount;
}

}  // namespace

AccessMap access_map_of(const Lstm&, const OpView& v) {
  AccessMap map;
  for (size_t k = 0; k < kLstmOperands; ++k)
    map.push_back({.axes = std::vector<AxisMap>(v.in(k).shape.size(), Whole{})});
  return map;
}

// Sequences are whole.
int64_t macs_of(const Lstm&, const OpView& v, const Region& region) {
  if (empty(region)) return 0;
  const int64_t units = v.in(4).shape[1];
  return region[0].size() * v.x()[1] * kLstmGateCount * units * (v.x()[2] + units);
}

Shape output_shape_of(const Lstm&, const OpView& v) {
  const int64_t units = v.in(4).shape[1];
  return {v.x()[0], (v.x()[1] + cell_width(v)) * units};
}

Traits traits_of(const Lstm&) { return {}; }

std::vector<Constraint> constraints_of(const Lstm&) {
  return {
      {"input, weights, hidden state and cell state are there, and no others (no peepholes, "
       "projection or layer norm)",
       lstm_inputs},
      {"the input has 3 axes (batch, time, channels)", lstm_ranks_fit},
      {"input, weights, hidden state and output are int8, the biases int32; or all are float32, "
       "but "
       "for weights that may all be int8, those of each gate with one scale and all with one zero "
       "point",
       lstm_types_fit},
      {"weights and biases are constants", lstm_constants},
      {"input and output have one positive, finite scale each and a zero point within int8; the "
       "hidden state has the output's",
       lstm_values_have_one_scale, true},
      {"the weights of each gate have one scale below 1 and zero point 0", gates_have_scales, true},
      {"the input's scale is below 2^16, the output's between 2^-24 and 2^16",
       lstm_scales_are_moderate, true},
      {"the cell state's scale is a power of two from 2^-20 to 2^-4", cell_scale_is_power_of_two,
       true},
      {"the cell state's clip is within int16", cell_clip_is_int16, true},
      {"int8 goes from the first time to the last", lstm_goes_forwards, true},
      {"the cell state's clip in float32 is a number, 0 or above", real_clip_is_a_number},
      {"weights, biases and states have the extents that follow from batch, inputs and units",
       lstm_extents_fit},
      kOutputShape};
}

}  // namespace thimble
