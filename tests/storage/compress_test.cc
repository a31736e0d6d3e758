// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/compress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/workload.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

using runtime::RecordCoding;
using ::testing::ElementsAre;
using PlainRecord = std::vector<uint8_t>;

uint32_t size_of(const PlainRecord& record) {
  return runtime::compressed_size(record.data(), static_cast<uint32_t>(record.size()));
}

// So many bytes at a time. Buffers have the exact sizes: AddressSanitizer sees what is touched
// beyond.
PlainRecord compressed(const PlainRecord& record, uint32_t room = 1000) {
  const auto size = static_cast<uint32_t>(record.size());
  RecordCoding coding;
  runtime::begin_compress(coding, record.data(), size);
  PlainRecord all;
  for (;;) {
    PlainRecord part(room);
    const uint32_t count = runtime::compress(coding, record.data(), size, part.data(), room);
    EXPECT_LE(count, room);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<int>(count));
    if (count < room) return all;
  }
}

bool decompressed(const PlainRecord& bytes, PlainRecord& record, uint32_t at_once = 1000) {
  const auto size = static_cast<uint32_t>(record.size());
  RecordCoding coding{};
  for (size_t at = 0; at < bytes.size(); at += at_once) {
    const size_t end = std::min(bytes.size(), at + at_once);
    const PlainRecord part(bytes.begin() + static_cast<int>(at),
                           bytes.begin() + static_cast<int>(end));
    if (!runtime::decompress(coding, part.data(), static_cast<uint32_t>(part.size()), record.data(),
                             size))
      return false;
  }
  return runtime::is_decompressed(coding, size);
}

void expect_round_trip(const PlainRecord& record, uint32_t at_once) {
  const PlainRecord bytes = compressed(record, at_once);
  EXPECT_EQ(bytes.size(), size_of(record));
  PlainRecord back(record.size(), 0xee);
  EXPECT_TRUE(decompressed(bytes, back, at_once));
  EXPECT_EQ(back, record);
}

// A share of values is the same.
PlainRecord random_record(zoo::Random& random, int64_t size, double share) {
  PlainRecord record(static_cast<size_t>(size));
  const auto frequent = static_cast<uint8_t>(random.next());
  for (uint8_t& value : record)
    value = random.chance(share) ? frequent : static_cast<uint8_t>(random.next());
  return record;
}

TEST(Compress, WritesTheFormat) {
  EXPECT_THAT(compressed({247, 247, 5, 247, 247, 3, 247, 247, 247, 247}),
              ElementsAre(5, 0, 0, 0, 247, 0x24, 5, 3, 0x00));
  EXPECT_THAT(compressed({9, 9, 9, 9, 9, 9, 9, 9, 1, 2, 9}),
              ElementsAre(5, 0, 0, 0, 9, 0x00, 0x03, 1, 2));
}

TEST(Compress, TakesTheLowestOfSeveralValues) {
  EXPECT_EQ(compressed({9, 4, 9, 4, 9, 4, 9, 4, 9, 4, 9, 4, 9, 4, 9, 4})[4], 4);
}

