// SPDX-License-Identifier: Apache-2.0
#include "float_recurrent.h"

namespace thimble::runtime {

void gru_f32(const FloatRecurrentParams& p, const View& x, const View& state, const View& out,
             const Region& region) noexcept {
  for_each_time(p, x, state, out, region, [&](const RecurrentStep& step) {
    for (int32_t unit = 0; unit < p.units; ++unit) {
      float sums[3] = {}, recurrent[3] = {};
      add_input_products<3>(sums, p, step.values, unit, 0);
      add_hidden_products<3>(recurrent, p, step.hidden, unit, 0);
      const float* const biases = p.biases + unit;
      const float update = logistic_of_gate(gate_sum(sums[0], biases[0], recurrent[0]));
      const float reset = logistic_of_gate(gate_sum(sums[1], biases[p.units], recurrent[1]));
      const float of_input = within_floats(sums[2] + biases[2 * p.units]);
      const float of_hidden = within_floats(recurrent[2] + biases[3 * p.units]);
      const float candidate = tanh_of_gate(within_floats(of_input + reset * of_hidden));
      step.next[unit * step.next_step] =
          updated(update, candidate, step.hidden.data[unit * step.hidden.step]);
    }
  });
}

}  // namespace thimble::runtime
