// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/sd_card.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <random>

#include "tests/storage/card_on_spi.h"
#include "tests/support/workload.h"
#include "thimble_runtime/transfers.h"

namespace thimble::testing {
namespace {

using CardFault = CardOnSpi::Fault;

constexpr uint32_t kFirst = 3, kBlocks = 40, kPatience = 600;
constexpr CardOnSpi::Kind kSdhc{}, kSdsc{.by_blocks = false},
    kOld{.by_blocks = false, .version_1 = true};

std::vector<uint8_t> numbered(size_t size, int first) {
  std::vector<uint8_t> result(size);
  for (size_t i = 0; i < size; ++i)
    result[i] = static_cast<uint8_t>(static_cast<size_t>(first) + i * 7 + i / 256);
  return result;
}

struct OnCard {
  explicit OnCard(const CardOnSpi::Kind& kind) : there(kind) {
    card = {.spi = there.bus(),
            .first_block = kFirst,
            .blocks = kBlocks,
            .patience = kPatience,
            .started = 0,
            .by_blocks = 0,
            .capacity_blocks = 0};
    storage = thimble_sd_card_open(&card);
  }
  int write(uint32_t offset, const std::vector<uint8_t>& bytes) {
    return storage.write_async(storage.context, 0, offset, bytes.data(),
                               static_cast<uint32_t>(bytes.size()));
  }
  int read(uint32_t offset, std::vector<uint8_t>& bytes) {
    return storage.read_async(storage.context, 0, offset, bytes.data(),
                              static_cast<uint32_t>(bytes.size()));
  }
  CardOnSpi there;
  thimble_sd_card card{};
  thimble_storage storage{};
};

TEST(SdCard, HoldsWhatIsWrittenWhateverItsKind) {
  for (const CardOnSpi::Kind& kind : {kSdhc, kSdsc, kOld}) {
    OnCard on(kind);
    const std::vector<uint8_t> many = numbered(1300, 1), few = numbered(100, 9);
    EXPECT_EQ(on.write(1024, many), 0);
    EXPECT_EQ(on.card.capacity_blocks, 1024U);
    EXPECT_EQ(on.card.by_blocks, kind.by_blocks ? 1 : 0);
    EXPECT_EQ(on.write(4096, few), 0);
    EXPECT_TRUE(std::equal(many.begin(), many.end(),
                           on.there.bytes.begin() + (kFirst + 2) * THIMBLE_SD_BLOCK));
    EXPECT_EQ(on.there.bytes[kFirst * 512 + 1024 + 1300], 0) << "the rest of the last block";
    EXPECT_EQ(on.there.bytes[kFirst * 512 + 1024 + 3 * 512], 0x5a) << "the next one";
    std::vector<uint8_t> back(1300), middle(700), one(100);
    EXPECT_EQ(on.read(1024, back), 0);
    EXPECT_EQ(back, many);
    EXPECT_EQ(on.read(1024 + 300, middle), 0);
    EXPECT_TRUE(std::equal(middle.begin(), middle.end(), many.begin() + 300));
    EXPECT_EQ(on.read(4096, one), 0);
    EXPECT_EQ(one, few);
  }
}

// Constants that lie one right behind the other are read in order: no block twice.
TEST(SdCard, ReadsOnFromABlockThatItHas) {
  uint8_t cache[THIMBLE_SD_BLOCK];
  int commands[2] = {};
  for (const bool cached : {false, true}) {
    OnCard on(kSdhc);
    const std::vector<uint8_t> stored = numbered(8 * 512, 3);
    ASSERT_EQ(on.write(0, stored), 0);
    if (cached) on.card.cache = cache;
    const int before = on.there.commands;
    std::vector<uint8_t> record(100);
    for (uint32_t at = 0; at + 100 <= stored.size(); at += 100) {
      ASSERT_EQ(on.read(at, record), 0);
      ASSERT_TRUE(std::equal(record.begin(), record.end(), stored.begin() + at)) << at;
    }
    commands[cached ? 1 : 0] = on.there.commands - before;
    const std::vector<uint8_t> other = numbered(100, 77);
    ASSERT_EQ(on.write(7 * 512, other), 0) << "over the block that it has";
    ASSERT_EQ(on.read(7 * 512, record), 0);
    EXPECT_EQ(record, other);
    on.there.faults = [](int) { return CardFault::kSilent; };
    EXPECT_NE(on.read(5 * 512, record), 0);
    on.there.faults = {};
    EXPECT_EQ(on.read(7 * 512, record), 0);
    EXPECT_EQ(record, other) << "it was taken out and put back";
  }
  EXPECT_LT(2 * commands[1], commands[0]);
}

TEST(SdCard, WhatIsNotThereIsRefused) {
  OnCard on(kSdhc);
  std::vector<uint8_t> bytes(600);
  EXPECT_EQ(on.write(10, bytes), THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_EQ(on.write((kBlocks - 1) * 512, bytes), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(on.read(kBlocks * 512, bytes), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(on.there.commands, 0) << "nobody asked the card";
  on.card.blocks = 1024;  // three more than it has behind the first ones
  EXPECT_EQ(on.read(0, bytes), THIMBLE_STORAGE_FULL);
}

TEST(SdCard, WithoutACardThereIsAStatus) {
  OnCard on(kSdhc);
  on.there.faults = [](int) { return CardFault::kSilent; };
  std::vector<uint8_t> bytes(600);
  EXPECT_EQ(thimble_sd_card_start(&on.card), THIMBLE_SD_NO_CARD);
  EXPECT_EQ(on.read(0, bytes), THIMBLE_SD_NO_CARD);
  on.there.faults = {};
  EXPECT_EQ(on.read(0, bytes), 0) << "it was put in";
}

/// Records to the card and back through the runtime: 0 and the same bytes, or a status.
int32_t trip(OnCard& on, int first, bool& right) {
  constexpr int32_t kRecords = 5;
  constexpr uint32_t kRecordBytes = 700;
  std::vector<runtime::InFlight> flights(2);
  runtime::Transfers transfers{&on.storage, flights.data(), 0};
  const runtime::Records records{
      .address = 512, .record_bytes = kRecordBytes, .stride_bytes = 1024};
  std::vector<uint8_t> held = numbered(kRecords * kRecordBytes, first), back(held.size());
  std::vector<uint32_t> tags(kRecords);
  begin_write(transfers, 0, records, {held.data(), 0, 0}, tags.data(), 0, kRecords);
  wait(transfers, 0);
  begin_read(transfers, 1, records, {back.data(), 0, 0}, tags.data(), 0, kRecords);
  wait(transfers, 1);
  right = back == held;
  return transfers.status;
}

// Each fault at each command, and several at random: a trip is right or has a status, the one
// behind it is right, and none goes on for ever. Nightly more than 10,000 faults.
TEST(SdCard, AFaultIsTriedAgainOrAStatus) {
  const std::vector<CardFault> all = {CardFault::kSilent,        CardFault::kFlippedCommand,
                                      CardFault::kFlippedAnswer, CardFault::kFlippedData,
                                      CardFault::kReadError,     CardFault::kWriteError,
                                      CardFault::kBusy,          CardFault::kRemoved};
  int64_t struck = 0, trips = 0, statuses = 0;
  const auto check_trip = [&](const CardOnSpi::Kind& kind, const CardOnSpi::Faults& faults) {
    OnCard on(kind);
    on.there.faults = faults;
    bool right = false;
    const int32_t status = trip(on, static_cast<int>(trips), right);
    EXPECT_TRUE(right || status != 0) << "wrong, and nobody says so";
    EXPECT_LT(on.there.bus_bytes, 4'000'000) << "it goes on and on";
    const auto& all_bytes = on.there.bytes;
    const auto first = all_bytes.begin() + kFirst * 512, last = first + kBlocks * 512;
    const auto untouched = [](uint8_t byte) { return byte == 0x5a; };
    EXPECT_TRUE(std::all_of(all_bytes.begin(), first, untouched) &&
                std::all_of(last, all_bytes.end(), untouched))
        << "blocks of others";
    struck += on.there.struck;
    ++trips;
    statuses += status != 0 ? 1 : 0;
    on.there.faults = {};
    // A card that is away, or busy, until it is taken out: the firmware's user does that.
    if (status != 0) {
      OnCard anew(kind);
      EXPECT_EQ(trip(anew, 1, right), 0);
    } else {
      EXPECT_EQ(trip(on, 1, right), 0);
    }
    EXPECT_TRUE(right);
    return !HasFailure();
  };
  for (const CardOnSpi::Kind& kind : {kSdhc, kSdsc}) {
    for (const CardFault fault : all) {
      for (int at = 0; at < 60; ++at) {
        if (!check_trip(kind, [=](int n) { return n == at ? fault : CardFault::kNone; })) return;
      }
    }
  }
  const uint64_t random_trips = random_cases(900, 12'000);
  for (uint64_t seed = 0; seed < random_trips; ++seed) {
    std::mt19937_64 random(seed);
    const uint64_t one_in = 4 + random() % 40;
    const auto faults = [&](int) {
      const uint64_t draw = random();
      return draw % one_in == 0 ? all[draw / one_in % all.size()] : CardFault::kNone;
    };
    if (!check_trip(seed % 2 == 0 ? kSdhc : kSdsc, faults)) return;
  }
  std::printf("%lld faults in %lld trips, of which %lld ended with a status\n",
              static_cast<long long>(struck), static_cast<long long>(trips),
              static_cast<long long>(statuses));
  EXPECT_GT(struck, workload().nightly ? 10'000 : 1'000);
  EXPECT_LT(statuses, trips / 2);
}

}  // namespace
}  // namespace thimble::testing
