// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/compressed_transfers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/storage/watched_storage.h"
#include "tests/support/workload.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

using runtime::InFlight;
using runtime::kRetries;
using runtime::Passage;
using runtime::PassageState;
using runtime::Records;
using runtime::Transfers;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Fault = WatchedStorage::Fault;
using RecordBytes = std::vector<uint8_t>;

// One value in most places, the others differ.
RecordBytes mostly(uint8_t value, size_t size, size_t others) {
  RecordBytes record(size, value);
  for (size_t k = 0; k < others; ++k)
    record[k * size / others] = static_cast<uint8_t>(value + 1 + k);
  return record;
}

RecordBytes noise(size_t size) {
  RecordBytes record(size);
  for (size_t k = 0; k < size; ++k) record[k] = static_cast<uint8_t>(7 * k);
  return record;
}

struct Passing {
  explicit Passing(uint32_t chunk_bytes)
      : words(runtime::passage_bytes(chunk_bytes) / 4),
        passage{words.data(), chunk_bytes, chunk_bytes} {}
  std::vector<uint32_t> words;
  Passage passage;
};

struct CompressedStorage {
  CompressedStorage(const WatchedStorage::Shape& shape, Records where, std::vector<uint32_t> chunks)
      : storage(shape), records(where), store(chunks.at(0)), fetch(chunks.at(1)) {}

  void write(const std::vector<RecordBytes>& rows) {
    memory.clear();
    for (const RecordBytes& row : rows) memory.insert(memory.end(), row.begin(), row.end());
    count = static_cast<int32_t>(rows.size());
    begin_compressed_write(transfers, 0, records, {memory.data(), 0, 0}, tags.data(), store.passage,
                           0, count);
    wait_compressed(transfers, 0, store.passage);
  }
  /// The bytes have their exact size.
  RecordBytes read() {
    RecordBytes back(memory.size(), 0xee);
    begin_compressed_read(transfers, 1, records, {back.data(), 0, 0}, tags.data(), fetch.passage, 0,
                          count);
    wait_compressed(transfers, 1, fetch.passage);
    return back;
  }
  int32_t status() {
    const int32_t result = transfers.status;
    transfers.status = THIMBLE_STORAGE_OK;
    return result;
  }
  // From now on `times` operations go wrong.
  void fail(Fault fault, int times) {
    const int first = static_cast<int>(storage.begun.size());
    storage.faults = [=](int n) { return first <= n && n < first + times ? fault : Fault::kNone; };
  }

  WatchedStorage storage;
  Records records;
  Passing store, fetch;
  std::array<InFlight, 4> flights{};
  Transfers transfers{storage.driver(), flights.data(), THIMBLE_STORAGE_OK};
  std::array<uint32_t, 16> tags{};
  RecordBytes memory;
  int32_t count = 0;
};

// 64 B in 5 + 8 + 16 B; chunks of 16 B go out, chunks of 8 B come in.
TEST(CompressedTransfers, RecordsPassThroughInChunks) {
  CompressedStorage all({.granule = 8}, {128, 64, 64}, {16, 8});
  all.write({mostly(3, 64, 16)});
  EXPECT_THAT(all.storage.begun, ElementsAre("write 128+16", "write 144+13"));
  all.storage.begun.clear();
  EXPECT_EQ(all.read(), all.memory);
  EXPECT_THAT(all.storage.begun,
              ElementsAre("read 128+8", "read 136+8", "read 144+8", "read 152+5"));
  EXPECT_EQ(all.status(), THIMBLE_STORAGE_OK);
}

// The header says 256, whose lowest byte is 0: nothing is known yet when that is all there is.
TEST(CompressedTransfers, AHeaderMayComeInPieces) {
  for (const uint32_t chunk : {1U, 2U, 3U, 5U}) {
    CompressedStorage all({.size = 2048}, {0, 1024, 1024}, {chunk, chunk});
    all.write({mostly(3, 1024, 127)});
    EXPECT_EQ(all.storage.bytes[0], 0) << "1 + 128 + 127";
    EXPECT_EQ(all.read(), all.memory);
    EXPECT_EQ(all.status(), THIMBLE_STORAGE_OK);
  }
}

TEST(CompressedTransfers, WhatIsNotShorterGoesAsItIs) {
  CompressedStorage all({.granule = 8}, {0, 60, 64}, {64, 64});
  all.write({noise(60), mostly(9, 60, 4), noise(60)});
  EXPECT_THAT(all.storage.begun, ElementsAre("write 0+60", "write 64+17", "write 128+60"));
  all.storage.begun.clear();
  EXPECT_EQ(all.read(), all.memory);
  // The first chunk is read before anybody knows how long the record is.
  EXPECT_THAT(all.storage.begun, ElementsAre("read 0+60", "read 64+59", "read 128+60"));
}

