// SPDX-License-Identifier: Apache-2.0
#include "float_recurrent.h"

namespace thimble::runtime {

void gru_reset_before_f32(const FloatRecurrentParams& p, const View& x, const View& state,
                          const View& out, const Region& region, int8_t* scratch) noexcept {
  float* const scaled = reinterpret_cast<float*>(scratch);
  for_each_time(p, x, state, out, region, [&](const RecurrentStep& step) {
    const auto before = [&](int32_t unit) { return step.hidden.data[unit * step.hidden.step]; };
    for (int32_t unit = 0; unit < p.units; ++unit) {
      float sums[1] = {}, recurrent[1] = {};
      add_input_products<1>(sums, p, step.values, unit, 1);
      add_hidden_products<1>(recurrent, p, step.hidden, unit, 1);
      const float sum = gate_sum(sums[0], p.biases[p.units + unit], recurrent[0]);
      scaled[unit] = logistic_of_gate(sum) * before(unit);
    }
    for (int32_t unit = 0; unit < p.units; ++unit) {
      float sums[2] = {}, of_hidden[1] = {}, of_scaled[1] = {};
      add_input_products<2>(sums, p, step.values, unit, 0, 2);
      add_hidden_products<1>(of_hidden, p, step.hidden, unit, 0);
      add_hidden_products<1>(of_scaled, p, {scaled, 1}, unit, 2);
      const float update = logistic_of_gate(gate_sum(sums[0], p.biases[unit], of_hidden[0]));
      const float candidate =
          tanh_of_gate(gate_sum(sums[1], p.biases[2 * p.units + unit], of_scaled[0]));
      step.next[unit * step.next_step] = updated(update, candidate, before(unit));
    }
  });
}

}  // namespace thimble::runtime
