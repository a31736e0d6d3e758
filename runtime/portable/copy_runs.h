// SPDX-License-Identifier: Apache-2.0
// Copies: runs of elements that follow one another in both views are moved in words.
//
// Bytes go in ascending order; those of a block are read before any of them is written. So a copy
// that loses nothing element by element, each read before it is written, loses nothing here either:
// what a block reads early is read before more is written, not less.
#pragma once

#include "thimble_runtime/uses.h"
#include "walk.h"

namespace thimble::runtime {

constexpr int32_t kBlockBytes = 16, kWordBytes = 4;
constexpr int32_t kLeastRun = 2 * kWordBytes;  // bytes; fewer go one by one

/// Four words at an address that four divides.
struct __attribute__((may_alias)) Block {
  uint32_t words[4];
};
/// A word at any address.
struct __attribute__((packed, may_alias)) LooseWord {
  uint32_t value;
};

inline void copy_block(const Block* from, Block* to) noexcept {
  const Block block = *from;
  *to = block;
}

inline void copy_block(const LooseWord* from, LooseWord* to) noexcept {
  const uint32_t a = from[0].value, b = from[1].value, c = from[2].value, d = from[3].value;
  to[0].value = a;
  to[1].value = b;
  to[2].value = c;
  to[3].value = d;
}

/// `count` runs of `bytes` bytes, from one to the next as many bytes as the steps say.
struct EvenRuns {
  int32_t bytes, count;
  int32_t in_step, out_step;
};

template <class Piece>
inline void copy_runs(const uint8_t* from, uint8_t* to, EvenRuns runs) noexcept {
  const int32_t in_blocks = runs.bytes & -kBlockBytes;
  for (int32_t left = runs.count; left != 0; --left, from += runs.in_step, to += runs.out_step) {
    int32_t i = 0;
    for (; i != in_blocks; i += kBlockBytes)
      copy_block(reinterpret_cast<const Piece*>(from + i), reinterpret_cast<Piece*>(to + i));
    if (i == runs.bytes) continue;
    for (; runs.bytes - i >= kWordBytes; i += kWordBytes) {
      reinterpret_cast<LooseWord*>(to + i)->value =
          reinterpret_cast<const LooseWord*>(from + i)->value;
    }
    for (; i != runs.bytes; ++i) to[i] = from[i];
  }
}

/// A function of its own, for all sizes of elements.
__attribute__((noinline)) inline void copy_runs(const void* x, void* y,
                                                const EvenRuns& runs) noexcept {
  const auto* from = static_cast<const uint8_t*>(x);
  auto* to = static_cast<uint8_t*>(y);
  const auto bits = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y) |
                    static_cast<uintptr_t>(runs.in_step | runs.out_step);
  if (bits % kWordBytes == 0) {
    copy_runs<Block>(from, to, runs);
  } else {
    copy_runs<LooseWord>(from, to, runs);
  }
}

/// The axis along which runs follow one another: rows of whole pixels (1), pixels of a row (2),
/// which are looked for one by one in a ring. 0: elements go one by one, as they lie apart or are
/// few. `size`: bytes of an element.
inline int run_axis(const View& x, const View& out, const Region& region, int32_t size) noexcept {
  if (x.stride[3] != 1 || out.stride[3] != 1) return 0;
  const int32_t channels = region.end[3] - region.begin[3];
  if (x.stride[2] == channels && out.stride[2] == channels && (x.modulus | out.modulus) == 0)
    return 1;
  return channels * size >= kLeastRun ? 2 : 0;
}

/// The number of the region's first element in a view that is no ring, of dense channels.
inline int32_t first_element(const View& view, const Region& region) noexcept {
  return region.begin[0] * view.stride[0] + region.begin[1] * view.stride[1] +
         region.begin[2] * view.stride[2] + region.begin[3] - view.bias;
}

/// out = x, elements of T.
template <class T>
__attribute__((always_inline)) inline void copy_elements(const View& x, const View& out,
                                                         const Region& region) noexcept {
  constexpr auto kSize = static_cast<int32_t>(sizeof(T));
  const int axis = run_axis(x, out, region, kSize);
  const int32_t channels = region.end[3] - region.begin[3];
  const int32_t columns = region.end[2] - region.begin[2];
  if (THIMBLE_USES_COPY_ROWS && axis == 1) {
    const EvenRuns runs{columns * channels * kSize, region.end[1] - region.begin[1],
                        x.stride[1] * kSize, out.stride[1] * kSize};
    const T* from = static_cast<const T*>(x.data) + first_element(x, region);
    T* to = static_cast<T*>(out.data) + first_element(out, region);
    for (int32_t n = region.end[0] - region.begin[0]; n != 0;) {
      copy_runs(from, to, runs);
      if (--n == 0) break;
      from += x.stride[0];
      to += out.stride[0];
    }
    return;
  }
  if (THIMBLE_USES_COPY_ELEMENTS && axis == 0) {
    map_elements<T, T>(x, out, region, [](T value) { return value; });
    return;
  }
  if (!THIMBLE_USES_COPY_PIXELS) return;
  const bool rings = (x.modulus | out.modulus) != 0;
  const EvenRuns runs{channels * kSize, rings ? 1 : columns, x.stride[2] * kSize,
                      out.stride[2] * kSize};
  Region starts = region;
  if (!rings) starts.end[2] = starts.begin[2] + (columns > 0 ? 1 : 0);
  for_each_pixel(starts, [&](int32_t n, int32_t y, int32_t column) {
    copy_runs(first_channel<const T>(x, region, n, y, column),
              first_channel<T>(out, region, n, y, column), runs);
  });
}

}  // namespace thimble::runtime