// Five bytes and eight of bits are there in any case.
TEST(CompressedTransfers, NoMoreIsReadThanThereIs) {
  CompressedStorage all({.granule = 8}, {0, 64, 64}, {64, 64});
  all.fetch.passage.first_bytes = 16;
  all.write({mostly(3, 64, 16), mostly(3, 64, 3), mostly(3, 64, 4)});
  all.storage.begun.clear();
  EXPECT_EQ(all.read(), all.memory);
  EXPECT_THAT(all.storage.begun,
              ElementsAre("read 0+16", "read 16+13", "read 64+16", "read 128+16", "read 144+1"));
}

TEST(CompressedTransfers, BeginReturnsAtOnce) {
  CompressedStorage all({}, {0, 64, 64}, {16, 16});
  RecordBytes rows = mostly(3, 64, 16);
  begin_compressed_write(all.transfers, 0, all.records, {rows.data(), 0, 0}, all.tags.data(),
                         all.store.passage, 0, 1);
  EXPECT_THAT(all.storage.begun, ElementsAre("write 0+16"));
  EXPECT_EQ(all.storage.in_flight(), 1);
  wait_compressed(all.transfers, 0, all.store.passage);
  EXPECT_THAT(all.storage.begun, ElementsAre("write 0+16", "write 16+13"));
}

TEST(CompressedTransfers, NothingOfNoRecords) {
  CompressedStorage all({}, {0, 64, 64}, {16, 16});
  begin_compressed_write(all.transfers, 0, all.records, {nullptr, 0, 0}, nullptr, {nullptr, 16, 16},
                         3, 3);
  begin_compressed_read(all.transfers, 1, all.records, {nullptr, 0, 0}, nullptr, {nullptr, 16, 16},
                        5, 3);
  for (int32_t token = 0; token < 2; ++token)
    wait_compressed(all.transfers, token, {nullptr, 16, 16});
  EXPECT_THAT(all.storage.begun, IsEmpty());
}

TEST(CompressedTransfers, RowsOfARingComeBack) {
  CompressedStorage all({.granule = 4}, {0, 32, 32}, {8, 12});
  RecordBytes ring = mostly(1, 32, 3);
  const RecordBytes others = mostly(2, 32, 5);
  ring.insert(ring.end(), others.begin(), others.end());
  begin_compressed_write(all.transfers, 0, all.records, {ring.data(), 0, 2}, all.tags.data(),
                         all.store.passage, 3, 5);
  wait_compressed(all.transfers, 0, all.store.passage);
  RecordBytes back(64);
  begin_compressed_read(all.transfers, 1, all.records, {back.data(), 3, 0}, all.tags.data(),
                        all.fetch.passage, 3, 5);
  wait_compressed(all.transfers, 1, all.fetch.passage);
  std::rotate(ring.begin(), ring.begin() + 32, ring.end());
  EXPECT_EQ(back, ring);
}

// No granule is written twice: the last chunk of each record is padded up to the next one.
TEST(CompressedTransfers, KeepToErasedStorage) {
  zoo::Random random(5);
  for (int n = 0; n < 300 / kOneIn; ++n) {
    const auto granule = static_cast<uint32_t>(int64_t{1} << random.between(0, 4));
    const auto size = static_cast<uint32_t>(random.between(1, 80));
    const uint32_t stride = (size + granule - 1) / granule * granule;
    const auto chunk = [&] {
      return granule * static_cast<uint32_t>(random.between(1, stride / granule));
    };
    CompressedStorage all({.granule = granule, .block = 1024}, {0, size, stride},
                          {chunk(), chunk()});
    begin_erase(all.transfers, 2, 0, 1024);
    wait(all.transfers, 2);
    std::vector<RecordBytes> rows;
    for (int64_t more = random.between(1, 8); more > 0; --more)
      rows.push_back(mostly(static_cast<uint8_t>(random.next()), size,
                            static_cast<size_t>(random.between(1, size))));
    all.write(rows);
    EXPECT_EQ(all.read(), all.memory);
    EXPECT_EQ(all.status(), THIMBLE_STORAGE_OK);
  }
}

// 50 B in 5 + 7 + 10 B: whatever bit of them is another one, the row is not taken for right, and
// nothing but it is written (it has its exact size for AddressSanitizer).
TEST(CompressedTransfers, EveryFlippedBitIsFound) {
  for (const uint32_t chunk : {8U, 64U}) {
    CompressedStorage all({}, {0, 50, 64}, {64, chunk});
    all.write({mostly(3, 50, 10)});
    for (size_t bit = 0; bit < size_t{8} * 22; ++bit) {
      all.storage.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
      (void)all.read();
      EXPECT_EQ(all.status(), THIMBLE_STORAGE_CORRUPT) << bit;
      all.storage.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
    }
    EXPECT_EQ(all.read(), all.memory);
    EXPECT_EQ(all.status(), THIMBLE_STORAGE_OK);
  }
}

