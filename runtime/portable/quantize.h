// SPDX-License-Identifier: Apache-2.0
// float32 -> integers, as the reference rounds.
#pragma once

#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

/// round(x), half away from zero, cut to +-2^20 (beyond every int16 and zero point); NaN gives 0.
inline int32_t round_to_int(float x) noexcept {
  constexpr float kBound = 1048576.0F;
  if (!(x > -kBound)) return x <= -kBound ? -1048576 : 0;
  if (x > kBound) return 1048576;
  const auto whole = static_cast<int32_t>(x);
  const float rest = x - static_cast<float>(whole);
  if (rest >= 0.5F) return whole + 1;
  return rest <= -0.5F ? whole - 1 : whole;
}

template <class In, class Out>
inline void quantize(const FloatParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  constexpr int32_t kMost = (1 << (8 * sizeof(Out) - 1)) - 1;
  const FloatParams q = p;  // a copy that stores of int8 cannot alias
  map_elements<In, Out>(x, out, region, [&](In value) {
    return static_cast<Out>(limit(round_to_int(value / q.scale) + q.zero_point, -kMost - 1, kMost));
  });
}

}  // namespace thimble::runtime
