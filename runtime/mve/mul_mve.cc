// SPDX-License-Identifier: Apache-2.0
#include "../portable/multiplied_pair.h"
#include "../portable/side_by_side.h"
#include "element_runs.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void mul_mve(const MulParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept {
  const auto visit = [&p](const int8_t* x, const int8_t* y, int8_t* to, int32_t count) {
    multiply_run({x,
                  y,
                  to,
                  count,
                  p.zero_point[0],
                  p.zero_point[1],
                  {p.output_scale.multiplier, p.output_scale.shift},
                  p.output_zero_point,
                  p.clamp_min,
                  p.clamp_max});
  };
  if (!each_run(a, b, out, region, visit)) map_multiplied_pairs(p, a, b, out, region);
}

}  // namespace thimble::runtime
