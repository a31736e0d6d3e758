// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {

void resize_bilinear_f32(const FloatResizeBilinearParams& p, const View& x, const View& out,
                         const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  for_each_pixel(region, [&](int32_t n, int32_t row, int32_t column) {
    const int16_t* rows = p.rows + 2 * row;
    const int16_t* columns = p.columns + 2 * column;
    const float below = p.row_fractions[row], right = p.column_fractions[column];
    const auto from = [&](int32_t y, int32_t z) {
      return first_channel<const float>(x, region, n, y, z);
    };
    const float* corners[4] = {from(rows[0], columns[0]), from(rows[1], columns[0]),
                               from(rows[0], columns[1]), from(rows[1], columns[1])};
    auto* to = first_channel<float>(out, region, n, row, column);
    int32_t at = 0;
    for (int32_t c = 0; c < channels; ++c, at += x.stride[3], to += out.stride[3]) {
      *to = corners[0][at] * (1 - below) * (1 - right) + corners[1][at] * below * (1 - right) +
            corners[2][at] * (1 - below) * right + corners[3][at] * below * right;
    }
  });
}

}  // namespace thimble::runtime
