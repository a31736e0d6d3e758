// SPDX-License-Identifier: Apache-2.0
#include "../portable/lstm.h"
#include "row_products.h"

namespace thimble::runtime {

void lstm_mve(const LstmParams& p, const View& x, const View& state, const View& out,
              const Region& region) noexcept {
  lstm_in_fours(p, x, state, out, region, add_four_rows);
}

}  // namespace thimble::runtime
