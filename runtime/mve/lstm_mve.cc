// SPDX-License-Identifier: Apache-2.0
#include "../portable/lstm.h"
#include "row_products.h"

namespace thimble::runtime {

void lstm_mve(const LstmParams& p, const View& x, const View& state, const View& out,
              const Region& region) noexcept {
  lstm_with(p, x, state, out, region,
            [](uint32_t(&sums)[kGates], const ByteRow<const int8_t>& values, const int8_t* weights,
               int32_t between, int32_t count) noexcept {
              if (values.step == 1) {
                add_four_rows(sums, values.data, 0, weights, between, count);
              } else {
                add_gate_products(sums, values, weights, between, count);
              }
            });
}

}  // namespace thimble::runtime
