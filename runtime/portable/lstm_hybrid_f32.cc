// SPDX-License-Identifier: Apache-2.0
#include "float_lstm.h"

namespace thimble::runtime {

void lstm_hybrid_f32(const HybridLstmParams& p, const View& x, const View& state, const View& out,
                     const Region& region) noexcept {
  float_lstm(
      p, x, state, out, region,
      [&p](int32_t gate, int8_t weight) {
        return p.input_scale[gate] * static_cast<float>(weight - p.zero_point[0]);
      },
      [&p](int32_t gate, int8_t weight) {
        return p.recurrent_scale[gate] * static_cast<float>(weight - p.zero_point[1]);
      });
}

}  // namespace thimble::runtime
