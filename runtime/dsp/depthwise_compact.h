// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions whose constants are in 8 bits: unpacked into scratch before the blocks of
// depthwise_dsp.h read them.
#pragma once

#include "depthwise_dsp.h"

namespace thimble::runtime {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "weights are bytes of words");

inline int32_t pair_of_halves(int32_t low, int32_t high) noexcept {
  return static_cast<int32_t>(static_cast<uint16_t>(low) | static_cast<uint32_t>(high) << 16);
}

/// The words of weights that a channel has in a form, of weights times `times`.
[[gnu::noinline]] inline void unpack_depthwise_weights(const Window2D& w, const int8_t* weights,
                                                       int32_t times, int32_t form,
                                                       int32_t* to) noexcept {
  const int32_t width = w.kernel_w;
  if (is_depthwise_3x3(w)) {
    for (const int32_t* const end = to + 6; to != end; to += 2, weights += 3) {
      const int32_t middle = weights[1] * times;
      to[0] = pair_of_halves(weights[0] * times, middle);
      to[1] = pair_of_halves(middle, weights[2] * times);
    }
    return;
  }
  const int32_t pairs = depthwise_window_pairs(w);
  to[depthwise_weight_words(w) - 1] = 0;
  for (int32_t y = 0; y < w.kernel_h; ++y, weights += width, ++to) {
    const auto at = [&](int32_t column) noexcept {
      return column >= 0 && column < width ? weights[column] * times : 0;
    };
    for (int32_t k = 0; k < pairs; ++k)
      to[k * w.kernel_h] = pair_of_halves(at(2 * k - form), at(2 * k - form + 1));
  }
}

/// The constants of channels [begin, end), as [form][channel][words].
template <class Tail>
void unpack_depthwise(const DepthwiseConv2DPackedParams& p, int32_t begin, int32_t end,
                      int32_t* to) noexcept {
  const Window2D& w = p.window;
  const int32_t weight_words = depthwise_weight_words(w);
  const int32_t compact_words = depthwise_compact_words(w);
  for (int32_t form = 0; form < depthwise_forms(w); ++form) {
    const int32_t* from = p.constants + 1 + begin * compact_words;
    for (int32_t o = begin; o < end; ++o, from += compact_words) {
      const auto* const weights = reinterpret_cast<const int8_t*>(from + 2);
      const int32_t right = weights[w.kernel_h * w.kernel_w];
      const int32_t doublings = Tail::doublings(right);
      *to++ = static_cast<int32_t>(static_cast<uint32_t>(from[0]) << doublings);
      unpack_depthwise_weights(w, weights, 1 << doublings, form, to);
      to += weight_words;
      Tail::constants(right, from[1], p.constants[0], to);
      to += Tail::kConstants;
    }
  }
}

/// A tail, and how its constants are unpacked.
struct DepthwiseCompactTail {
  const DepthwiseTailInfo& tail;
  void (*unpack)(const DepthwiseConv2DPackedParams& p, int32_t begin, int32_t end,
                 int32_t* to) noexcept;
};
template <class Tail>
constexpr DepthwiseCompactTail kDepthwiseCompactTail{kDepthwiseTail<Tail>, unpack_depthwise<Tail>};

/// The region's channels, `most` at a time.
[[gnu::cold, gnu::noinline]] inline void convolve_unpacked(const DepthwiseConv2DPackedParams& p,
                                                           const View& x, const View& out,
                                                           const Region& region, int8_t* scratch,
                                                           const DepthwiseCompactTail& its,
                                                           int32_t most) noexcept {
  Region part = region;
  do {
    const int32_t left = region.end[3] - part.begin[3];
    const int32_t count = left < most ? left : most;
    part.end[3] = part.begin[3] + count;
    auto* const constants = reinterpret_cast<int32_t*>(scratch);
    its.unpack(p, part.begin[3], part.end[3], constants);
    const int32_t bytes = count * depthwise_unpacked_bytes(p.window);
    DepthwiseConvolution(p, {constants, part.begin[3], count}, x, out, part, scratch + bytes,
                         p.scratch_bytes - bytes, its.tail, false)
        .run();
    part.begin[3] = part.end[3];
  } while (part.end[3] != region.end[3]);
}

/// Where few channels go at a time and an output may lie over inputs that others still want, all go
/// in strips of a row, or pixel by pixel.
[[gnu::cold, gnu::noinline]] inline void convolve_compact(
    const DepthwiseConv2DPackedParams& p, const View& x, const View& out, const Region& region,
    int8_t* scratch, const DepthwiseCompactTail& its) noexcept {
  if (is_empty(region)) return;  // before anything is packed
  const Window2D& w = p.window;
  const int32_t channels = region.end[3] - region.begin[3];
  const int32_t each = depthwise_unpacked_bytes(w);
  const int32_t fours = depthwise_fours(w, p.scratch_bytes, region.end[2] - region.begin[2],
                                        region.end[1] - region.begin[1], each);
  const int32_t most = p.multiplier != 1 ? channels : fours == 0 ? 4 : 4 * fours;
  if (most >= channels || is_apart(w, x, out, region))
    return convolve_unpacked(p, x, out, region, scratch, its, most);
  if (depthwise_scratch_bytes(w, channels, 1, w.kernel_h) + channels * each <= p.scratch_bytes)
    return convolve_unpacked(p, x, out, region, scratch, its, channels);
  each_pixel(region, [&](const Region& one) noexcept {
    convolve_unpacked(p, x, out, one, scratch, its, 4);
  });
}

/// The kernels.
inline void convolve_depthwise_compact(const DepthwiseConv2DPackedParams& p, const View& x,
                                       const View& out, const Region& region, int8_t* scratch,
                                       const DepthwiseCompactTail& its) noexcept {
  with_straight_views<convolve_compact, DepthwiseConv2DPackedParams, int8_t*,
                      const DepthwiseCompactTail&>(p, x, out, region, scratch, its);
}

}  // namespace thimble::runtime
