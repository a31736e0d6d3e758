// SPDX-License-Identifier: Apache-2.0
#include "float_lstm.h"

namespace thimble::runtime {

void lstm_f32(const FloatLstmParams& p, const View& x, const View& state, const View& out,
              const Region& region) noexcept {
  float_lstm(p, x, state, out, region, as_it_is, as_it_is);
}

}  // namespace thimble::runtime
