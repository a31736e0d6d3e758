// SPDX-License-Identifier: Apache-2.0
// Records of an image of packed constants, as emitted code reads them.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "thimble/program/memory_storage.h"
#include "thimble_runtime/transfers.h"

namespace thimble::testing {
namespace {

constexpr uint32_t kImageNumber = 0xc0ffee11, kImageRecord = 100, kImageCount = 6, kImageFirst = 36;
constexpr runtime::Records kImageRecords{kImageFirst, kImageRecord, kImageRecord};
constexpr uint32_t kLabelAt = kImageFirst + kImageCount * kImageRecord;
constexpr runtime::ImageLabel kWantedLabel{kImageNumber, {1, 2, 3, 4, 5, 6, 7}};

struct StoredImage {
  StoredImage() : memory("card", kLabelAt + sizeof(kWantedLabel)), driver(memory.driver()) {
    for (uint32_t r = 0; r < kImageCount; ++r) {
      uint8_t* const record = memory.bytes().data() + kImageFirst + r * kImageRecord;
      for (uint32_t k = 0; k < kImageRecord - 4; ++k) record[k] = static_cast<uint8_t>(r * 31 + k);
      const uint32_t check = runtime::image_check(record, kImageRecord - 4, kImageNumber,
                                                  kImageFirst + r * kImageRecord);
      for (uint32_t k = 0; k < 4; ++k)
        record[kImageRecord - 4 + k] = static_cast<uint8_t>(check >> (8 * k));
    }
    std::memcpy(memory.bytes().data() + kLabelAt, &kWantedLabel, sizeof(kWantedLabel));
  }

  /// The status of reading records [first, end) into a ring of three.
  int32_t read(int32_t first, int32_t end) {
    runtime::Transfers transfers{&driver, flights, 0, kImageNumber};
    begin_read(transfers, 0, kImageRecords, {held, 0, 3}, nullptr, first, end);
    wait(transfers, 0);
    return transfers.status;
  }
  int32_t check(const runtime::ImageLabel& label) {
    runtime::Transfers transfers{&driver, flights, 0, 0};
    check_image(transfers, 0, label, kLabelAt);
    return transfers.status;
  }

  MemoryStorage memory;
  thimble_storage driver;
  runtime::InFlight flights[1] = {};
  uint8_t held[3 * kImageRecord] = {};
};

TEST(Image, RecordsArriveInTheirRing) {
  StoredImage image;
  for (int32_t r = 0; r < static_cast<int32_t>(kImageCount); ++r) {
    ASSERT_EQ(image.read(r, r + 1), 0);
    EXPECT_EQ(image.held[r % 3 * kImageRecord + 5], static_cast<uint8_t>(r * 31 + 5));
  }
  EXPECT_EQ(image.read(3, 6), 0) << "three that lie side by side";
}

TEST(Image, OfEachBitThatIsFlippedThereIsAStatus) {
  for (uint32_t bit = 0; bit < 8 * kImageRecord; ++bit) {
    StoredImage image;
    image.memory.bytes()[kImageFirst + 2 * kImageRecord + bit / 8] ^=
        static_cast<uint8_t>(1U << bit % 8);
    EXPECT_EQ(image.read(2, 3), THIMBLE_STORAGE_CORRUPT);
    EXPECT_EQ(image.read(3, 4), 0);
  }
}

TEST(Image, AnotherRecordOrAnotherImagesIsFound) {
  StoredImage image;
  std::vector<uint8_t>& bytes = image.memory.bytes();
  std::swap_ranges(bytes.begin() + kImageFirst, bytes.begin() + kImageFirst + kImageRecord,
                   bytes.begin() + kImageFirst + kImageRecord);
  EXPECT_EQ(image.read(0, 1), THIMBLE_STORAGE_CORRUPT);
  StoredImage other;
  runtime::Transfers transfers{&other.driver, other.flights, 0, kImageNumber + 1};
  begin_read(transfers, 0, kImageRecords, {other.held, 0, 3}, nullptr, 0, 1);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_CORRUPT);
}

TEST(Image, OfAnotherModelIsRefused) {
  StoredImage image;
  EXPECT_EQ(image.check(kWantedLabel), 0);
  for (uint32_t word = 0; word < 8; ++word) {
    runtime::ImageLabel label = kWantedLabel;
    (word == 0 ? label.number : label.words[word - 1]) ^= 0x10000;
    EXPECT_EQ(image.check(label), THIMBLE_STORAGE_OTHER_IMAGE);
  }
  runtime::Transfers nobody{nullptr, image.flights, 0, 0};
  check_image(nobody, 0, kWantedLabel, kLabelAt);
  EXPECT_EQ(nobody.status, THIMBLE_STORAGE_MISSING);
}

}  // namespace
}  // namespace thimble::testing
