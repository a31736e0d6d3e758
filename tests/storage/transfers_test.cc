// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/transfers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "tests/storage/watched_storage.h"

namespace thimble::testing {
namespace {

using runtime::HeldRows;
using runtime::InFlight;
using runtime::Records;
using runtime::Transfers;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using StoredBytes = std::vector<uint8_t>;

class TransfersTest : public ::testing::Test {
 protected:
  explicit TransfersTest(const WatchedStorage::Shape& shape = {}) : storage(shape) {}

  // Bytes 1, 2, 3, ...
  static StoredBytes counted(uint32_t size) {
    StoredBytes bytes(size);
    std::iota(bytes.begin(), bytes.end(), uint8_t{1});
    return bytes;
  }

  WatchedStorage storage;
  std::array<InFlight, 4> flights{};
  Transfers transfers{storage.driver(), flights.data(), THIMBLE_STORAGE_OK};
  std::array<uint32_t, 16> tags{};
};

TEST_F(TransfersTest, TensorsComeBack) {
  StoredBytes out = counted(32), in(32);
  const Records records{64, 8, 8};
  begin_write(transfers, 0, records, {out.data(), 0, 0}, tags.data(), 0, 4);
  wait(transfers, 0);
  begin_read(transfers, 1, records, {in.data(), 0, 0}, tags.data(), 0, 4);
  wait(transfers, 1);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_OK);
  EXPECT_EQ(in, out);
  EXPECT_THAT(storage.begun, ElementsAre("write 64+32", "read 64+32"));
}

// The check value that catalogues of CRCs give for CRC-32/ISO-HDLC, zlib's.
TEST_F(TransfersTest, TagsAreCrc32) {
  std::string digits = "123456789";
  begin_write(transfers, 0, {0, 9, 12}, {reinterpret_cast<uint8_t*>(digits.data()), 0, 0},
              tags.data(), 0, 1);
  wait(transfers, 0);
  EXPECT_EQ(tags[0], 0xcbf43926);
}

TEST_F(TransfersTest, BeginReturnsAtOnceAndTheRestFollowsInWait) {
  StoredBytes ring = counted(12);  // three rows of 4 B
  begin_write(transfers, 2, {100, 4, 4}, {ring.data(), 5, 3}, tags.data(), 2, 7);
  EXPECT_THAT(storage.begun, ElementsAre("write 108+4"));
  wait(transfers, 2);
  EXPECT_THAT(storage.begun, ElementsAre("write 108+4", "write 112+12", "write 124+4"));
  EXPECT_EQ(storage.waits, 3);
  EXPECT_EQ(storage.bytes[108], 9) << "record 2 is in the third row, whatever the origin";
  EXPECT_EQ(storage.bytes[112], 1);
}

TEST_F(TransfersTest, WhatHasEndedIsNotWaitedForAgain) {
  StoredBytes bytes = counted(8);
  begin_write(transfers, 0, {0, 8, 8}, {bytes.data(), 0, 0}, tags.data(), 0, 1);
  wait(transfers, 0);
  begin_read(transfers, 0, {0, 8, 8}, {bytes.data(), 0, 0}, tags.data(), 1, 1);
  wait(transfers, 0);
  EXPECT_EQ(storage.waits, 1);
}

TEST_F(TransfersTest, RingsOfOtherSizesHaveEachRecordInItsRow) {
  StoredBytes out = counted(20), ring(8);
  const Records records{0, 4, 4};
  begin_write(transfers, 0, records, {out.data(), 0, 0}, tags.data(), 0, 5);
  wait(transfers, 0);
  for (int32_t first = 0; first < 5; first += 2) {
    begin_read(transfers, 0, records, {ring.data(), 0, 2}, tags.data(), first,
               std::min(first + 2, 5));
    wait(transfers, 0);
    for (int32_t r = first; r < std::min(first + 2, 5); ++r)
      EXPECT_EQ(StoredBytes(ring.begin() + r % 2 * 4, ring.begin() + r % 2 * 4 + 4),
                StoredBytes(out.begin() + r * 4, out.begin() + r * 4 + 4));
  }
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_OK);
}

