// SPDX-License-Identifier: Apache-2.0
// What transfers make of faults: tried again, then a status; never wrong bytes in silence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "tests/storage/watched_storage.h"
#include "tests/support/workload.h"
#include "thimble_runtime/transfers.h"
#include "zoo/random.h"

namespace thimble::testing {
namespace {

using runtime::InFlight;
using runtime::kRetries;
using runtime::Records;
using runtime::Transfers;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using Fault = WatchedStorage::Fault;

// Three records of 24 bytes, stored and to be read.
struct Stored {
  explicit Stored(const WatchedStorage::Shape& shape = {}) : storage(shape) {
    for (size_t i = 0; i < written.size(); ++i) written[i] = static_cast<uint8_t>(7 * i);
    if (shape.block != 0) erase();
    write();
    storage.begun.clear();
    storage.waits = 0;
  }

  void erase() {
    begin_erase(transfers, 0, 0, 128);
    wait(transfers, 0);
  }
  void write() {
    begin_write(transfers, 0, records, {written.data(), 0, 0}, tags.data(), 0, 3);
    wait(transfers, 0);
  }
  void read() {
    begin_read(transfers, 1, records, {read_back.data(), 0, 0}, tags.data(), 0, 3);
    wait(transfers, 1);
  }
  // From now on `times` operations go wrong.
  void fail(Fault fault, int times) {
    const int first = static_cast<int>(storage.begun.size());
    storage.faults = [=](int n) { return n < first + times ? fault : Fault::kNone; };
  }

  WatchedStorage storage;
  std::array<InFlight, 4> flights{};
  Transfers transfers{storage.driver(), flights.data(), THIMBLE_STORAGE_OK};
  Records records{0, 24, 24};
  std::array<uint32_t, 3> tags{};
  std::array<uint8_t, 72> written{}, read_back{};
};

constexpr WatchedStorage::Shape kFlash = {.size = 128, .granule = 8, .block = 128};

TEST(TransferFaults, EveryFlippedBitIsFound) {
  Stored stored;
  for (size_t bit = 0; bit < 8 * stored.written.size(); ++bit) {
    stored.storage.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
    stored.storage.begun.clear();
    stored.transfers.status = THIMBLE_STORAGE_OK;
    stored.read();
    EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_CORRUPT) << bit;
    EXPECT_THAT(stored.storage.begun, SizeIs(1 + kRetries));
    stored.storage.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
  }
  stored.transfers.status = THIMBLE_STORAGE_OK;
  stored.read();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_OK);
}

TEST(TransferFaults, EveryFlippedBitOfATagIsFound) {
  Stored stored;
  for (size_t bit = 0; bit < 32 * stored.tags.size(); ++bit) {
    stored.tags[bit / 32] ^= 1U << bit % 32;
    stored.transfers.status = THIMBLE_STORAGE_OK;
    stored.read();
    EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_CORRUPT) << bit;
    stored.tags[bit / 32] ^= 1U << bit % 32;
  }
}

TEST(TransferFaults, RecordsOfOthersAreFound) {
  Stored stored;
  std::swap_ranges(stored.storage.bytes.begin(), stored.storage.bytes.begin() + 24,
                   stored.storage.bytes.begin() + 24);
  stored.read();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_CORRUPT);
}

TEST(TransferFaults, StaleRecordsAreFound) {
  Stored stored;
  for (uint8_t& byte : stored.written) ++byte;
  stored.fail(Fault::kLost, 1);
  stored.write();
  stored.read();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_CORRUPT);
}

TEST(TransferFaults, WhatIsReadWronglyIsReadAgainFromThereOn) {
  Stored stored;
  stored.fail(Fault::kFlipped, 1);  // in the middle of the second record
  stored.read();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_OK);
  EXPECT_EQ(stored.read_back, stored.written);
  EXPECT_THAT(stored.storage.begun, ElementsAre("read 0+72", "read 24+48"));
}

TEST(TransferFaults, ReadsAreTriedAgainAndThenAreTheStatus) {
  for (const Fault fault : {Fault::kRefused, Fault::kFailed, Fault::kFlipped}) {
    for (const int times : {1, kRetries, kRetries + 1}) {
      Stored stored;
      stored.fail(fault, times);
      stored.read();
      const int expected = times <= kRetries          ? THIMBLE_STORAGE_OK
                           : fault == Fault::kRefused ? THIMBLE_STORAGE_TIMED_OUT
                           : fault == Fault::kFailed  ? THIMBLE_STORAGE_READ_FAILED
                                                      : THIMBLE_STORAGE_CORRUPT;
      EXPECT_EQ(stored.transfers.status, expected);
      EXPECT_THAT(stored.storage.begun, SizeIs(std::min(times, kRetries) + 1));
      if (expected == THIMBLE_STORAGE_OK) {
        EXPECT_EQ(stored.read_back, stored.written);
      }
    }
  }
}

