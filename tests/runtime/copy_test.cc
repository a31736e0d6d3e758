// SPDX-License-Identifier: Apache-2.0
// Copies in words against their definition: element by element, each read before it is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/support/workload.h"
#include "thimble_runtime/kernels.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

using runtime::Region;
using runtime::View;
using CopyMemory = std::vector<uint32_t>;  // so that bytes may be aligned to 4, or not

int32_t drawn_between(zoo::Random& random, int32_t low, int32_t high) {
  return static_cast<int32_t>(random.between(low, high));
}

// A piece of a tensor that holds the region: with more of each axis around it, channels first, or a
// ring of pixels.
struct CopiedPiece {
  View view;         ///< without data
  int32_t elements;  ///< that it holds
};
CopiedPiece random_piece(zoo::Random& random, const Region& region) {
  std::array<int32_t, 4> begin{}, extent{};
  for (size_t axis = 0; axis < 4; ++axis) {
    const int32_t before = random.chance(0.3) ? drawn_between(random, 0, 3) : 0;
    begin[axis] = std::max(0, region.begin[axis] - before);
    const int32_t after = random.chance(0.3) ? drawn_between(random, 0, 3) : 0;
    extent[axis] = std::max(1, region.end[axis] + after - begin[axis]);
  }
  View view{nullptr, 0, 0, 0, {0, 0, 0, 0}};
  std::array<size_t, 4> order = {0, 1, 2, 3};  // outermost first
  if (random.chance(0.2)) order = {0, 2, 1, 3};
  if (random.chance(0.1)) order = {0, 3, 1, 2};
  int32_t stride = 1;
  for (size_t k = 4; k-- > 0;) {
    view.stride[order[k]] = stride;
    stride *= extent[order[k]];
  }
  for (size_t axis = 0; axis < 4; ++axis) view.bias += begin[axis] * view.stride[axis];
  if (order[2] == 2 && order[3] == 3 && random.chance(0.3)) {
    // All pixels fit, so that none is overwritten, but they begin anywhere in the ring.
    view.modulus = stride;
    view.channel = begin[3];
    view.bias = -drawn_between(random, 0, stride / extent[3] - 1) * extent[3];
  }
  return {view, stride};
}

template <class T>
void copy_by_definition(const View& x, const View& out, const Region& region) {
  for (int32_t n = region.begin[0]; n < region.end[0]; ++n) {
    for (int32_t y = region.begin[1]; y < region.end[1]; ++y) {
      for (int32_t column = region.begin[2]; column < region.end[2]; ++column) {
        for (int32_t c = region.begin[3]; c < region.end[3]; ++c) {
          runtime::pixel<T>(out, n, y, column)[c * out.stride[3]] =
              runtime::pixel<const T>(x, n, y, column)[c * x.stride[3]];
        }
      }
    }
  }
}

Region random_copied_region(zoo::Random& random) {
  Region region{};
  constexpr std::array<int32_t, 4> kMost = {2, 3, 5, 40};
  for (size_t axis = 0; axis < 4; ++axis) {
    region.begin[axis] = random.chance(0.5) ? 0 : drawn_between(random, 0, 3);
    const int32_t least = random.chance(0.03) ? 0 : 1;
    region.end[axis] = region.begin[axis] + drawn_between(random, least, kMost[axis]);
  }
  return region;
}

struct CopyCounts {
  int compared = 0, overlapping = 0;
};

template <class T>
using CopyKernel = void (*)(const View&, const View&, const Region&);

// Where they overlap only copies that lose nothing count: other ones no plan has.
template <class T>
void compare_copies(zoo::Random& random, CopyKernel<T> copy, CopyCounts& counts) {
  const Region region = random_copied_region(random);
  CopiedPiece x = random_piece(random, region), out = random_piece(random, region);
  const bool overlaps = random.chance(0.5);
  if (overlaps && random.chance(0.7)) out = x;  // alike: a shift down loses nothing
  const int32_t in_at = 64 + drawn_between(random, 0, 7);
  const int32_t out_at = overlaps ? in_at - drawn_between(random, 0, 40)
                                  : in_at + x.elements + drawn_between(random, 0, 7);
  const int32_t end = std::max(in_at + x.elements, out_at + out.elements);
  CopyMemory memory(static_cast<size_t>(end) * sizeof(T) / sizeof(uint32_t) + 1);
  for (uint32_t& word : memory) word = static_cast<uint32_t>(random.next());

  const auto done = [&](CopyMemory& from, CopyMemory& to, CopyKernel<T> how) {
    x.view.data = reinterpret_cast<T*>(from.data()) + in_at;
    out.view.data = reinterpret_cast<T*>(to.data()) + out_at;
    how(x.view, out.view, region);
  };
  CopyMemory source = memory, expected = memory, one_by_one = memory;
  done(source, expected, copy_by_definition<T>);
  done(one_by_one, one_by_one, copy_by_definition<T>);
  if (one_by_one != expected) return;
  done(memory, memory, copy);
  ASSERT_EQ(memory, expected);
  ++counts.compared;
  counts.overlapping += overlaps ? 1 : 0;
}

template <class T>
void compare_many_copies(CopyKernel<T> copy) {
  const int cases = 30'000 / kOneIn;
  CopyCounts counts;
  for (int seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    zoo::Random random(static_cast<uint64_t>(seed));
    compare_copies<T>(random, copy, counts);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(counts.compared, cases / 2);
  EXPECT_GT(counts.overlapping, cases / 10);
}

TEST(CopyInWords, IsACopyOfElements) {
  compare_many_copies<int8_t>(runtime::copy_8);
  compare_many_copies<int16_t>(runtime::copy_16);
  compare_many_copies<int32_t>(runtime::copy_32);
}

// Every length and alignment of a run, on its own.
TEST(CopyInWords, TakesAllTailsFromAllAddresses) {
  std::array<int8_t, 128> from{};
  for (size_t k = 0; k < from.size(); ++k) from[k] = static_cast<int8_t>(k + 1);
  for (int32_t length = 0; length <= 70; ++length) {
    for (size_t in_at = 0; in_at < 5; ++in_at) {
      for (size_t out_at = 0; out_at < 5; ++out_at) {
        std::array<int8_t, 128> to{};
        const View x{from.data() + in_at, 0, 0, 0, {length, length, length, 1}};
        const View out{to.data() + out_at, 0, 0, 0, {length, length, length, 1}};
        runtime::copy_8(x, out, {{0, 0, 0, 0}, {1, 1, 1, length}});
        std::array<int8_t, 128> expected{};
        std::copy_n(from.begin() + static_cast<ptrdiff_t>(in_at), length,
                    expected.begin() + static_cast<ptrdiff_t>(out_at));
        ASSERT_EQ(to, expected) << length << " from " << in_at << " to " << out_at;
      }
    }
  }
}

}  // namespace
}  // namespace thimble::testing
