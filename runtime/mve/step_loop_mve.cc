// SPDX-License-Identifier: Apache-2.0
#include "../dsp/step_functions.h"
#include "row_products.h"

namespace thimble::runtime {
namespace {

struct MveStepFunctions : RoundedStepFunctions {
  static void add_products(uint32_t (&sums)[4], const int8_t* x, const int8_t* weights,
                           int32_t between, int32_t count) noexcept {
    add_four_rows(sums, x, 0, weights, between, count);
  }
};

}  // namespace

void step_loop_mve(const StepLoopParams& p, const View& x, const View& state, const View& out,
                   const Region& region, int8_t* scratch) noexcept {
  step_loop_with<MveStepFunctions>(p, x, state, out, region, scratch);
}

}  // namespace thimble::runtime
