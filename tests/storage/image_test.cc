// SPDX-License-Identifier: Apache-2.0
// Records of an image of packed constants, as emitted code reads them.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "thimble/program/memory_storage.h"
#include "thimble_runtime/transfers.h"

namespace thimble::testing {
namespace {

constexpr uint32_t kImage = 0xc0ffee11, kRecord = 100, kCount = 6, kFirstRecord = 36;
constexpr runtime::Records kRecords{kFirstRecord, kRecord, kRecord};
constexpr uint32_t kLabel = kFirstRecord + kCount * kRecord;
constexpr runtime::ImageLabel kWanted{kImage, {1, 2, 3, 4, 5, 6, 7}};

struct StoredImage {
  StoredImage() : memory("card", kLabel + sizeof(kWanted)), driver(memory.driver()) {
    for (uint32_t r = 0; r < kCount; ++r) {
      uint8_t* const record = memory.bytes().data() + kFirstRecord + r * kRecord;
      for (uint32_t k = 0; k < kRecord - 4; ++k) record[k] = static_cast<uint8_t>(r * 31 + k);
      const uint32_t check =
          runtime::image_check(record, kRecord - 4, kImage, kFirstRecord + r * kRecord);
      for (uint32_t k = 0; k < 4; ++k)
        record[kRecord - 4 + k] = static_cast<uint8_t>(check >> (8 * k));
    }
    std::memcpy(memory.bytes().data() + kLabel, &kWanted, sizeof(kWanted));
  }

  /// The status of reading records [first, end) into a ring of three.
  int32_t read(int32_t first, int32_t end) {
    runtime::Transfers transfers{&driver, flights, 0, kImage};
    begin_read(transfers, 0, kRecords, {held, 0, 3}, nullptr, first, end);
    wait(transfers, 0);
    return transfers.status;
  }
  int32_t check(const runtime::ImageLabel& label) {
    runtime::Transfers transfers{&driver, flights, 0, 0};
    check_image(transfers, 0, label, kLabel);
    return transfers.status;
  }

  MemoryStorage memory;
  thimble_storage driver;
  runtime::InFlight flights[1] = {};
  uint8_t held[3 * kRecord] = {};
};

TEST(Image, RecordsArriveInTheirRing) {
  StoredImage image;
  for (int32_t r = 0; r < static_cast<int32_t>(kCount); ++r) {
    ASSERT_EQ(image.read(r, r + 1), 0);
    EXPECT_EQ(image.held[r % 3 * kRecord + 5], static_cast<uint8_t>(r * 31 + 5));
  }
  EXPECT_EQ(image.read(3, 6), 0) << "three that lie side by side";
}

TEST(Image, OfEachBitThatIsFlippedThereIsAStatus) {
  for (uint32_t bit = 0; bit < 8 * kRecord; ++bit) {
    StoredImage image;
    image.memory.bytes()[kFirstRecord + 2 * kRecord + bit / 8] ^=
        static_cast<uint8_t>(1U << bit % 8);
    EXPECT_EQ(image.read(2, 3), THIMBLE_STORAGE_CORRUPT);
    EXPECT_EQ(image.read(3, 4), 0);
  }
}

TEST(Image, AnotherRecordOrAnotherImagesIsFound) {
  StoredImage image;
  std::vector<uint8_t>& bytes = image.memory.bytes();
  std::swap_ranges(bytes.begin() + kFirstRecord, bytes.begin() + kFirstRecord + kRecord,
                   bytes.begin() + kFirstRecord + kRecord);
  EXPECT_EQ(image.read(0, 1), THIMBLE_STORAGE_CORRUPT);
  StoredImage other;
  runtime::Transfers transfers{&other.driver, other.flights, 0, kImage + 1};
  begin_read(transfers, 0, kRecords, {other.held, 0, 3}, nullptr, 0, 1);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_CORRUPT);
}

TEST(Image, OfAnotherModelIsRefused) {
  StoredImage image;
  EXPECT_EQ(image.check(kWanted), 0);
  for (uint32_t word = 0; word < 8; ++word) {
    runtime::ImageLabel label = kWanted;
    (word == 0 ? label.number : label.words[word - 1]) ^= 0x10000;
    EXPECT_EQ(image.check(label), THIMBLE_STORAGE_OTHER_IMAGE);
  }
  runtime::Transfers nobody{nullptr, image.flights, 0, 0};
  check_image(nobody, 0, kWanted, kLabel);
  EXPECT_EQ(nobody.status, THIMBLE_STORAGE_MISSING);
}

}  // namespace
}  // namespace thimble::testing
