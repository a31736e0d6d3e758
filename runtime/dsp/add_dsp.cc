// SPDX-License-Identifier: Apache-2.0
// The operand of the larger scale is only halved, so that what is left of two requantisations is
// one; its product and that of the sum take their rounding along (fixed_point.h).
#include "../portable/fixed_point.h"
#include "../portable/walk.h"
#include "simd32.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

constexpr int32_t kShift = 20;  // AddParams::left_shift

// requantise() with a right shift, of a value times 2^(1 + left shift).
struct Rounded {
  int32_t multiplier, shift, constant;

  [[nodiscard]] int32_t of(int32_t twice) const noexcept {
    return add_rounded_high(twice, multiplier, constant + (twice >> 31)) >> shift;
  }
};

Rounded rounded(const Scale& scale, int32_t zero_point) noexcept {
  const int32_t shift = -scale.shift;
  return {scale.multiplier, shift, (1 << (shift - 1)) + zero_point * (1 << shift)};
}

// kHalves: both operands are.
template <bool kHalves>
struct Sum {
  Rounded other, out;
  int32_t zero_points;  // of the halved, times 2^20
  int32_t other_zero_point;
  int32_t low, high;

  [[nodiscard]] int8_t of(int32_t halved, int32_t x) const noexcept {
    int32_t twice;
    if constexpr (kHalves) {
      twice = (halved + x) * (1 << kShift) - zero_points;
    } else {
      const int32_t scaled = other.of((x - other_zero_point) * (1 << (kShift + 1)));
      twice = halved * (1 << kShift) + (2 * scaled - zero_points);
    }
    return static_cast<int8_t>(limit(saturate_8(out.of(twice)), low, high));
  }
};

// Element by element, as map_pairs goes; side by side as fast as can be.
template <class Add>
void add_views(const Add& add, const View& halved, const View& x, const View& out,
               const Region& region) noexcept {
  const int32_t channels = region.end[3] - region.begin[3];
  const bool even = even_row(halved, channels) && even_row(x, channels) && even_row(out, channels);
  const bool side_by_side = halved.stride[3] == 1 && x.stride[3] == 1 && out.stride[3] == 1;
  if (!side_by_side || (even && channels == 1)) {
    return map_pairs(halved, x, out, region, [&add](int32_t a, int32_t b) { return add.of(a, b); });
  }
  const Region walked = even ? rows_as_pixels(region) : region;
  const int32_t count = walked.end[3] - walked.begin[3];
  for_each_pixel(walked, [&](int32_t n, int32_t y, int32_t column) {
    const auto* a = first_channel<const int8_t>(halved, walked, n, y, column);
    const auto* b = first_channel<const int8_t>(x, walked, n, y, column);
    auto* to = first_channel<int8_t>(out, walked, n, y, column);
    const Add local = add;  // stores of int8 cannot alias it
    for (const int8_t* const end = a + count; a != end; ++a, ++b, ++to) *to = local.of(*a, *b);
  });
}

bool is_half(const Scale& scale) noexcept {
  return scale.shift == 0 && scale.multiplier == 1 << 30;
}

}  // namespace

void add_dsp(const AddParams& p, const View& a, const View& b, const View& out,
             const Region& region) noexcept {
  const bool first = is_half(p.scale[0]);
  const View& halved = first ? a : b;
  const View& x = first ? b : a;
  const int32_t other = first ? 1 : 0;
  const Rounded finish = rounded(p.output_scale, p.output_zero_point);
  int32_t zero_points = p.zero_point[1 - other] * (1 << kShift);
  if (is_half(p.scale[other])) {
    zero_points += p.zero_point[other] * (1 << kShift);
    add_views(Sum<true>{{}, finish, zero_points, 0, p.clamp_min, p.clamp_max}, halved, x, out,
              region);
  } else {
    add_views(Sum<false>{rounded(p.scale[other], 0), finish, zero_points, p.zero_point[other],
                         p.clamp_min, p.clamp_max},
              halved, x, out, region);
  }
}

}  // namespace thimble::runtime
