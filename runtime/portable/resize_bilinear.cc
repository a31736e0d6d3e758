// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
namespace {

/// Between the elements `first` and `last`: `fraction` of last and the rest of first, in 1/1024.
/// One element where there is no fraction: the next may not be there.
struct Between {
  int32_t first, last, fraction;
};

Between between(const LinearAxis& axis, int32_t index) noexcept {
  const int32_t at = index * axis.step + axis.offset;
  const int32_t first = at < 0 ? 0 : at / 1024;
  const int32_t fraction = at - first * 1024;
  if (fraction <= 0 || first + 1 >= axis.in_extent) return {first, first, 0};
  return {first, first + 1, fraction};
}

}  // namespace

void resize_bilinear(const ResizeBilinearParams& p, const View& x, const View& out,
                     const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  for_each_pixel(region, [&](int32_t n, int32_t row, int32_t column) {
    const Between rows = between(p.rows, row);
    const Between columns = between(p.columns, column);
    const auto from = [&](int32_t y, int32_t z) {
      return first_channel<const int8_t>(x, region, n, y, z);
    };
    const int8_t* corners[4] = {from(rows.first, columns.first), from(rows.first, columns.last),
                                from(rows.last, columns.first), from(rows.last, columns.last)};
    const int32_t above = 1024 - rows.fraction, left = 1024 - columns.fraction;
    const int32_t weights[4] = {above * left, above * columns.fraction, rows.fraction * left,
                                rows.fraction * columns.fraction};
    auto* to = first_channel<int8_t>(out, region, n, row, column);
    int32_t at = 0;
    for (int32_t c = 0; c < channels; ++c, at += x.stride[3], to += out.stride[3]) {
      int32_t sum = 0;
      for (int32_t k = 0; k < 4; ++k) sum += weights[k] * corners[k][at];
      *to = static_cast<int8_t>((sum + (sum > 0 ? 1 << 19 : -(1 << 19))) / (1 << 20));
    }
  });
}

}  // namespace thimble::runtime
