// SPDX-License-Identifier: Apache-2.0
// Layers in float32 whose only state is the hidden one: the loop over time, and two of its bodies.
#pragma once

#include "float_gates.h"

namespace thimble::runtime {

/// One time: all units make the next hidden state of the values and the one before.
struct RecurrentStep {
  FloatRow values, hidden;
  float* next;
  int32_t next_step;
};

/// step(RecurrentStep) for each time of each sequence.
template <class Step>
inline void for_each_time(const FloatRecurrentParams& p, const View& x, const View& state,
                          const View& out, const Region& region, Step step) noexcept {
  if (region.begin[2] == region.end[2] || region.begin[3] == region.end[3]) return;
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t batch = region.begin[1]; batch < region.end[1]; ++batch) {
      FloatRow hidden{pixel<const float>(state, n, 0, batch), state.stride[3]};
      for (int32_t k = 0; k < p.times; ++k) {
        const int32_t time = p.reverse != 0 ? p.times - 1 - k : k;
        float* const next = pixel<float>(out, n, batch, time);
        step(RecurrentStep{
            {pixel<const float>(x, n, batch, time), x.stride[3]}, hidden, next, out.stride[3]});
        hidden = {next, out.stride[3]};
      }
    }
  }
}

/// Products of a unit's weights for inputs, of `kGateCount` gates from `gate` on, `apart` gates
/// from one to the next.
template <int32_t kGateCount>
inline void add_input_products(float* sums, const FloatRecurrentParams& p, const FloatRow& values,
                               int32_t unit, int32_t gate, int32_t apart = 1) noexcept {
  add_float_products<kGateCount>(sums, values, p.weights + (gate * p.units + unit) * p.inputs,
                                 apart * p.units * p.inputs, p.inputs, as_it_is);
}

/// Those for hidden states, in the same order.
template <int32_t kGateCount>
inline void add_hidden_products(float* sums, const FloatRecurrentParams& p, const FloatRow& hidden,
                                int32_t unit, int32_t gate) noexcept {
  add_float_products<kGateCount>(sums, hidden, p.recurrent + (gate * p.units + unit) * p.units,
                                 p.units * p.units, p.units, as_it_is);
}

/// One gate, whose function makes the hidden state.
template <class Function>
inline void rnn(const FloatRecurrentParams& p, const View& x, const View& state, const View& out,
                const Region& region, Function function) noexcept {
  for_each_time(p, x, state, out, region, [&](const RecurrentStep& step) {
    for (int32_t unit = 0; unit < p.units; ++unit) {
      float sums[1] = {}, recurrent[1] = {};
      add_input_products<1>(sums, p, step.values, unit, 0);
      add_hidden_products<1>(recurrent, p, step.hidden, unit, 0);
      step.next[unit * step.next_step] = function(gate_sum(sums[0], p.biases[unit], recurrent[0]));
    }
  });
}

/// Between a candidate and what was there before.
inline float updated(float update, float candidate, float before) noexcept {
  return (1 - update) * candidate + update * before;
}

}  // namespace thimble::runtime
