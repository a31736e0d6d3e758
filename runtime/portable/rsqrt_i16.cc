// SPDX-License-Identifier: Apache-2.0
#include "reciprocal_root.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void rsqrt_i16(const RsqrtParams& p, const View& x, const View& out,
               const Region& region) noexcept {
  constexpr int32_t kFractionBits = 20;  // of a root
  const RsqrtParams q = p;               // a copy that stores cannot alias
  map_elements<int16_t, int16_t>(x, out, region, [&](int16_t value) -> int16_t {
    if (value <= 0) return 32767;
    const Scale root = one_over_root(value);
    const int32_t fixed = requantise(1, root.multiplier, root.shift + kFractionBits);
    return static_cast<int16_t>(
        limit(requantise(fixed, q.scale.multiplier, q.scale.shift), -32768, 32767));
  });
}

}  // namespace thimble::runtime
