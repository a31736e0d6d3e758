// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.h"
#include "thimble_runtime/kernels.h"
#include "walk.h"

namespace thimble::runtime {
namespace {

/// A row of x without its zero point, times columns of y; `y_step`: from k to k + 1.
struct Row {
  const int8_t* x;
  int32_t step, zero_point, depth;

  int32_t sum() const noexcept {
    int32_t result = 0;
    const int8_t* a = x;
    for (int32_t k = 0; k < depth; ++k, a += step) result += *a - zero_point;
    return result;
  }

  int32_t times(const int8_t* y, int32_t y_step) const noexcept {
    int32_t result = 0;
    const int8_t* a = x;
    for (int32_t k = 0; k < depth; ++k, a += step, y += y_step) result += (*a - zero_point) * *y;
    return result;
  }

  /// Four columns at a time read the row once. Not inlined: the loop needs all the registers of the
  /// smaller cores.
  [[gnu::noinline]] void times_four(const int8_t* const (&y)[4], int32_t y_step,
                                    int32_t (&sums)[4]) const noexcept {
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    const int8_t* a = x;
    int32_t at = 0;
    for (int32_t k = 0; k < depth; ++k, a += step, at += y_step) {
      const int32_t value = *a - zero_point;
      s0 += value * y[0][at];
      s1 += value * y[1][at];
      s2 += value * y[2][at];
      s3 += value * y[3][at];
    }
    sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
  }
};

}  // namespace

void batch_matmul(const BatchMatMulParams& p, const View& x, const View& y, const View& out,
                  const Region& region) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before a row of x is summed
  const BatchMatMulParams q = p;                 // a copy that stores of int8 cannot alias
  const int32_t y_step = y.stride[3];
  for_each_pixel(region, [&](int32_t n, int32_t h, int32_t m) {
    const Row row{pixel<const int8_t>(x, n, h, m), x.stride[3], q.zero_point[0], q.depth};
    const int32_t base = -q.zero_point[1] * row.sum();
    auto* to = pixel<int8_t>(out, n, h, m) + region.begin[3] * out.stride[3];
    const auto column = [&](int32_t o) { return pixel<const int8_t>(y, n, h, o); };
    const auto store = [&](int32_t sum) {
      const int32_t scaled = requantise(sum + base, q.scale.multiplier, q.scale.shift);
      *to = static_cast<int8_t>(limit(scaled + q.output_zero_point, -128, 127));
      to += out.stride[3];
    };
    int32_t o = region.begin[3];
    for (; o + 4 <= region.end[3]; o += 4) {
      const int8_t* const columns[4] = {column(o), column(o + 1), column(o + 2), column(o + 3)};
      int32_t sums[4];
      row.times_four(columns, y_step, sums);
      for (const int32_t sum : sums) store(sum);
    }
    for (; o < region.end[3]; ++o) store(row.times(column(o), y_step));
  });
}

}  // namespace thimble::runtime