TEST_F(TransfersTest, PiecesOfATensorBeginAtTheirOrigin) {
  StoredBytes out = counted(8), in(8);
  const Records records{0, 4, 4};
  begin_write(transfers, 0, records, {out.data(), 10, 0}, tags.data(), 10, 12);
  wait(transfers, 0);
  begin_read(transfers, 0, records, {in.data(), 10, 0}, tags.data(), 10, 12);
  wait(transfers, 0);
  EXPECT_EQ(in, out);
  EXPECT_THAT(storage.begun, ElementsAre("write 40+8", "read 40+8"));
}

class Granules : public TransfersTest {
 protected:
  Granules() : TransfersTest({.granule = 8, .block = 64}) {}
};

TEST_F(Granules, EachRecordBeginsAtOne) {
  StoredBytes out = counted(15), in(15);
  const Records records{64, 5, 8};
  begin_erase(transfers, 3, 64, 64);
  wait(transfers, 3);
  begin_write(transfers, 0, records, {out.data(), 0, 0}, tags.data(), 0, 3);
  wait(transfers, 0);
  begin_read(transfers, 0, records, {in.data(), 0, 0}, tags.data(), 0, 3);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_OK);
  EXPECT_EQ(in, out);
  EXPECT_THAT(storage.begun, ElementsAre("erase 64+64", "write 64+5", "write 72+5", "write 80+5",
                                         "read 64+5", "read 72+5", "read 80+5"));
}

TEST_F(TransfersTest, ErasesBeginAnywhereIn32Bits) {
  uint32_t asked = 0;
  thimble_storage driver{&asked,
                         nullptr,
                         nullptr,
                         [](void* context, uint32_t, uint32_t offset, uint32_t) {
                           *static_cast<uint32_t*>(context) = offset;
                           return int{THIMBLE_STORAGE_OK};
                         },
                         [](void*, uint32_t) { return int{THIMBLE_STORAGE_OK}; },
                         nullptr};
  transfers.storage = &driver;
  begin_erase(transfers, 0, 0xffff0000, 0x10000);
  wait(transfers, 0);
  EXPECT_EQ(asked, 0xffff0000);
}

TEST_F(TransfersTest, WhatCannotBeErasedNeedsNot) {
  begin_erase(transfers, 0, 0, 64);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_OK);
  EXPECT_THAT(storage.begun, IsEmpty());
}

TEST_F(TransfersTest, NothingOfNoRecords) {
  const Records records{0, 8, 8};
  begin_write(transfers, 0, records, {nullptr, 0, 0}, nullptr, 3, 3);
  begin_read(transfers, 1, records, {nullptr, 0, 0}, nullptr, 5, 3);
  begin_erase(transfers, 2, 0, 0);
  for (int32_t token = 0; token < 4; ++token) wait(transfers, token);
  EXPECT_THAT(storage.begun, IsEmpty());
  EXPECT_EQ(storage.waits, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_OK);
}

TEST_F(TransfersTest, SeveralAreInFlight) {
  StoredBytes a = counted(16), b = counted(16), in(16);
  begin_write(transfers, 0, {0, 16, 16}, {a.data(), 0, 0}, tags.data(), 0, 1);
  begin_write(transfers, 1, {16, 16, 16}, {b.data(), 0, 0}, tags.data() + 1, 0, 1);
  EXPECT_EQ(storage.in_flight(), 2);
  wait(transfers, 1);
  begin_read(transfers, 1, {16, 16, 16}, {in.data(), 0, 0}, tags.data() + 1, 0, 1);
  wait(transfers, 0);
  wait(transfers, 1);
  EXPECT_EQ(in, b);
}

TEST_F(TransfersTest, WhereNoDriverWasGivenThatIsTheStatus) {
  transfers.storage = nullptr;
  StoredBytes bytes(8);
  begin_read(transfers, 0, {0, 8, 8}, {bytes.data(), 0, 0}, tags.data(), 0, 1);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_MISSING);
}

}  // namespace
}  // namespace thimble::testing
