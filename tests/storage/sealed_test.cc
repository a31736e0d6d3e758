// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/sealed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "tests/storage/toy_aead.h"
#include "tests/storage/watched_storage.h"
#include "thimble_runtime/transfers.h"
#ifdef THIMBLE_HAS_MBEDTLS
#include "runtime/storage/aead_mbedtls.h"
#endif

namespace thimble::testing {
namespace {

using Fault = WatchedStorage::Fault;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kCell = 32, kStride = 48;
constexpr WatchedStorage::Shape kNor = {.size = 1024, .granule = 8, .block = 256, .queue = 1};
constexpr WatchedStorage::Shape kOverwritten = {.size = 1024, .granule = 8, .queue = 1};

Bytes counted(uint32_t size, uint8_t first = 1) {
  Bytes bytes(size);
  std::iota(bytes.begin(), bytes.end(), first);
  return bytes;
}

// Cells of 32 bytes, 48 apart; of flash, five of them in a block.
struct Sealed {
  explicit Sealed(const WatchedStorage::Shape& shape, const thimble_aead* other = nullptr)
      : inner(shape) {
    sealed = {.inner = inner.driver(),
              .aead = other == nullptr ? toy.aead() : other,
              .inner_size = shape.size,
              .inner_granule = shape.granule,
              .inner_block = shape.block,
              .cell = kCell,
              .salt = {1, 2, 3, 4, 5, 6, 7, 8},
              .counters = counters.data(),
              .counter_count = static_cast<uint32_t>(counters.size()),
              .buffer = buffer.data(),
              .buffer_size = static_cast<uint32_t>(buffer.size()),
              .statuses = statuses.data(),
              .tokens = static_cast<uint32_t>(statuses.size()),
              .written = 0};
    storage = thimble_sealed_open(&sealed);
  }

  int write(uint32_t offset, const Bytes& bytes) {
    return ended(0, storage.write_async(storage.context, 0, offset, bytes.data(), size_of(bytes)));
  }
  int read(uint32_t offset, Bytes& bytes) {
    return ended(1, storage.read_async(storage.context, 1, offset, bytes.data(), size_of(bytes)));
  }
  int erase(uint32_t offset, uint32_t size) {
    return ended(2, storage.erase_async(storage.context, 2, offset, size));
  }
  int ended(uint32_t token, int begun) {
    return begun != 0 ? begun : storage.wait(storage.context, token);
  }
  static uint32_t size_of(const Bytes& bytes) { return static_cast<uint32_t>(bytes.size()); }

