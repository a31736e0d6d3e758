// SPDX-License-Identifier: Apache-2.0
// The operand of the larger scale is only halved: 2^20 times it, by a half, is 2^19 times it.
#include "../portable/scaled_pair.h"
#include "../portable/side_by_side.h"
#include "element_runs.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {

void add_mve(const AddParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept {
  const int32_t halved = p.scale[0].shift == 0 ? 0 : 1;
  const Scale& other = p.scale[1 - halved];
  SumRun run{nullptr,
             nullptr,
             nullptr,
             0,
             p.zero_point[1 - halved],
             {other.multiplier, other.shift},
             p.zero_point[halved] * -(1 << 19),
             {p.output_scale.multiplier, p.output_scale.shift},
             p.output_zero_point,
             p.clamp_min,
             p.clamp_max};
  const auto visit = [&](const int8_t* x, const int8_t* y, int8_t* to, int32_t count) {
    run.x = x;
    run.y = y;
    run.to = to;
    run.count = count;
    add_run(run);
  };
  if (!each_run(halved == 0 ? a : b, halved == 0 ? b : a, out, region, visit))
    map_scaled_pairs(p, a, b, out, region, [](int32_t x, int32_t y) { return x + y; });
}

}  // namespace thimble::runtime
