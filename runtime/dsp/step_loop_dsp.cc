// SPDX-License-Identifier: Apache-2.0
#include "row_products.h"
#include "step_functions.h"

namespace thimble::runtime {

void step_loop_dsp(const StepLoopParams& p, const View& x, const View& state, const View& out,
                   const Region& region, int8_t* scratch) noexcept {
  step_loop_with<StepsInFours<add_four_rows>>(p, x, state, out, region, scratch);
}

}  // namespace thimble::runtime
