// SPDX-License-Identifier: Apache-2.0
// Recurrent layers in float32 whose only state is the hidden one: RNN and GRU.
#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/gates.h"
#include "thimble/reference/real_of.h"
#include "thimble_runtime/real_functions.h"

namespace thimble::reference {
namespace {

enum Gate : size_t { kUpdateGate, kResetGate, kCandidate };

/// A layer's constants by their gates.
struct RealCell {
  Cell cell;
  size_t units;
  const RealValues &weights, &recurrent;
  RealValues biases;         ///< of products with x
  RealValues hidden_biases;  ///< of those with the hidden state

  RealCell(const Recurrent& op, const RealContext& c)
      : cell(op.cell),
        units(static_cast<size_t>(c.shape(1)[1])),
        weights(*c.inputs[2]),
        recurrent(*c.inputs[3]),
        biases(*c.inputs[4]),
        hidden_biases(static_cast<size_t>(gates_of(op.cell)) * units) {
    const auto own = biases.begin() + std::ssize(hidden_biases);
    std::copy(own, biases.end(), hidden_biases.end() - (biases.end() - own));
    biases.erase(own, biases.end());
  }
};

float sum_of(float a, float b) {
  RealValues sum{a + b};
  apply(Activation::kNone, sum);
  return sum[0];
}

RealValues next_of_rnn(const RealCell& c, const RealValues& x, const RealValues& hidden) {
  RealValues next = gate_layer(x, c.weights, &c.biases);
  const RealValues of_hidden = gate_layer(hidden, c.recurrent, &c.hidden_biases);
  for (size_t unit = 0; unit < c.units; ++unit) {
    const float sum = sum_of(next[unit], of_hidden[unit]);
    next[unit] = c.cell == Cell::kTanh ? runtime::real::tanh(sum) : sum > 0 ? sum : 0.0F;
  }
  return next;
}

RealValues next_of_gru(const RealCell& c, const RealValues& x, const RealValues& hidden) {
  const RealValues of_x = gate_layer(x, c.weights, &c.biases);
  const RealValues of_hidden = gate_layer(hidden, c.recurrent, &c.hidden_biases);
  const auto gate = [&](Gate g, size_t unit) {
    const size_t k = g * c.units + unit;
    return runtime::real::logistic(sum_of(of_x[k], of_hidden[k]));
  };
  RealValues reset = hidden;
  for (size_t unit = 0; unit < c.units; ++unit) reset[unit] *= gate(kResetGate, unit);
  const RealValues of_reset = gate_layer(reset, c.recurrent, &c.hidden_biases);
  RealValues next(c.units);
  for (size_t unit = 0; unit < c.units; ++unit) {
    const size_t k = kCandidate * c.units + unit;
    const float recurrent =
        c.cell == Cell::kGru ? gate(kResetGate, unit) * of_hidden[k] : of_reset[k];
    const float update = gate(kUpdateGate, unit);
    next[unit] =
        (1 - update) * runtime::real::tanh(sum_of(of_x[k], recurrent)) + update * hidden[unit];
  }
  return next;
}

}  // namespace

std::vector<Bytes> evaluate(const Recurrent&, const OpContext&) {
  throw InternalError("recurrent layers are computed in float32");
}

RealValues real_of(const Recurrent& op, const RealContext& c) {
  const RealCell cell(op, c);
  const auto times = static_cast<size_t>(c.shape(0)[1]),
             inputs = static_cast<size_t>(c.shape(0)[2]);
  const auto row = [](const RealValues& rows, size_t number, size_t width) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(number * width);
    return RealValues(begin, begin + static_cast<std::ptrdiff_t>(width));
  };
  RealValues result(static_cast<size_t>(elements(c.output_shape())));
  for (size_t batch = 0; batch < static_cast<size_t>(c.shape(0)[0]); ++batch) {
    RealValues hidden = row(*c.inputs[1], batch, cell.units);
    for (size_t step = 0; step < times; ++step) {
      const size_t number = batch * times + (op.reverse ? times - 1 - step : step);
      const RealValues x = row(*c.inputs[0], number, inputs);
      hidden = gates_of(op.cell) == 1 ? next_of_rnn(cell, x, hidden) : next_of_gru(cell, x, hidden);
      std::ranges::copy(hidden, result.begin() + static_cast<std::ptrdiff_t>(number * cell.units));
    }
  }
  return result;
}

ValueRanges bounds_of(const Recurrent&, const BoundsContext&) { return {}; }

}  // namespace thimble::reference
