// SPDX-License-Identifier: Apache-2.0
// Fronts of cuts, against all cuts.
#include "thimble/search/front_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "zoo/random.h"

namespace thimble {
namespace {

struct Costs {
  int64_t peak_bytes = 0, macs = 0;
  double time = 0;
  [[nodiscard]] bool no_worse(const Costs& other) const {
    return peak_bytes <= other.peak_bytes && macs <= other.macs && time <= other.time;
  }
  bool operator==(const Costs&) const = default;
};

std::vector<FrontPiece> random_pieces(zoo::Random& random, int count, bool overlaps) {
  std::vector<FrontPiece> pieces;
  const auto add = [&](int begin, int end) {
    FrontPiece piece{begin, end, random.between(1, 12), static_cast<double>(random.between(1, 5)),
                     random.between(1, 5)};
    // A chain: operator k makes tensor k + 1 from tensor k, which has 8 bytes.
    if (overlaps && random.between(0, 1) == 1)
      piece.overlap = {end, begin, random.between(-1, 4), 8, begin - 1};
    pieces.push_back(piece);
  };
  for (int k = 0; k < count; ++k) add(k, k + 1);
  for (int64_t k = random.between(0, 9); k > 0; --k) {
    const auto begin = static_cast<int>(random.between(0, count - 1));
    add(begin, static_cast<int>(random.between(begin + 1, count)));
  }
  return pieces;
}

/// Costs of the pieces, the first of which come first: where tensors lie is found out backwards.
Costs costs_of(const std::vector<FrontPiece>& pieces, const std::vector<int>& chosen) {
  Costs costs;
  int64_t below = 0;
  int of = -1;
  for (size_t k = chosen.size(); k-- > 0;) {
    const FrontPiece& p = pieces[static_cast<size_t>(chosen[k])];
    costs.peak_bytes = std::max(costs.peak_bytes, p.peak_bytes);
    costs.macs += p.macs;
    costs.time += p.time;
    if (p.overlap.in < 0) {
      below = 0;  // what is made here lies over nothing
      of = -1;
      continue;
    }
    below = (p.overlap.out == of ? below : 0) + std::max<int64_t>(p.overlap.lead_bytes, 0);
    of = p.overlap.in;
    costs.peak_bytes = std::max(costs.peak_bytes, below + p.overlap.in_bytes);
  }
  return costs;
}

void all_cuts(const std::vector<FrontPiece>& pieces, int count, int at, std::vector<int>& chosen,
              std::vector<Costs>& found) {
  if (at == count) {
    found.push_back(costs_of(pieces, chosen));
    return;
  }
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (pieces[p].begin != at) continue;
    chosen.push_back(static_cast<int>(p));
    all_cuts(pieces, count, pieces[p].end, chosen, found);
    chosen.pop_back();
  }
}

constexpr FrontCutOptions kAll{.most_macs = 1'000'000'000,
                               .most_time = std::numeric_limits<double>::infinity(),
                               .most_labels = 1000};

void expect_front(bool overlaps, const FrontCutOptions& options) {
  zoo::Random random(7);
  int several = 0;
  for (int k = 0; k < 400; ++k) {
    const auto count = static_cast<int>(random.between(1, 6));
    const std::vector<FrontPiece> pieces = random_pieces(random, count, overlaps);
    std::vector<Costs> all;
    std::vector<int> chosen;
    all_cuts(pieces, count, 0, chosen, all);
    std::erase_if(all, [&](const Costs& c) {
      return c.macs > options.most_macs || c.time > options.most_time;
    });
    const std::vector<FrontCut> front = front_cuts(count, pieces, options);
    for (const FrontCut& cut : front) {
      const Costs costs = costs_of(pieces, cut.pieces);
      EXPECT_EQ((Costs{cut.peak_bytes, cut.macs, cut.time}), costs);
      EXPECT_TRUE(std::ranges::find(all, costs) != all.end());
    }
    for (const Costs& costs : all) {
      const bool found = std::ranges::any_of(front, [&](const FrontCut& cut) {
        const int64_t counted = options.counts_macs() ? cut.macs : costs.macs;
        return Costs{cut.peak_bytes, counted, cut.time}.no_worse(costs);
      });
      EXPECT_TRUE(found) << costs.peak_bytes << " " << costs.macs << " " << costs.time;
    }
    EXPECT_TRUE(std::ranges::is_sorted(front, {}, &FrontCut::peak_bytes));
    several += front.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 100);
}

TEST(FrontCuts, AreNoWorseThanAnyCut) { expect_front(false, kAll); }
TEST(FrontCuts, CountWhereOverlappingTensorsEnd) { expect_front(true, kAll); }
TEST(FrontCuts, AreCutsOfBytesAndTimeWhereMacsDoNotCount) {
  FrontCutOptions options = kAll;
  options.most_macs = FrontCutOptions::kAny;
  expect_front(true, options);
}
TEST(FrontCuts, KeepToLimits) {
  FrontCutOptions options = kAll;
  options.most_macs = 12;
  options.most_time = 14;
  expect_front(true, options);
}

TEST(FrontCuts, AreNoneWhereNothingExecutesAnOperator) {
  EXPECT_TRUE(front_cuts(2, {{0, 1, 5, 1, 1}}, kAll).empty());
}

TEST(FrontCuts, KeepTheFewestBytesAndTheLeastTimeWhereTheyAreFew) {
  std::vector<FrontPiece> pieces;
  for (int k = 0; k < 50; ++k) pieces.push_back({0, 1, k, 100.0 - k, 1});
  FrontCutOptions few = kAll;
  few.most_labels = 5;
  const std::vector<FrontCut> front = front_cuts(1, pieces, few);
  ASSERT_EQ(front.size(), 5U);
  EXPECT_EQ(front.front().peak_bytes, 0);
  EXPECT_EQ(front.back().time, 51);
}

}  // namespace
}  // namespace thimble