TEST(Compress, ConstantRecordsAreBitsAlone) {
  for (const size_t size : {8U, 9U, 64U, 960U, 100'000U}) {
    const PlainRecord record(size, 0x80);
    expect_round_trip(record, 64);
    EXPECT_EQ(size_of(record), 5 + (size + 7) / 8);
  }
}

TEST(Compress, WhatIsNotShorterHasNoSize) {
  for (size_t size = 0; size < 7; ++size) EXPECT_EQ(size_of(PlainRecord(size, 5)), 0);
  EXPECT_EQ(size_of(PlainRecord(7, 5)), 6);
  PlainRecord counted(256);
  std::iota(counted.begin(), counted.end(), uint8_t{0});
  EXPECT_EQ(size_of(counted), 0);
}

// Seven candidates find the same value as counts of all: it is worth nothing below an eighth.
TEST(Compress, SizeIsThatOfTheMostFrequentValue) {
  zoo::Random random(4);
  int shorter = 0;
  for (int n = 0; n < 20'000 / kOneIn; ++n) {
    PlainRecord record = random_record(random, random.between(0, 200), 0.4 * random.unit());
    const int64_t values = random.between(2, 40);
    for (uint8_t& value : record) value = static_cast<uint8_t>(value % values);
    std::vector<size_t> counts(256);
    for (const uint8_t value : record) ++counts[value];
    const size_t size =
        5 + (record.size() + 7) / 8 + record.size() - *std::ranges::max_element(counts);
    EXPECT_EQ(size_of(record), size < record.size() ? size : 0);
    shorter += size < record.size() ? 1 : 0;
  }
  EXPECT_GT(shorter, 5'000 / kOneIn);
}

TEST(Compress, RandomRecordsComeBackInPartsOfAnySize) {
  zoo::Random random(1);
  int as_they_are = 0, shorter = 0;
  for (int n = 0; n < 5000 / kOneIn; ++n) {
    const PlainRecord record = random_record(random, random.between(0, 300), random.unit());
    if (size_of(record) == 0) {
      ++as_they_are;
      continue;
    }
    ++shorter;
    expect_round_trip(record, static_cast<uint32_t>(random.between(1, 40)));
  }
  EXPECT_GT(as_they_are, 300 / kOneIn);
  EXPECT_GT(shorter, 3000 / kOneIn);
}

// What TinySeg reports of its networks, 43 to 48 %, makes 0.70 to 0.65 of a record.
TEST(Compress, HalfOfOneValueIsAbout65Percent) {
  PlainRecord record(9600, 3);
  for (size_t i = 0; i < record.size(); ++i) {
    if (i % 100 >= 48) record[i] = static_cast<uint8_t>(4 + i % 200);
  }
  EXPECT_EQ(size_of(record), 4 + 1 + 1200 + 4992);
}

TEST(Decompress, WhatIsCutOffIsNoRecord) {
  zoo::Random random(2);
  const PlainRecord record = random_record(random, 50, 0.6), whole = compressed(record);
  for (size_t size = 0; size < whole.size(); ++size) {
    const PlainRecord part(whole.begin(), whole.begin() + static_cast<int>(size));
    PlainRecord back(record.size());
    EXPECT_FALSE(decompressed(part, back)) << size;
  }
}

// The last bits count: a few places more may be more of its value.
TEST(Decompress, RefusesRecordsOfAnotherLength) {
  zoo::Random random(2);
  const PlainRecord whole = compressed(random_record(random, 50, 0.6));
  for (size_t size = 0; size < 100; ++size) {
    PlainRecord back(size);
    EXPECT_TRUE((size + 7) / 8 == 7 || !decompressed(whole, back)) << size;
  }
}

TEST(Decompress, IgnoresWhatFollows) {
  PlainRecord bytes = compressed({7, 7, 7, 7, 7, 7, 8, 7});
  bytes.resize(64, 0x33);
  PlainRecord back(8);
  EXPECT_TRUE(decompressed(bytes, back));
  EXPECT_THAT(back, ElementsAre(7, 7, 7, 7, 7, 7, 8, 7));
}

TEST(Decompress, RefusesBitsWithoutTheirPlaceOrValue) {
  PlainRecord back(12);
  const PlainRecord good = {4, 0, 0, 0, 1, 0x10, 9, 0x00};
  EXPECT_TRUE(decompressed(good, back));
  EXPECT_FALSE(decompressed({4, 0, 0, 0, 1, 0x10, 9, 0x10}, back)) << "behind the last place";
  EXPECT_FALSE(decompressed({4, 0, 0, 0, 1, 0x11, 9, 0x00}, back)) << "a value is missing";
  EXPECT_FALSE(decompressed({4, 0, 0, 0, 1, 0x00, 0x00, 0x00}, back)) << "one too many";
  EXPECT_FALSE(decompressed({8, 0, 0, 0, 1, 0x10, 9, 0x00}, back)) << "no shorter than it was";
  EXPECT_FALSE(decompressed({2, 0, 0, 0, 1, 0x10, 9, 0x00}, back)) << "shorter than its bits";
  EXPECT_FALSE(decompressed({4, 0, 0, 0x80, 1, 0x10, 9, 0x00}, back)) << "longer than anything";
}

// Changes a valid record: bits, bytes, its length, parts of it; or bytes at random.
void damage(zoo::Random& random, PlainRecord& bytes) {
  for (int64_t times = random.between(1, 3); times > 0; --times) {
    const size_t at = bytes.empty() ? 0 : static_cast<size_t>(random.next() % bytes.size());
    switch (random.between(0, 4)) {
      case 0:
        if (!bytes.empty()) bytes[at] ^= static_cast<uint8_t>(1U << random.between(0, 7));
        break;
      case 1:
        if (!bytes.empty()) bytes[at % 4 % bytes.size()] = static_cast<uint8_t>(random.next());
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(bytes.begin() + static_cast<int>(at), static_cast<uint8_t>(random.next()));
        break;
      default:
        for (size_t i = at; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(random.next());
    }
  }
}

TEST(Decompress, TakesAnyBytesAndKeepsToItsRecord) {
  zoo::Random random(3);
  int refused = 0, taken = 0;
  for (int n = 0; n < 100'000; ++n) {
    const PlainRecord record = random_record(random, random.between(7, 70), random.unit());
    PlainRecord bytes =
        size_of(record) == 0 ? PlainRecord(record) : compressed(record);  // or no such bytes
    damage(random, bytes);
    PlainRecord guarded(record.size());
    ++(decompressed(bytes, guarded, static_cast<uint32_t>(random.between(1, 80))) ? taken
                                                                                  : refused);
  }
  EXPECT_GT(refused, 30'000);
  EXPECT_GT(taken, 2'000);
}

}  // namespace
}  // namespace thimble::testing
