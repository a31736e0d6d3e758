// SPDX-License-Identifier: Apache-2.0
// Padding, rooms, and the search that uses them.
#include "thimble/layout/rooms.h"

#include <gtest/gtest.h>

#include "generated_problems.h"
#include "thimble/layout/padding.h"
#include "thimble/layout/room_search.h"

namespace thimble::layout {
namespace {

constexpr int64_t kWork = 10'000'000;

std::vector<int64_t> heights(const std::vector<Block>& blocks, size_t sections) {
  std::vector<int64_t> result(sections, 0);
  for (const Block& block : blocks) {
    EXPECT_LT(block.begin, block.end);
    EXPECT_GT(block.bytes, 0);
    for (int s = block.begin; s < block.end; ++s) result.at(index(s)) += block.bytes;
  }
  return result;
}

TEST(Padding, BeginsAndEndsWithChangesOfItsSize) {
  std::vector<uint32_t> choices;
  int64_t work = kWork;
  const std::vector<Block> blocks = padding({5, 5, 12, 7, 7, 0}, choices, work);
  const std::vector<Block> expected = {{0, 3, 5, {}}, {2, 5, 7, {}}};
  EXPECT_EQ(blocks, expected);
  EXPECT_EQ(choices.size(), 4U);
  EXPECT_LT(work, kWork);
}

TEST(Padding, FillsWhateverIsChosen) {
  const std::vector<int64_t> unused = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 0, 7, 9};
  for (uint32_t choice = 0; choice < 200; ++choice) {
    std::vector<uint32_t> choices(unused.size() + 1, choice);
    int64_t work = kWork;
    EXPECT_EQ(heights(padding(unused, choices, work), unused.size()), unused);
  }
}

/// The picture of rooms.h: b and c lie where a lay, d follows c; then e.
TEST(Rooms, AreMerged) {
  const std::vector<Block> blocks = {{0, 1, 100, {{0, 0}}}, {1, 3, 60, {{1, 0}}},
                                     {1, 2, 40, {{2, 0}}},  {2, 3, 40, {{3, 0}}},
                                     {3, 4, 100, {{4, 0}}}, {0, 4, 50, {{5, 0}}}};
  SearchBudget budget{.work = kWork, .time = nullptr};
  const std::vector<Block> merged = merge_rooms(blocks, 4, 1, 1, budget);
  ASSERT_EQ(merged.size(), 2U);
  const Block& room = merged[0].parts.size() == 5 ? merged[0] : merged[1];
  EXPECT_EQ(room.bytes, 100);
  ASSERT_EQ(room.parts.size(), 5U);
  std::vector<int64_t> offsets(5);
  for (const Block::Part& part : room.parts) offsets.at(index(part.buffer)) = part.offset;
  EXPECT_EQ(offsets[0], 0);
  EXPECT_EQ(offsets[2], offsets[3]);
  EXPECT_EQ(offsets[1] == 0 ? offsets[2] : offsets[1], offsets[1] == 0 ? 60 : 40);
}

TEST(RoomSearch, FindsLayouts) {
  for (const int holes : {0, 1, 5}) {
    SCOPED_TRACE(holes);
    const GeneratedProblem generated =
        packing_problem({.buffers = 120, .pinwheels = 30, .holes = holes, .seed = 9});
    const Sweep swept = sweep(generated.problem);
    ASSERT_TRUE(RoomSearch::applies(generated.problem, swept));
    RoomSearch search(generated.problem, swept);
    SearchBudget budget{.work = 20 * kWork, .time = nullptr};
    EXPECT_EQ(search.run(generated.capacity_bytes, 10 * kWork, 500, budget), SearchOutcome::kFound);
    EXPECT_EQ(validate(generated.problem, search.addresses()), "");
    EXPECT_EQ(search.run(lower_bound_bytes(generated.problem) - 1, kWork, 500, budget),
              SearchOutcome::kStopped);
  }
}

TEST(RoomSearch, NeedsEqualAlignmentsAndLivesWithoutGaps) {
  const auto applies = [](const std::vector<Buffer>& buffers) {
    const Problem problem{.buffers = buffers, .overlaps = {}};
    return RoomSearch::applies(problem, sweep(problem));
  };
  const Buffer first{.size_bytes = 8, .alignment = 4, .lives = {{0, 2}}, .address = {}};
  Buffer second{.size_bytes = 8, .alignment = 4, .lives = {{1, 3}}, .address = {}};
  EXPECT_TRUE(applies({first, second}));
  second.alignment = 8;
  EXPECT_FALSE(applies({first, second}));
  const Buffer gap{.size_bytes = 8, .alignment = 4, .lives = {{0, 1}, {4, 5}}, .address = {}};
  const Buffer between{.size_bytes = 8, .alignment = 4, .lives = {{2, 3}}, .address = {}};
  EXPECT_FALSE(applies({gap, between}));
}

}  // namespace
}  // namespace thimble::layout
