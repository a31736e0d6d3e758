// SPDX-License-Identifier: Apache-2.0
#include "thimble_runtime/compress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/support/workload.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using PlainRecord = std::vector<uint8_t>;

// Buffers have the exact sizes: AddressSanitizer sees what is touched beyond.
PlainRecord compressed(const PlainRecord& record) {
  const auto size = static_cast<uint32_t>(record.size());
  PlainRecord bytes(runtime::compressed_bytes_at_most(size));
  std::array<uint32_t, runtime::kCompressScratchWords> scratch;
  scratch.fill(12345);
  const uint32_t count = runtime::compress(record.data(), size, bytes.data(), scratch.data());
  EXPECT_LE(count, bytes.size());
  bytes.resize(count);
  bytes.shrink_to_fit();
  return bytes;
}

bool decompressed(const PlainRecord& bytes, PlainRecord& record) {
  return runtime::decompress(bytes.data(), static_cast<uint32_t>(bytes.size()), record.data(),
                             static_cast<uint32_t>(record.size()));
}

void expect_round_trip(const PlainRecord& record) {
  PlainRecord back(record.size(), 0xee);
  EXPECT_TRUE(decompressed(compressed(record), back));
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
              ElementsAre(5, 0, 0, 0, 247, 0x24, 0x00, 5, 3));
  EXPECT_THAT(compressed({1, 2, 3}), ElementsAre(3, 0, 0, 0x80, 1, 2, 3));
}

TEST(Compress, TakesTheLowestOfSeveralValues) {
  EXPECT_THAT(compressed({9, 4, 9, 4, 9, 4}), ElementsAre(5, 0, 0, 0, 4, 0x15, 9, 9, 9));
}

TEST(Compress, EmptyRecordsAreAHeader) {
  EXPECT_THAT(compressed({}), ElementsAre(0, 0, 0, 0x80));
  expect_round_trip({});
}

TEST(Compress, ConstantRecordsAreBitsAlone) {
  for (const size_t size : {1U, 2U, 3U, 7U, 8U, 9U, 64U, 960U, 100'000U}) {
    const PlainRecord record(size, 0x80);
    expect_round_trip(record);
    const size_t body = 1 + (size + 7) / 8;
    EXPECT_EQ(compressed(record).size(), 4 + std::min(body, size));
  }
}

TEST(Compress, IncompressibleRecordsStayAsTheyAre) {
  PlainRecord record(256);
  std::iota(record.begin(), record.end(), uint8_t{0});
  EXPECT_EQ(compressed(record).size(), 260);
  expect_round_trip(record);
}

TEST(Compress, RandomRecordsComeBack) {
  zoo::Random random(1);
  int as_they_are = 0, shorter = 0;
  for (int n = 0; n < 5000 / kOneIn; ++n) {
    const PlainRecord record = random_record(random, random.between(0, 300), random.unit());
    expect_round_trip(record);
    ++(compressed(record).size() == record.size() + 4 ? as_they_are : shorter);
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
  EXPECT_EQ(compressed(record).size(), 4 + 1 + 1200 + 4992);
}

TEST(Decompress, RefusesWhatIsCutOff) {
  zoo::Random random(2);
  for (const double share : {0.0, 0.6}) {
    const PlainRecord record = random_record(random, 50, share);
    const PlainRecord whole = compressed(record);
    for (size_t size = 0; size < whole.size(); ++size) {
      const PlainRecord part(whole.begin(), whole.begin() + static_cast<int>(size));
      PlainRecord back(record.size(), 0xee);
      EXPECT_FALSE(decompressed(part, back)) << size;
      EXPECT_THAT(back, Each(0xee));
    }
  }
}

// The bytes of a compressed one's bitmap count: a few places more may be more of its value.
TEST(Decompress, RefusesRecordsOfAnotherLength) {
  zoo::Random random(2);
  for (const double share : {0.0, 0.6}) {
    const PlainRecord whole = compressed(random_record(random, 50, share));
    for (size_t size = 0; size < 100; ++size) {
      PlainRecord back(size);
      const bool alike = share == 0.0 ? size == 50 : (size + 7) / 8 == 7;
      EXPECT_TRUE(alike || !decompressed(whole, back)) << size;
    }
  }
}

TEST(Decompress, LeavesWhatFollowsAlone) {
  PlainRecord bytes = compressed({7, 7, 7, 7, 7, 7, 8, 7});
  bytes.resize(64, 0x33);
  PlainRecord back(8);
  EXPECT_TRUE(decompressed(bytes, back));
  EXPECT_THAT(back, ElementsAre(7, 7, 7, 7, 7, 7, 8, 7));
}

TEST(Decompress, RefusesBitsWithoutTheirPlaceOrValue) {
  PlainRecord back(5);
  EXPECT_TRUE(decompressed({3, 0, 0, 0, 1, 0x10, 9}, back));
  EXPECT_FALSE(decompressed({3, 0, 0, 0, 1, 0x20, 9}, back)) << "behind the last place";
  EXPECT_FALSE(decompressed({3, 0, 0, 0, 1, 0x11, 9}, back)) << "a value is missing";
  EXPECT_FALSE(decompressed({3, 0, 0, 0, 1, 0x00, 9}, back)) << "one too many";
}

TEST(Decompress, RefusesWhatWouldBeShorterAsItIs) {
  PlainRecord one(1), none;
  EXPECT_TRUE(decompressed({1, 0, 0, 0x80, 9}, one));
  EXPECT_FALSE(decompressed({2, 0, 0, 0, 9, 0}, one));
  EXPECT_FALSE(decompressed({1, 0, 0, 0, 9}, none));
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
  bytes.shrink_to_fit();
}

TEST(Decompress, TakesAnyBytes) {
  zoo::Random random(3);
  int refused = 0, taken = 0;
  for (int n = 0; n < 100'000; ++n) {
    const PlainRecord record = random_record(random, random.between(0, 70), random.unit());
    PlainRecord bytes = compressed(record);
    damage(random, bytes);
    PlainRecord back(record.size(), 0xee);
    if (decompressed(bytes, back)) {
      ++taken;
      continue;
    }
    ++refused;
    EXPECT_EQ(back, PlainRecord(record.size(), 0xee));
  }
  EXPECT_GT(refused, 30'000);
  EXPECT_GT(taken, 5'000);
}

}  // namespace
}  // namespace thimble::testing
