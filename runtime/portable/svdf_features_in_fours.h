// SPDX-License-Identifier: Apache-2.0
// The newest column of the state of SVDF, four filters at a time.
#pragma once

#include "svdf_features.h"

namespace thimble::runtime {

/// add_rows: as of transpose_conv_in_fours.h.
template <class Out, class AddRows>
inline void svdf_features_in_fours(const SvdfFeaturesParams& p, const View& x, const View& out,
                                   const Region& region, AddRows add_rows) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is read
  const SvdfFeaturesParams q = p;                // a copy that stores of int8 cannot alias
  const int32_t most = sizeof(Out) == 1 ? 127 : 32767;
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t batch = region.begin[1]; batch < region.end[1]; ++batch) {
      for (int32_t filter = region.begin[2]; filter < region.end[2];) {
        const auto* const values = pixel<const int8_t>(x, n, batch, 0);
        const int8_t* const weights = q.weights + filter * q.depth;
        const int32_t filters = region.end[2] - filter < 4 ? 1 : 4;
        uint32_t sums[4] = {0, 0, 0, 0};
        if (filters == 4) {
          add_rows(sums, values, -q.input_zero_point, weights, q.depth, q.depth);
        } else {
          sums[0] = add_products(0, values, 1, q.input_zero_point, weights, 1, q.depth);
        }
        for (int32_t k = 0; k < filters; ++k, ++filter) {
          const int32_t scaled =
              requantise(static_cast<int32_t>(sums[k]), q.scale.multiplier, q.scale.shift);
          *first_channel<Out>(out, region, n, batch, filter) =
              static_cast<Out>(limit(scaled, -most - 1, most) + q.output_zero_point);
        }
      }
    }
  }
}

}  // namespace thimble::runtime
