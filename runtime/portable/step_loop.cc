// SPDX-License-Identifier: Apache-2.0
#include "step_loop.h"

namespace thimble::runtime {

void step_loop(const StepLoopParams& p, const View& x, const View& state, const View& out,
               const Region& region, int8_t* scratch) noexcept {
  step_loop_with<StepFunctions>(p, x, state, out, region, scratch);
}

}  // namespace thimble::runtime