TEST(TransferFaults, ErasesAreTriedAgainAndThenAreTheStatus) {
  for (const Fault fault : {Fault::kRefused, Fault::kFailed}) {
    for (const int times : {1, kRetries, kRetries + 1}) {
      Stored stored(kFlash);
      stored.fail(fault, times);
      stored.erase();
      EXPECT_EQ(stored.transfers.status == THIMBLE_STORAGE_OK, times <= kRetries);
      EXPECT_THAT(stored.storage.begun, SizeIs(std::min(times, kRetries) + 1));
    }
  }
}

TEST(TransferFaults, WritesAreTriedAgainWhereBytesAreOverwritten) {
  for (const Fault fault : {Fault::kRefused, Fault::kFailed}) {
    for (const int times : {1, kRetries, kRetries + 1}) {
      Stored stored;
      for (uint8_t& byte : stored.written) ++byte;
      stored.fail(fault, times);
      stored.write();
      EXPECT_EQ(stored.transfers.status == THIMBLE_STORAGE_OK, times <= kRetries);
      stored.read();
      if (times <= kRetries) {
        EXPECT_EQ(stored.read_back, stored.written);
      }
    }
  }
}

// The double fails a write to bytes that were written in part.
TEST(TransferFaults, WhatIsErasedIsNotWrittenTwice) {
  Stored stored(kFlash);
  stored.erase();
  stored.fail(Fault::kFailed, 1);
  stored.write();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_THAT(stored.storage.begun, ElementsAre("erase 0+128", "write 0+72"));
}

TEST(TransferFaults, RefusedWritesOfWhatIsErasedAreTriedAgain) {
  Stored stored(kFlash);
  stored.erase();
  stored.fail(Fault::kRefused, kRetries);
  stored.write();
  stored.read();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_OK);
  EXPECT_EQ(stored.read_back, stored.written);
}

TEST(TransferFaults, GoOnWhereTheFaultWas) {
  Stored stored;
  stored.records.stride_bytes = 32;
  stored.storage.faults = [](int n) { return n == 1 ? Fault::kFailed : Fault::kNone; };
  stored.write();
  EXPECT_THAT(stored.storage.begun,
              ElementsAre("write 0+24", "write 32+24", "write 32+24", "write 64+24"));
  stored.read();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_OK);
  EXPECT_EQ(stored.read_back, stored.written);
}

// The records of a transfer share its tries: what fails now and then ends.
TEST(TransferFaults, AreCountedByTransfer) {
  Stored stored;
  stored.records.stride_bytes = 32;
  stored.storage.faults = [](int n) { return n % 2 == 0 ? Fault::kFailed : Fault::kNone; };
  stored.write();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_OK) << "three faults";
  stored.storage.faults = [](int n) { return n % 3 != 0 ? Fault::kFailed : Fault::kNone; };
  stored.write();
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_WRITE_FAILED) << "four";
}

TEST(TransferFaults, NothingBeginsAfterThem) {
  Stored stored;
  stored.records.stride_bytes = 32;
  std::array<uint8_t, 72> other{};
  begin_read(stored.transfers, 2, stored.records, {other.data(), 0, 0}, stored.tags.data(), 0, 3);
  stored.fail(Fault::kRefused, 100);
  stored.read();
  ASSERT_EQ(stored.transfers.status, THIMBLE_STORAGE_TIMED_OUT);
  const size_t begun = stored.storage.begun.size();
  stored.storage.faults = nullptr;
  const std::array<uint32_t, 3> tags = stored.tags;
  for (uint8_t& byte : stored.written) ++byte;
  stored.write();
  stored.read();
  begin_erase(stored.transfers, 3, 0, 64);
  wait(stored.transfers, 3);
  wait(stored.transfers, 2);  // whose second and third record do not follow
  EXPECT_EQ(stored.storage.begun.size(), begun);
  EXPECT_EQ(stored.storage.waits, 1) << "for the one in flight";
  EXPECT_EQ(stored.storage.in_flight(), 0);
  EXPECT_EQ(stored.tags, tags);
  EXPECT_EQ(stored.transfers.status, THIMBLE_STORAGE_TIMED_OUT) << "the first fault's";
}

