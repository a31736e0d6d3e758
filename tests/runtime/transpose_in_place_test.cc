// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/runtime/tensors.h"
#include "thimble_runtime/kernels.h"

namespace thimble::testing {
namespace {

/// `from` and `to` lay the tensor out; what lies in the bytes of `from` ends in the order of `to`.
void expect_turned(const Extents& extents, Layout from, Layout to) {
  Random random(static_cast<uint32_t>(count(extents)));
  const std::vector<int8_t> values = random.bytes(count(extents));
  auto stored = store(values, extents, whole(extents), from);
  runtime::View out = allocate<int8_t>(extents, whole(extents), to).view;
  out.data = stored.view.data;
  runtime::transpose_in_place_8(stored.view, out, whole(extents));
  stored.view = out;
  ASSERT_EQ(elements(stored, whole(extents)), values)
      << extents[1] << " x " << extents[2] << " x " << extents[3];
}

void expect_turned_both_ways(const Extents& extents) {
  expect_turned(extents, Layout::kChannelsFirst, Layout::kRowMajor);
  expect_turned(extents, Layout::kRowMajor, Layout::kChannelsFirst);
}

TEST(TransposeInPlace, TurnsEverySmallMatrix) {
  for (int32_t pixels = 1; pixels <= 40; ++pixels) {
    for (int32_t channels = 1; channels <= 40; ++channels) {
      expect_turned_both_ways({1, 1, pixels, channels});
      if (pixels % 4 == 0) expect_turned_both_ways({1, 4, pixels / 4, channels});
    }
  }
}

TEST(TransposeInPlace, TurnsFewChannelsOfManyPixels) {
  for (int32_t channels = 1; channels <= 5; ++channels) {
    for (int32_t pixels = 4; pixels <= 600; pixels += pixels < 260 ? 4 : 33)
      expect_turned_both_ways({1, 1, pixels, channels});
  }
}

TEST(TransposeInPlace, TurnsImages) {
  expect_turned_both_ways({1, 224, 224, 3});
  expect_turned_both_ways({1, 96, 96, 1});
  expect_turned_both_ways({1, 97, 61, 16});
}

// Rows of a tensor [2, 3, 4, 5] in the order 2 3 0 1: the cut is in the middle.
TEST(TransposeInPlace, TurnsWhereSeveralAxesChangePlaces) {
  const Extents extents{2, 3, 4, 5};
  Random random(1);
  const std::vector<int8_t> values = random.bytes(count(extents));
  auto stored = store(values, extents);
  const runtime::View x = stored.view;
  const runtime::View out{x.data, 0, 0, 0, {3, 1, 30, 6}};
  runtime::transpose_in_place_8(x, out, whole(extents));
  stored.view = out;
  EXPECT_EQ(elements(stored, whole(extents)), values);
}

}  // namespace
}  // namespace thimble::testing
