// SPDX-License-Identifier: Apache-2.0
#include "../portable/transpose_conv_in_fours.h"
#include "row_products.h"

namespace thimble::runtime {

void transpose_conv_mve(const UnfoldedConv2DParams& p, const View& x, const View& out,
                        const Region& region) noexcept {
  transpose_convolve_in_fours(p, x, out, region, add_four_rows);
}

}  // namespace thimble::runtime