TEST(CompressedTransfers, EveryFlippedBitOfATagIsFound) {
  CompressedStorage all({}, {0, 50, 64}, {64, 16});
  all.write({mostly(3, 50, 10), noise(50)});
  for (size_t bit = 0; bit < 64; ++bit) {
    all.tags[bit / 32] ^= 1U << bit % 32;
    (void)all.read();
    EXPECT_EQ(all.status(), THIMBLE_STORAGE_CORRUPT) << bit;
    all.tags[bit / 32] ^= 1U << bit % 32;
  }
}

TEST(CompressedTransfers, AnyBytesInStorageAreHarmless) {
  zoo::Random random(6);
  CompressedStorage all({}, {0, 50, 64}, {64, 16});
  all.write({mostly(3, 50, 10)});
  for (int n = 0; n < 20'000 / kOneIn; ++n) {
    for (size_t k = 0; k < 64; ++k) all.storage.bytes[k] = static_cast<uint8_t>(random.next());
    // A length that may be: else the first word ends it.
    const uint8_t length[] = {static_cast<uint8_t>(random.between(6, 50)), 0, 0, 0};
    std::copy(std::begin(length), std::end(length), all.storage.bytes.begin());
    all.storage.begun.clear();
    (void)all.read();
    EXPECT_EQ(all.status(), THIMBLE_STORAGE_CORRUPT);
    EXPECT_LE(all.storage.begun.size(), 4U * (1 + kRetries)) << "within the record";
  }
}

TEST(CompressedTransfers, WhatFailsIsTriedAgain) {
  for (const Fault fault : {Fault::kRefused, Fault::kFailed, Fault::kFlipped}) {
    for (const int times : {1, kRetries, kRetries + 1}) {
      CompressedStorage all({.granule = 8}, {0, 64, 64}, {16, 8});
      all.write({mostly(3, 64, 16), noise(64), mostly(7, 64, 5)});
      // What differs is found at a record's end, whatever of its chunks it was.
      const bool always = fault == Fault::kFlipped && times > kRetries;
      all.fail(fault, always ? 1000 : times);
      const RecordBytes back = all.read();
      const int32_t wanted = times <= kRetries          ? THIMBLE_STORAGE_OK
                             : fault == Fault::kRefused ? THIMBLE_STORAGE_TIMED_OUT
                             : fault == Fault::kFailed  ? THIMBLE_STORAGE_READ_FAILED
                                                        : THIMBLE_STORAGE_CORRUPT;
      EXPECT_EQ(all.status(), wanted);
      EXPECT_TRUE(wanted != THIMBLE_STORAGE_OK || back == all.memory);
    }
  }
}

// The passage still has the chunk, so that it is written again; not where it would be twice.
TEST(CompressedTransfers, AChunkThatWasNotWrittenIsWrittenAgain) {
  for (const uint32_t block : {0U, 1024U}) {
    CompressedStorage all({.granule = 8, .block = block}, {0, 64, 64}, {16, 16});
    if (block != 0) {
      begin_erase(all.transfers, 2, 0, block);
      wait(all.transfers, 2);
    }
    const int first = static_cast<int>(all.storage.begun.size());
    all.storage.faults = [=](int n) { return n == first + 1 ? Fault::kFailed : Fault::kNone; };
    all.write({mostly(3, 64, 16)});
    if (block != 0) {
      EXPECT_EQ(all.status(), THIMBLE_STORAGE_WRITE_FAILED);
    } else {
      EXPECT_EQ(all.status(), THIMBLE_STORAGE_OK);
      EXPECT_EQ(all.read(), all.memory);
    }
  }
}

TEST(CompressedTransfers, WritesThatWereLostAreFound) {
  CompressedStorage all({}, {0, 64, 64}, {16, 16});
  all.write({mostly(3, 64, 16)});
  all.fail(Fault::kLost, 1);
  all.write({mostly(4, 64, 16)});
  (void)all.read();
  EXPECT_EQ(all.status(), THIMBLE_STORAGE_CORRUPT);
}

TEST(CompressedTransfers, NothingBeginsBehindAFault) {
  CompressedStorage all({}, {0, 64, 64}, {16, 16});
  all.write({mostly(3, 64, 16), noise(64)});
  RecordBytes back(128, 0xee);
  begin_compressed_read(all.transfers, 1, all.records, {back.data(), 0, 0}, all.tags.data(),
                        all.fetch.passage, 0, 2);
  all.transfers.status = THIMBLE_STORAGE_TIMED_OUT;  // of another token
  const size_t begun = all.storage.begun.size();
  wait_compressed(all.transfers, 1, all.fetch.passage);
  EXPECT_EQ(all.storage.begun.size(), begun);
  EXPECT_THAT(back, Each(0xee)) << "what has come is not looked at";
}

}  // namespace
}  // namespace thimble::testing
