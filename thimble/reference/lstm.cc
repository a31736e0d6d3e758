// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM with int8 values and an int16 cell state: gates in steps of 2^-12
// before their function and 2^-15 behind it; and in float32.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "thimble/model/error.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/gates.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/sigmoid.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

enum Gate : size_t { kInputGate, kForgetGate, kCellGate, kOutputGate, kGateCount };

int32_t to_int16(int32_t value) { return std::clamp<int32_t>(value, INT16_MIN, INT16_MAX); }

/// A gate's weights with the values that they meet.
struct GateOperand {
  std::vector<int8_t> weights;  ///< [gate][unit][depth]
  size_t depth = 0;
  int32_t zero_point = 0;
  std::vector<FixedFactor> factors;  ///< of the gates

  GateOperand(const OpContext& c, size_t values, size_t weights_input)
      : weights(c.read<int8_t>(weights_input)),
        depth(static_cast<size_t>(c.input(weights_input).shape[2])),
        zero_point(zero_point_of(c.input(values))) {
    for (const float scale : c.input(weights_input).quantization.scales) {
      const float product = scale_of(c.input(values)) * scale;
      factors.push_back(to_fixed_factor(double{product} / 0x1p-12));
    }
  }

  [[nodiscard]] int32_t value(const int8_t* values, size_t row, size_t gate, int32_t bias) const {
    auto sum = static_cast<uint32_t>(bias);
    for (size_t k = 0; k < depth; ++k)
      sum += static_cast<uint32_t>((values[k] - zero_point) * weights[row * depth + k]);
    return to_int16(multiply(static_cast<int32_t>(sum), factors[gate]));
  }
};

class LstmRow {
 public:
  LstmRow(const Lstm& op, const OpContext& c)
      : op_(op),
        input_(c, 0, 2),
        hidden_(c, 1, 3),
        bias_(c.read<int32_t>(4)),
        units_(bias_.size() / kGateCount),
        update_(to_fixed_factor(0x1p-30 / double{op.cell_scale})),
        output_(to_fixed_factor(0x1p-30 / double{scale_of(c.output())})),
        output_zero_point_(zero_point_of(c.output())) {}

  [[nodiscard]] size_t units() const { return units_; }

  /// One time; cells is updated.
  [[nodiscard]] std::vector<int8_t> step(const int8_t* x, const std::vector<int8_t>& hidden,
                                         std::vector<int16_t>& cells) const {
    const SigmoidScaling of_cell = cell_scaling();
    std::vector<int8_t> next(units_);
    for (size_t unit = 0; unit < units_; ++unit) {
      const auto sum = [&](size_t gate) {
        const size_t row = gate * units_ + unit;
        return static_cast<int16_t>(to_int16(input_.value(x, row, gate, bias_[row]) +
                                             hidden_.value(hidden.data(), row, gate, 0)));
      };
      const auto logistic = [&](size_t gate) { return logistic_of_int16(sum(gate), {3, 0}); };
      const int32_t kept =
          to_int16(multiply(logistic(kForgetGate) * cells[unit], to_fixed_factor(0x1p-15)));
      const int32_t added =
          to_int16(multiply(logistic(kInputGate) * tanh_of_int16(sum(kCellGate), {3, 0}), update_));
      int32_t cell = to_int16(kept + added);
      if (op_.cell_clip > 0) cell = std::clamp(cell, -op_.cell_clip, op_.cell_clip);
      cells[unit] = static_cast<int16_t>(cell);
      const int32_t value =
          multiply(tanh_of_int16(cells[unit], of_cell) * logistic(kOutputGate), output_) +
          output_zero_point_;
      next[unit] = static_cast<int8_t>(std::clamp<int32_t>(value, INT8_MIN, INT8_MAX));
    }
    return next;
  }

 private:
  [[nodiscard]] SigmoidScaling cell_scaling() const {
    const int above = std::ilogb(op_.cell_scale) + 12;
    return above >= 0 ? SigmoidScaling{3 << above, 0} : SigmoidScaling{3, -above};
  }

  const Lstm& op_;
  GateOperand input_, hidden_;
  std::vector<int32_t> bias_;
  size_t units_;
  FixedFactor update_, output_;
  int32_t output_zero_point_;
};

}  // namespace

