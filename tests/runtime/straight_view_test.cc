// SPDX-License-Identifier: Apache-2.0
#include "runtime/dsp/straight_view.h"

#include <gtest/gtest.h>

#include <array>

namespace thimble::runtime {
namespace {

// A ring of three rows of four pixels of two channels, from channel 6 of eight on.
constexpr int32_t kWidth = 4, kHeld = 2, kRows = 3;
std::array<int8_t, kWidth * kHeld * kRows> ring_bytes;
View ring_of_rows() {
  return {ring_bytes.data(), 0, kWidth * kHeld * kRows, 6, {0, kWidth * kHeld, kHeld, 1}};
}
Region rows(int32_t begin, int32_t end) { return {{0, begin, 0, 6}, {1, end, kWidth, 8}}; }

TEST(Straight, HasNoRingWhereThatDoesNotBeginAnew) {
  for (int32_t y = 0; y < 9; ++y) {
    for (int32_t end = y + 1; end <= y / kRows * kRows + kRows; ++end) {
      const View plain = straight(ring_of_rows(), rows(y, end));
      EXPECT_EQ(plain.modulus, 0);
      for (int32_t row = y; row < end; ++row) {
        for (int32_t x = 0; x < kWidth; ++x)
          EXPECT_EQ(pixel<int8_t>(plain, 0, row, x), pixel<int8_t>(ring_of_rows(), 0, row, x));
      }
    }
  }
}

TEST(Straight, KeepsARingThatDoes) {
  EXPECT_NE(straight(ring_of_rows(), rows(2, 4)).modulus, 0);
  EXPECT_NE(straight(ring_of_rows(), rows(4, 8)).modulus, 0);
  EXPECT_NE(straight(ring_of_rows(), rows(4, 4)).modulus, 0);
}

TEST(InputsOf, AreThoseInsideTheTensor) {
  const Window2D w{3, 3, 2, 2, 1, 1, 1, 1, 9, 9};
  const Region read = inputs_of(w, {{0, 0, 2, 0}, {1, 2, 5, 4}});
  EXPECT_EQ(read.begin[1], 0);
  EXPECT_EQ(read.end[1], 4);
  EXPECT_EQ(read.begin[2], 3);
  EXPECT_EQ(read.end[2], 9);
}

}  // namespace
}  // namespace thimble::runtime