  WatchedStorage inner;
  ToyAead toy;
  std::array<uint32_t, 20> counters{};
  std::array<uint8_t, kStride> buffer{};
  std::array<int, 3> statuses{};
  thimble_sealed sealed{};
  thimble_storage storage{};
};

TEST(Sealed, HoldsWhatIsWritten) {
  for (const WatchedStorage::Shape& shape : {kNor, kOverwritten}) {
    Sealed s(shape);
    EXPECT_EQ(thimble_sealed_stride(&s.sealed), kStride);
    EXPECT_EQ(thimble_sealed_block(&s.sealed), shape.block == 0 ? 0 : 5 * kCell);
    EXPECT_EQ(thimble_sealed_bytes(&s.sealed), 20 * kCell);
    EXPECT_EQ(s.storage.erase_async == nullptr, shape.block == 0);
    if (shape.block != 0) {
      EXPECT_EQ(s.erase(0, 20 * kCell), 0);
    }
    EXPECT_EQ(s.write(kCell, counted(300)), 0) << "over blocks, the last cell in part";
    Bytes all(300), part(50);
    EXPECT_EQ(s.read(kCell, all), 0);
    EXPECT_EQ(all, counted(300));
    EXPECT_EQ(s.read(kCell + 70, part), 0);
    EXPECT_EQ(part, counted(50, 71));
    const Bytes run = counted(16, 9);
    EXPECT_EQ(std::search(s.inner.bytes.begin(), s.inner.bytes.end(), run.begin(), run.end()),
              s.inner.bytes.end())
        << "it lies there as it is";
  }
}

TEST(Sealed, FindsEveryFlippedBit) {
  Sealed s(kOverwritten);
  ASSERT_EQ(s.write(0, counted(2 * kCell)), 0);
  Bytes back(2 * kCell);
  for (uint32_t bit = 0; bit < 8 * 2 * kStride; ++bit) {
    s.inner.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
    EXPECT_EQ(s.read(0, back), THIMBLE_STORAGE_CORRUPT) << bit;
    s.inner.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
  }
  EXPECT_EQ(s.read(0, back), 0);
}

TEST(Sealed, FindsCellsOfBeforeAndOfOtherPlaces) {
  Sealed s(kOverwritten);
  ASSERT_EQ(s.write(0, counted(2 * kCell)), 0);
  const Bytes before = s.inner.bytes;
  std::swap_ranges(s.inner.bytes.begin(), s.inner.bytes.begin() + kStride,
                   s.inner.bytes.begin() + kStride);
  Bytes back(kCell);
  EXPECT_EQ(s.read(0, back), THIMBLE_STORAGE_CORRUPT) << "swapped";
  ASSERT_EQ(s.write(0, counted(2 * kCell)), 0);
  EXPECT_EQ(s.read(0, back), 0);
  s.inner.bytes = before;
  EXPECT_EQ(s.read(0, back), THIMBLE_STORAGE_CORRUPT) << "the same, written before";
  EXPECT_EQ(s.read(2 * kCell, back), THIMBLE_STORAGE_CORRUPT) << "never written";
}

TEST(Sealed, ANonceIsTakenOnce) {
  Sealed s(kNor);
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(s.erase(0, 20 * kCell), 0);
    EXPECT_EQ(s.write(0, counted(200)), 0);
  }
  EXPECT_EQ(s.toy.nonces.size(), 4 * 7U);
  EXPECT_EQ(std::set(s.toy.nonces.begin(), s.toy.nonces.end()).size(), s.toy.nonces.size());
  for (const auto& nonce : s.toy.nonces) EXPECT_EQ(nonce[7], 8) << "the salt";
}

// Counters for 20 cells are there, five for each block; with 18 the last block cannot be used.
TEST(Sealed, HasWholeBlocks) {
  Sealed s(kNor);
  EXPECT_EQ(thimble_sealed_block(&s.sealed), 5 * kCell);
  EXPECT_EQ(thimble_sealed_bytes(&s.sealed), 20 * kCell);
  s.sealed.counter_count = 18;
  EXPECT_EQ(thimble_sealed_bytes(&s.sealed), 15 * kCell);
  EXPECT_EQ(s.erase(0, 15 * kCell), 0);
}

TEST(Sealed, WithoutAShapeNothingHappens) {
  Sealed s(kNor);
  s.sealed.inner_granule = 0;
  Bytes back(kCell);
  EXPECT_EQ(s.erase(0, 5 * kCell), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(s.write(0, counted(kCell)), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(s.read(0, back), THIMBLE_STORAGE_FULL);
}

// A status of the inner driver's own, of which eight bits are 0.
TEST(Sealed, TellsEveryStatusOfTheInnerStorage) {
  Sealed s(kOverwritten);
  ASSERT_EQ(s.write(0, counted(kCell)), 0);
  thimble_storage inner = *s.inner.driver();
  inner.read_async = [](void*, uint32_t, uint32_t, void*, uint32_t) { return -512; };
  s.sealed.inner = &inner;
  Bytes back(kCell);
  EXPECT_EQ(s.read(0, back), -512);
}

TEST(Sealed, EndsBeforeANonceIsTakenAgain) {
  Sealed s(kOverwritten);
  s.sealed.written = 0xFFFFFFFE;
  EXPECT_EQ(s.write(0, counted(kCell)), 0);
  EXPECT_EQ(s.write(0, counted(kCell)), THIMBLE_SEALED_WORN_OUT);
  Bytes back(kCell);
  EXPECT_EQ(s.read(0, back), 0) << "what is there is";
  s.toy.fails = true;
  s.sealed.written = 0;
  EXPECT_EQ(s.write(0, counted(kCell)), THIMBLE_SEALED_NO_CIPHER);
}

TEST(Sealed, TellsFaultsOfTheInnerStorageWhenTheyAreWaitedFor) {
  Sealed s(kNor);
  s.inner.faults = [](int) { return Fault::kRefused; };
  EXPECT_EQ(s.erase(0, 5 * kCell), THIMBLE_STORAGE_TIMED_OUT);
  EXPECT_EQ(s.storage.write_async(s.storage.context, 0, 0, counted(kCell).data(), kCell), 0);
  EXPECT_EQ(s.storage.wait(s.storage.context, 0), THIMBLE_STORAGE_TIMED_OUT);
}

TEST(Sealed, RefusesWhatCannotBe) {
  Sealed s(kNor);
  Bytes bytes(kCell);
  EXPECT_EQ(s.write(4, bytes), THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_EQ(s.erase(kCell, 5 * kCell), THIMBLE_STORAGE_ERASE_FAILED);
  EXPECT_EQ(s.write(20 * kCell, bytes), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(s.storage.read_async(s.storage.context, 3, 0, bytes.data(), kCell),
            THIMBLE_STORAGE_FULL)
      << "a token that is none";
  const auto bytes_with = [&s](auto change) {
    thimble_sealed other = s.sealed;
    change(other);
    return thimble_sealed_bytes(&other);
  };
  EXPECT_EQ(bytes_with([](thimble_sealed& o) { o.cell = 24; }), 0);
  EXPECT_EQ(bytes_with([](thimble_sealed& o) { o.cell = 0; }), 0);
  EXPECT_EQ(bytes_with([](thimble_sealed& o) { o.inner_granule = 0; }), 0);
  EXPECT_EQ(bytes_with([](thimble_sealed& o) { o.buffer_size = kStride - 1; }), 0);
  EXPECT_EQ(bytes_with([](thimble_sealed& o) { o.inner_block = 40; }), 0) << "holds no cell";
  EXPECT_EQ(bytes_with([](thimble_sealed& o) { o.counter_count = 3; }), 0) << "no whole block";
}

// Two records in a cell each, and a fault of the inner storage that is tried again.
TEST(Sealed, CarriesTransfers) {
  using namespace runtime;
  Sealed s(kOverwritten);
  std::array<InFlight, 3> flights{};
  Transfers transfers{&s.storage, flights.data(), THIMBLE_STORAGE_OK};
  Bytes rows = counted(40), back(40);
  std::array<uint32_t, 2> tags{};
  const Records records{64, 20, kCell};
  begin_write(transfers, 0, records, {rows.data(), 0, 0}, tags.data(), 0, 2);
  wait(transfers, 0);
  const int begun = static_cast<int>(s.inner.begun.size());
  s.inner.faults = [=](int n) { return n == begun ? Fault::kFlipped : Fault::kNone; };
  begin_read(transfers, 1, records, {back.data(), 0, 0}, tags.data(), 0, 2);
  wait(transfers, 1);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_OK);
  EXPECT_EQ(back, rows);
  EXPECT_EQ(s.inner.begun.size(), static_cast<size_t>(begun + 3));
}

#ifdef THIMBLE_HAS_MBEDTLS
TEST(Sealed, ByMbedtls) {
  mbedtls_gcm_context gcm;
  mbedtls_gcm_init(&gcm);
  const std::array<uint8_t, 32> key{7, 1, 8};
  ASSERT_EQ(mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, key.data(), 256), 0);
  const thimble_aead aead = thimble_aead_mbedtls(&gcm);
  {
    Sealed s(kOverwritten, &aead);
    EXPECT_EQ(s.write(0, counted(100)), 0);
    Bytes back(100);
    EXPECT_EQ(s.read(0, back), 0);
    EXPECT_EQ(back, counted(100));
    for (uint32_t bit = 0; bit < 8 * kStride; ++bit) {
      s.inner.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
      EXPECT_EQ(s.read(0, back), THIMBLE_STORAGE_CORRUPT) << bit;
      s.inner.bytes[bit / 8] ^= static_cast<uint8_t>(1U << bit % 8);
    }
    EXPECT_EQ(s.read(0, back), 0);
  }
  mbedtls_gcm_free(&gcm);
}
#endif

}  // namespace
}  // namespace thimble::testing
