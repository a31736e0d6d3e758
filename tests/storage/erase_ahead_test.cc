// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/erase_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/storage/watched_storage.h"
#include "thimble_runtime/transfers.h"

namespace thimble::testing {
namespace {

using runtime::InFlight;
using runtime::Records;
using ::testing::ElementsAre;
using Fault = WatchedStorage::Fault;

// Areas of two blocks. The network has tokens 0 to 2.
constexpr WatchedStorage::Shape kTwoAreas = {.size = 1024, .granule = 4, .block = 256, .queue = 4};
constexpr uint32_t kArea = 512, kAhead = 3;

struct ErasedAhead {
  WatchedStorage inner{kTwoAreas};
  thimble_erase_ahead twice{.inner = inner.driver(),
                            .area = kArea,
                            .token = kAhead,
                            .used = 0,
                            .begin = 0,
                            .end = 0,
                            .ahead = 0,
                            .had = 0};
  thimble_storage storage = thimble_erase_ahead_open(&twice);
  std::vector<InFlight> flights = std::vector<InFlight>(3);
  runtime::Transfers transfers{.storage = &storage, .flights = flights.data(), .status = 0};

  /// Erases, writes eight records of 20 B, reads them: whether they are what they were, or the
  /// status.
  int inference(uint8_t first) {
    transfers.status = 0;
    std::fill(flights.begin(), flights.end(), InFlight{});
    const Records records{.address = 256, .record_bytes = 20, .stride_bytes = 20};
    std::vector<uint8_t> held(160), read(160);
    std::iota(held.begin(), held.end(), first);
    std::vector<uint32_t> tags(8);
    runtime::begin_erase(transfers, 0, 256, 256);
    runtime::wait(transfers, 0);
    runtime::begin_write(transfers, 0, records, {held.data(), 0, 0}, tags.data(), 0, 8);
    runtime::wait(transfers, 0);
    runtime::begin_read(transfers, 1, records, {read.data(), 0, 0}, tags.data(), 0, 8);
    runtime::wait(transfers, 1);
    if (transfers.status != 0) {
      storage.cancel(storage.context);
      return transfers.status;
    }
    EXPECT_EQ(read, held);
    return 0;
  }

  /// Ends what is in flight behind the last inference.
  ~ErasedAhead() { storage.cancel(storage.context); }
  ErasedAhead() = default;
  ErasedAhead(const ErasedAhead&) = delete;
  ErasedAhead& operator=(const ErasedAhead&) = delete;
};

TEST(EraseAhead, AreasTakeTurnsAndOnlyTheFirstInferenceWaits) {
  ErasedAhead s;
  EXPECT_EQ(s.inference(1), 0);
  EXPECT_THAT(s.inner.begun,
              ElementsAre("erase 256+256", "erase 768+256", "write 256+160", "read 256+160"));
  EXPECT_EQ(s.inner.in_flight(), 1) << "for the next one";
  s.inner.begun.clear();
  EXPECT_EQ(s.inference(2), 0);
  EXPECT_THAT(s.inner.begun, ElementsAre("erase 256+256", "write 768+160", "read 768+160"));
  s.inner.begun.clear();
  EXPECT_EQ(s.inference(3), 0);
  EXPECT_THAT(s.inner.begun, ElementsAre("erase 768+256", "write 256+160", "read 256+160"));
}

TEST(EraseAhead, WhatFailedAheadIsErasedWhenItIsAskedFor) {
  for (const Fault fault : {Fault::kRefused, Fault::kFailed}) {
    ErasedAhead s;
    s.inner.faults = [&](int n) { return n == 1 ? fault : Fault::kNone; };
    EXPECT_EQ(s.inference(1), 0);
    s.inner.begun.clear();
    EXPECT_EQ(s.inference(2), 0);
    EXPECT_THAT(s.inner.begun,
                ElementsAre("erase 256+256", "erase 768+256", "write 256+160", "read 256+160"));
  }
}

// Bytes that the erase before did not have are not erased yet.
TEST(EraseAhead, MoreThanWasErasedIsErased) {
  ErasedAhead s;
  EXPECT_EQ(s.inference(1), 0);
  s.inner.begun.clear();
  EXPECT_EQ(s.storage.erase_async(s.storage.context, 2, 0, kArea), 0);
  EXPECT_THAT(s.inner.begun, ElementsAre("erase 0+512", "erase 512+512"));
  EXPECT_EQ(s.storage.wait(s.storage.context, 2), 0);
  EXPECT_EQ(s.inference(2), 0);
}

// Whatever fails, the next inference is right; a write that failed is a status of this one.
TEST(EraseAhead, EveryFaultIsAStatusOrTriedAgain) {
  for (const Fault fault : {Fault::kRefused, Fault::kFailed, Fault::kFlipped}) {
    for (int at = 0; at < 8; ++at) {
      ErasedAhead s;
      s.inner.faults = [&](int n) { return n == at ? fault : Fault::kNone; };
      for (uint8_t k = 0; k < 2; ++k) {
        const int status = s.inference(k);
        EXPECT_TRUE(status == 0 || status == THIMBLE_STORAGE_WRITE_FAILED)
            << status << " at " << at;
      }
      s.inner.faults = {};
      EXPECT_EQ(s.inference(7), 0) << at;
    }
  }
}

TEST(EraseAhead, BeyondAnAreaThereIsNothing) {
  ErasedAhead s;
  uint8_t byte = 0;
  EXPECT_EQ(s.storage.read_async(s.storage.context, 0, kArea, &byte, 1), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(s.storage.write_async(s.storage.context, 0, kArea, &byte, 1), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(s.storage.erase_async(s.storage.context, 0, 256, 512), THIMBLE_STORAGE_FULL);
  EXPECT_THAT(s.inner.begun, ::testing::IsEmpty());
}

}  // namespace
}  // namespace thimble::testing