// Tensors that are written and read in pieces and rings, two at a time, while a share of all
// operations goes wrong.
class RandomTransfers {
 public:
  RandomTransfers(uint64_t seed, double fault_rate, bool flash)
      : random_(seed),
        storage_({.size = 512,
                  .tokens = 2,
                  .granule = flash ? 8U : 1U,
                  .block = flash ? 256U : 0U,
                  .queue = 2}) {
    storage_.faults = [this, fault_rate, flash](int) {
      if (!random_.chance(fault_rate)) return Fault::kNone;
      // A write that is lost leaves bytes erased, which a later one must not find.
      return static_cast<Fault>(random_.between(1, flash ? 3 : 4));
    };
    for (size_t k = 0; k < 2; ++k) {
      const auto bytes = static_cast<uint32_t>(random_.between(1, 20));
      const uint32_t stride = flash ? (bytes + 7) / 8 * 8 : bytes + (random_.chance(0.5) ? 3 : 0);
      tensors_[k].records = {static_cast<uint32_t>(256 * k), bytes, stride};
    }
  }

  // The status.
  int run() {
    for (int step = 0; step < 6 && transfers_.status == THIMBLE_STORAGE_OK; ++step) {
      for (int32_t k = 0; k < 2; ++k)
        begin_erase(transfers_, k, 256U * static_cast<uint32_t>(k), 256);
      wait_for_both();
      for (int32_t k = 0; k < 2; ++k) begin_new(k);
      wait_for_both();
      if (transfers_.status == THIMBLE_STORAGE_OK) read_in_pieces();
    }
    return transfers_.status;
  }
  [[nodiscard]] size_t operations() const { return storage_.begun.size(); }

 private:
  static constexpr int32_t kCount = 8;  // records of each
  struct Tensor {
    Records records;
    std::vector<uint8_t> held, read;
    std::array<uint32_t, kCount> tags{};
  };

  void wait_for_both() {
    const int32_t first = random_.chance(0.5) ? 1 : 0;
    wait(transfers_, first);
    wait(transfers_, 1 - first);
  }

  void begin_new(int32_t k) {
    Tensor& tensor = tensors_[static_cast<size_t>(k)];
    tensor.held.resize(kCount * tensor.records.record_bytes);
    for (uint8_t& byte : tensor.held) byte = static_cast<uint8_t>(random_.next());
    begin_write(transfers_, k, tensor.records, {tensor.held.data(), 0, 0}, tensor.tags.data(), 0,
                kCount);
  }

  void read_in_pieces() {
    const auto rows = static_cast<int32_t>(random_.between(1, kCount));
    for (int32_t first = 0; first < kCount; first += rows) {
      const int32_t end = std::min(first + rows, kCount);
      for (int32_t k = 0; k < 2; ++k) {
        Tensor& tensor = tensors_[static_cast<size_t>(k)];
        tensor.read.assign(static_cast<size_t>(rows) * tensor.records.record_bytes, 0);
        begin_read(transfers_, k, tensor.records, {tensor.read.data(), 0, rows}, tensor.tags.data(),
                   first, end);
      }
      wait_for_both();
      if (transfers_.status != THIMBLE_STORAGE_OK) return;
      for (int32_t r = first; r < end; ++r) {
        for (const Tensor& tensor : tensors_) expect_record(tensor, r, r % rows);
      }
    }
  }

  static void expect_record(const Tensor& tensor, int32_t record, int32_t row) {
    const auto bytes = static_cast<int32_t>(tensor.records.record_bytes);
    EXPECT_TRUE(std::equal(tensor.read.begin() + row * bytes,
                           tensor.read.begin() + (row + 1) * bytes,
                           tensor.held.begin() + record * bytes))
        << "wrong, and nobody says so";
  }

  zoo::Random random_;
  WatchedStorage storage_;
  std::array<InFlight, 2> flights_{};
  Transfers transfers_{storage_.driver(), flights_.data(), THIMBLE_STORAGE_OK};
  std::array<Tensor, 2> tensors_;
};

TEST(TransferFaults, AreAStatusOrMakeNoDifference) {
  int good = 0, bad = 0;
  size_t operations = 0;
  for (uint64_t seed = 0; seed < 2000 / kOneIn; ++seed) {
    RandomTransfers random(seed, seed % 4 == 0 ? 0 : 0.01 * static_cast<double>(seed % 10),
                           seed % 3 == 0);
    const int status = random.run();
    EXPECT_TRUE(seed % 4 != 0 || status == THIMBLE_STORAGE_OK) << "without faults";
    ++(status == THIMBLE_STORAGE_OK ? good : bad);
    operations += random.operations();
    if (HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(good, 900 / kOneIn);
  EXPECT_GT(bad, 200 / kOneIn);
  EXPECT_GT(operations, 100'000 / kOneIn);
}

}  // namespace
}  // namespace thimble::testing
