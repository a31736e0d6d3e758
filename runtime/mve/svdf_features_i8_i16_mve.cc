// SPDX-License-Identifier: Apache-2.0
#include "../portable/svdf_features_in_fours.h"
#include "row_products.h"

namespace thimble::runtime {

void svdf_features_i8_i16_mve(const SvdfFeaturesParams& p, const View& x, const View& out,
                              const Region& region) noexcept {
  svdf_features_in_fours<int16_t>(p, x, out, region, add_four_rows);
}

}  // namespace thimble::runtime
