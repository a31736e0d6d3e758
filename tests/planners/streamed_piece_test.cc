// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/streamed_piece.h"

#include <gtest/gtest.h>

namespace thimble {
namespace {

using Chain = std::optional<std::vector<StreamedPiece>>;

StreamedPiece piece(int begin, int end, double cycles, bool fetches = false, bool stores = false) {
  return {.begin = begin,
          .end = end,
          .fetches = fetches,
          .stores = stores,
          .constants = std::vector<StreamedConstants>(static_cast<size_t>(end - begin)),
          .cycles = cycles};
}

// A chain over three positions: what its first piece stores, the second one fetches.
TEST(CheapestChain, LeavesValuesWhereTheNextPieceFindsThem) {
  std::vector<StreamedPiece> pieces{piece(0, 3, 100), piece(0, 1, 10, false, true),
                                    piece(1, 3, 20),  // finds no stored value
                                    piece(1, 3, 60, true)};
  const Chain two = cheapest_chain(pieces, 0, 3, {});
  ASSERT_TRUE(two);
  ASSERT_EQ(two->size(), 2U);
  EXPECT_EQ(two->at(1).cycles, 60);
  pieces[3].moved = 4;
  const Chain one = cheapest_chain(pieces, 0, 3, {.cycles_per_byte = 10});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->size(), 1U);
  EXPECT_FALSE(cheapest_chain(pieces, 0, 4, {}));
}

// Reading of 30 cycles, 20 of them beside what is in front; 1,000 bytes, in a room of 1,024.
TEST(CheapestChain, ReadsEarlyWhereThereIsRoom) {
  std::vector<StreamedPiece> pieces{piece(0, 1, 100), piece(1, 2, 50), piece(1, 2, 45)};
  pieces[0].tail = {.bytes = 4000, .spare = 20, .in_flight = 1};
  pieces[1].head = {.positions = {0}, .bytes = 1000, .cycles = 30};
  const auto last = [&](int64_t sram_bytes, int most_in_flight) {
    return cheapest_chain(pieces, 0, 2,
                          {.sram_bytes = sram_bytes, .most_in_flight = most_in_flight})
        ->back();
  };
  EXPECT_EQ(last(4000 + 1024, 2).cycles, 50);
  EXPECT_TRUE(last(4000 + 1024, 2).constants[0].early);
  EXPECT_EQ(last(4000 + 1023, 2).cycles, 45) << "no room beside the piece in front";
  EXPECT_EQ(last(4000 + 1024, 1).cycles, 45) << "one transfer at a time";
  EXPECT_FALSE(last(4000 + 1024, 1).constants[0].early);
}

}  // namespace
}  // namespace thimble