std::vector<Bytes> evaluate(const Lstm& op, const OpContext& context) {
  const LstmRow row(op, context);
  const Shape& shape = context.input(0).shape;
  const std::vector<int8_t> x = context.read<int8_t>(0), state = context.read<int8_t>(1);
  const auto batches = static_cast<size_t>(shape[0]), times = static_cast<size_t>(shape[1]);
  const size_t depth = static_cast<size_t>(shape[2]), units = row.units();
  Bytes result;
  for (size_t batch = 0; batch < batches; ++batch) {
    const int8_t* const before = &state[3 * batch * units];
    std::vector<int8_t> hidden(units);
    std::vector<int16_t> cells(units);
    std::memcpy(hidden.data(), before, units);
    std::memcpy(cells.data(), before + units, 2 * units);
    for (size_t time = 0; time < times; ++time) {
      hidden = row.step(&x[(batch * times + time) * depth], hidden, cells);
      result.insert(result.end(), hidden.begin(), hidden.end());
    }
    const Bytes after = bytes_from(cells);
    result.insert(result.end(), after.begin(), after.end());
  }
  return {result};
}

namespace {

/// Operands of an LSTM as the operator has them.
struct RealLstm {
  const Shape& shape;  ///< of x
  const RealValues &x, &state, &weights, &recurrent, &biases;
};

/// Gates of one row of a batch are two layers, fully connected, and their sum; each result is a
/// number, the largest one beyond all. The last columns are the cell state.
RealValues real_lstm(const Lstm& op, const RealLstm& l) {
  using runtime::real::logistic, runtime::real::tanh;
  const auto batches = static_cast<size_t>(l.shape[0]), times = static_cast<size_t>(l.shape[1]);
  const size_t units = l.biases.size() / kGateCount;
  const float most = op.real_clip > 0 ? op.real_clip : std::numeric_limits<float>::max();
  RealValues result;
  for (size_t batch = 0; batch < batches; ++batch) {
    const auto before = l.state.begin() + static_cast<std::ptrdiff_t>(2 * batch * units);
    const auto middle = before + static_cast<std::ptrdiff_t>(units);
    RealValues hidden(before, middle), cells(middle, middle + static_cast<std::ptrdiff_t>(units));
    result.resize(result.size() + (times + 1) * units);
    const auto after = result.end() - static_cast<std::ptrdiff_t>((times + 1) * units);
    for (size_t step = 0; step < times; ++step) {
      const size_t time = op.reverse ? times - 1 - step : step;
      const auto x = l.x.begin() + static_cast<std::ptrdiff_t>((batch * times + time) *
                                                               static_cast<size_t>(l.shape[2]));
      RealValues gates = gate_layer({x, x + l.shape[2]}, l.weights, &l.biases);
      const RealValues of_hidden = gate_layer(hidden, l.recurrent, nullptr);
      for (size_t k = 0; k < gates.size(); ++k) gates[k] += of_hidden[k];
      apply(Activation::kNone, gates);
      const auto gate = [&](Gate g, size_t unit) { return gates[g * units + unit]; };
      for (size_t unit = 0; unit < units; ++unit) {
        cells[unit] = logistic(gate(kForgetGate, unit)) * cells[unit] +
                      logistic(gate(kInputGate, unit)) * tanh(gate(kCellGate, unit));
        cells[unit] = std::clamp(cells[unit], -most, most);
        hidden[unit] = logistic(gate(kOutputGate, unit)) * tanh(cells[unit]);
      }
      std::ranges::copy(hidden, after + static_cast<std::ptrdiff_t>(time * units));
    }
    std::ranges::copy(cells, after + static_cast<std::ptrdiff_t>(times * units));
  }
  return result;
}

}  // namespace

RealValues real_of(const Lstm& op, const RealContext& c) {
  if (c.graph.tensor(c.op.inputs[1]).type != DType::kFloat32)  // bytes of the cell state
    throw InternalError(label(c.op) + " of integers is not computed in real numbers");
  return real_lstm(op, {.shape = c.shape(0),
                        .x = *c.inputs[0],
                        .state = *c.inputs[1],
                        .weights = *c.inputs[2],
                        .recurrent = *c.inputs[3],
                        .biases = *c.inputs[4]});
}

ValueRanges bounds_of(const Lstm&, const BoundsContext& c) { return any_value(c.output()); }

}  // namespace thimble::reference
