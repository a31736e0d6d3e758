// SPDX-License-Identifier: Apache-2.0
#include "lstm.h"

namespace thimble::runtime {

void lstm(const LstmParams& p, const View& x, const View& state, const View& out,
          const Region& region) noexcept {
  lstm_with(p, x, state, out, region, add_gate_products);
}

}  // namespace thimble::runtime
