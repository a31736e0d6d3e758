// SPDX-License-Identifier: Apache-2.0
// Two pixels times two output channels at a time: every pair of weights meets two pixels, every
// pair of inputs two channels. Inputs are widened once for all channels, weights as they come.
#include "../portable/store_channels.h"
#include "simd32.h"
#include "thimble_runtime/kernels.h"

namespace thimble::runtime {
namespace {

/// The inputs of two pixels; of a row's last one alone, twice.
struct PixelPair {
  const int8_t* x[2];
  int8_t* out[2];
  int32_t count;
};

struct PairSums {
  int32_t sum[2][2];  ///< [output channel][pixel]
};

// Of each four channels: those of both pixels that are even, and odd, in turn.
void widen_pair(const PixelPair& pair, int32_t fours, uint32_t* to) noexcept {
  const int8_t* a = pair.x[0];
  const int8_t* b = pair.x[1];
  for (const uint32_t* const end = to + 4 * fours; to != end; to += 4, a += 4, b += 4) {
    const uint32_t first = load_4(a);
    const uint32_t second = load_4(b);
    to[0] = even_bytes(first);
    to[1] = odd_bytes(first);
    to[2] = even_bytes(second);
    to[3] = odd_bytes(second);
  }
}

// w: of the first of two output channels, the second's `pitch` behind. Not inlined: the loop needs
// all registers.
[[gnu::noinline]] void add_pairs(PairSums& sums, const uint32_t* x, int32_t fours, const int8_t* w,
                                 int32_t pitch) noexcept {
  int32_t a0 = sums.sum[0][0];
  int32_t b0 = sums.sum[0][1];
  int32_t a1 = sums.sum[1][0];
  int32_t b1 = sums.sum[1][1];
  for (const uint32_t* const end = x + 4 * fours; x != end; x += 4, w += 4) {
    const uint32_t first = load_4(w);
    const uint32_t second = load_4(w + pitch);
    const uint32_t even0 = even_bytes(first);
    const uint32_t odd0 = odd_bytes(first);
    const uint32_t even1 = even_bytes(second);
    const uint32_t odd1 = odd_bytes(second);
    a0 = dual_multiply_add(x[0], even0, a0);
    a1 = dual_multiply_add(x[0], even1, a1);
    a0 = dual_multiply_add(x[1], odd0, a0);
    a1 = dual_multiply_add(x[1], odd1, a1);
    b0 = dual_multiply_add(x[2], even0, b0);
    b1 = dual_multiply_add(x[2], even1, b1);
    b0 = dual_multiply_add(x[3], odd0, b0);
    b1 = dual_multiply_add(x[3], odd1, b1);
  }
  sums = {{{a0, b0}, {a1, b1}}};
}

// What is left of the input channels behind the last four.
void add_rest(PairSums& sums, const PixelPair& pair, int32_t begin, int32_t end, const int8_t* w,
              int32_t pitch) noexcept {
  for (int32_t k = begin; k < end; ++k) {
    for (int32_t channel = 0; channel < 2; ++channel) {
      for (int32_t i = 0; i < 2; ++i) sums.sum[channel][i] += pair.x[i][k] * w[channel * pitch + k];
    }
  }
}

void convolve_pair(const Conv2DParams& p, const PixelPair& pair, int32_t out_step,
                   const Region& region, uint32_t* scratch) noexcept {
  const int32_t depth = p.in_per_group;
  const int32_t fours = depth / 4;
  widen_pair(pair, fours, scratch);
  for (int32_t o = region.begin[3]; o < region.end[3]; o += 2) {
    const int32_t channels = region.end[3] - o < 2 ? 1 : 2;
    const int32_t pitch = channels == 2 ? depth : 0;  // a last one alone is computed twice
    const int8_t* const w = p.weights + o * depth;
    const int32_t second = p.bias[o + channels - 1];
    PairSums sums{{{p.bias[o], p.bias[o]}, {second, second}}};
    add_pairs(sums, scratch, fours, w, pitch);
    if (fours * 4 != depth) add_rest(sums, pair, fours * 4, depth, w, pitch);
    for (int32_t i = 0; i < pair.count; ++i) {
      const int32_t done[2] = {sums.sum[0][i], sums.sum[1][i]};
      store_channels(p, done, o, channels, pair.out[i] + o * out_step, out_step);
    }
  }
}

}  // namespace

void conv_2d_1x1_dsp(const Conv2DParams& p, const View& x, const View& out, const Region& region,
                     int8_t* scratch) noexcept {
  if (region.begin[3] == region.end[3]) return;  // before anything is widened
  auto* const words = reinterpret_cast<uint32_t*>(scratch);
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      for (int32_t column = region.begin[2]; column < region.end[2]; column += 2) {
        PixelPair pair{};
        pair.count = region.end[2] - column < 2 ? 1 : 2;
        for (int32_t i = 0; i < 2; ++i) {
          const int32_t at = i < pair.count ? column + i : column;
          pair.x[i] = pixel<const int8_t>(x, n, y * p.window.stride_h, at * p.window.stride_w);
          pair.out[i] = pixel<int8_t>(out, n, y, at);
        }
        convolve_pair(p, pair, out.stride[3], region, words);
      }
    }
  }
}

}  // namespace thimble::runtime
