// SPDX-License-Identifier: Apache-2.0
#include "../portable/step_loop.h"
#include "row_products.h"

namespace thimble::runtime {

void step_loop_mve(const StepLoopParams& p, const View& x, const View& state, const View& out,
                   const Region& region, int8_t* scratch) noexcept {
  step_loop_with(
      p, x, state, out, region, scratch,
      [](uint32_t(&sums)[4], const int8_t* values, const int8_t* weights, int32_t between,
         int32_t count) { add_four_rows(sums, values, 0, weights, between, count); });
}

}  // namespace thimble::runtime
