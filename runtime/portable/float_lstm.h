// SPDX-License-Identifier: Apache-2.0
// Long short-term memory in float32, whatever its weights are made of.
#pragma once

#include "float_gates.h"

namespace thimble::runtime {

/// of_input, of_hidden: what weights of both stand for.
template <class Params, class OfInput, class OfHidden>
inline void float_lstm(const Params& p, const View& x, const View& state, const View& out,
                       const Region& region, OfInput of_input, OfHidden of_hidden) noexcept {
  constexpr int32_t kGateCount = 4;
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  for_each_pixel(region, [&](int32_t n, int32_t y, int32_t batch) {
    FloatRow hidden{pixel<const float>(state, n, y, batch), state.stride[3]};
    float* const first = pixel<float>(out, n, y, batch);
    const int32_t step = out.stride[3];
    float* const cells = first + p.times * p.units * step;
    for (int32_t unit = 0; unit < p.units; ++unit)
      cells[unit * step] = hidden.data[(p.units + unit) * hidden.step];
    for (int32_t k = 0; k < p.times; ++k) {
      const int32_t time = p.reverse != 0 ? p.times - 1 - k : k;
      const FloatRow values{pixel<const float>(x, n, batch, time), x.stride[3]};
      float* const next = first + time * p.units * step;
      for (int32_t unit = 0; unit < p.units; ++unit) {
        float sums[kGateCount] = {}, recurrent[kGateCount] = {};
        add_float_products<kGateCount>(sums, values, p.weights + unit * p.inputs,
                                       p.units * p.inputs, p.inputs, of_input);
        add_float_products<kGateCount>(recurrent, hidden, p.recurrent + unit * p.units,
                                       p.units * p.units, p.units, of_hidden);
        for (int32_t gate = 0; gate < kGateCount; ++gate) {
          const float sum = gate_sum(sums[gate], p.biases[gate * p.units + unit], recurrent[gate]);
          sums[gate] = gate == 2 ? tanh_of_gate(sum) : logistic_of_gate(sum);
        }
        float& cell = cells[unit * step];
        cell = real::limited(sums[1] * cell + sums[0] * sums[2], -p.cell_limit, p.cell_limit);
        next[unit * step] = sums[3] * tanh_of_gate(cell);
      }
      hidden = {next, step};
    }
  });
}

}  // namespace thimble::runtime
