// SPDX-License-Identifier: Apache-2.0
#include "step_loop.h"

namespace thimble::runtime {

void step_loop(const StepLoopParams& p, const View& x, const View& state, const View& out,
               const Region& region, int8_t* scratch) noexcept {
  step_loop_with(p, x, state, out, region, scratch,
                 [](uint32_t(&sums)[kGates], const int8_t* values, const int8_t* weights,
                    int32_t between, int32_t count) {
                   add_gate_products(sums, {values, 1}, weights, between, count);
                 });
}

}  // namespace thimble::runtime
