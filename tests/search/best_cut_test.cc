// SPDX-License-Identifier: Apache-2.0
// The best cut of an order into pieces, against all cuts.
#include "thimble/search/best_cut.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "zoo/random.h"

namespace thimble {
namespace {

struct Case {
  std::vector<int64_t> single;
  std::vector<CutPiece> pieces;
};

Case random_case(zoo::Random& random) {
  Case c;
  const int64_t count = random.between(1, 7);
  for (int64_t k = 0; k < count; ++k) c.single.push_back(random.between(1, 9));
  for (int64_t k = random.between(0, 9); k > 0; --k) {
    const auto begin = static_cast<int>(random.between(0, count - 1));
    const auto end = static_cast<int>(random.between(begin + 1, count));
    c.pieces.push_back({begin,
                        end,
                        {.peak_bytes = random.between(1, 9),
                         .sums_of_8_bits = static_cast<int>(random.between(0, 1)),
                         .more_instructions = random.between(-1, 1),
                         .by_pixels = static_cast<int>(random.between(0, 2)),
                         .in_pieces = end - begin}});
  }
  return c;
}

CutCost sum(const CutCost& a, const CutCost& b) {
  return {std::max(a.peak_bytes, b.peak_bytes),
          a.sums_of_8_bits + b.sums_of_8_bits,
          a.sums_of_16_bits + b.sums_of_16_bits,
          a.more_instructions + b.more_instructions,
          a.by_pixels + b.by_pixels,
          a.in_pieces + b.in_pieces};
}

/// Peaks up to `limit` count as equal.
CutCost least(const Case& c, size_t from, int64_t limit) {
  if (from == c.single.size()) return {.peak_bytes = limit};
  CutCost best = sum({.peak_bytes = c.single[from]}, least(c, from + 1, limit));
  for (const CutPiece& p : c.pieces) {
    if (static_cast<size_t>(p.begin) != from) continue;
    best = std::min(best, sum(p.cost, least(c, static_cast<size_t>(p.end), limit)));
  }
  return best;
}

CutCost cost_of(const Case& c, const BestCut& cut, int64_t limit) {
  CutCost cost{.peak_bytes = limit};
  size_t at = 0;
  const auto singles_until = [&](size_t end) {
    for (; at < end; ++at) cost = sum(cost, {.peak_bytes = c.single[at]});
  };
  for (const int number : cut.pieces) {
    const CutPiece& p = c.pieces[static_cast<size_t>(number)];
    EXPECT_LE(at, static_cast<size_t>(p.begin));
    singles_until(static_cast<size_t>(p.begin));
    cost = sum(cost, p.cost);
    at = static_cast<size_t>(p.end);
  }
  singles_until(c.single.size());
  return cost;
}

TEST(BestCut, IsTheBestOfAllCuts) {
  zoo::Random random(1);
  for (int round = 0; round < 2'000; ++round) {
    SCOPED_TRACE(round);
    const Case c = random_case(random);
    const int64_t enough = random.between(0, 9);
    const BestCut cut = best_cut(c.single, c.pieces, enough);
    const int64_t limit = std::max(least(c, 0, 0).peak_bytes, enough);
    EXPECT_EQ(cost_of(c, cut, limit), least(c, 0, limit));
    EXPECT_EQ(cut.peak_bytes, cost_of(c, cut, 0).peak_bytes);
  }
}

}  // namespace
}  // namespace thimble
