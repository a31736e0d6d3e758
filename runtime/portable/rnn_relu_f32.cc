// SPDX-License-Identifier: Apache-2.0
#include "float_recurrent.h"

namespace thimble::runtime {

void rnn_relu_f32(const FloatRecurrentParams& p, const View& x, const View& state, const View& out,
                  const Region& region) noexcept {
  rnn(p, x, state, out, region, [](float sum) noexcept { return sum > 0 ? sum : 0; });
}

}  // namespace thimble::runtime
