// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/fat_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/storage/fat_on_card.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool has_content(const std::vector<uint8_t>& bytes, uint32_t from) {
  for (uint32_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != FatImage::content(from + i)) return false;
  }
  return true;
}

TEST(FatFile, ReadsItsBytesWhateverTheFormat) {
  for (const FatImage::Shape& shape : kFatShapes) {
    FatImage image(shape);
    image.add_file(image.root(), "BEFORE  TXT", 1000);
    const uint32_t cluster = image.add_file(image.root(), kFatName, 33333);
    image.add_file(image.root(), "BEHIND     ", 5000);
    FatOnCard on(image);
    ASSERT_EQ(on.find(), 0);
    EXPECT_EQ(on.file.bytes, 33333U);
    EXPECT_EQ(on.file.offset, image.place_of(cluster));
    std::vector<uint8_t> whole(33333), end(101);
    EXPECT_EQ(on.read(0, whole), 0);
    EXPECT_TRUE(has_content(whole, 0));
    EXPECT_EQ(on.read(33232, end), 0);
    EXPECT_TRUE(has_content(end, 33232));
  }
}

TEST(FatFile, WritesNothingButItsBytes) {
  FatImage image(kFat32);
  const uint32_t cluster = image.add_file(image.root(), kFatName, 2000);
  image.add_file(image.root(), "BEHIND     ", 50);
  FatOnCard on(image);
  ASSERT_EQ(on.find(), 0);
  EXPECT_EQ(on.write(0, std::vector<uint8_t>(16, 0xc1)), 0);
  EXPECT_EQ(on.write(1996, std::vector<uint8_t>(4, 0xc2)), 0);
  const auto at = image.bytes.begin() + static_cast<ptrdiff_t>(image.place_of(cluster));
  std::fill_n(at, 16, uint8_t{0xc1});
  std::fill_n(at + 1996, 4, uint8_t{0xc2});
  EXPECT_EQ(on.card.bytes, image.bytes);
}

TEST(FatFile, BeyondItsBytesThereIsNothing) {
  FatImage image(kFat16);
  image.add_file(image.root(), kFatName, 2000);
  FatOnCard on(image);
  std::vector<uint8_t> one(1), five(5);
  EXPECT_EQ(on.read(0, one), THIMBLE_STORAGE_FULL) << "not found yet";
  ASSERT_EQ(on.find(), 0);
  on.card.begun.clear();
  const thimble_storage storage = on.storage();
  EXPECT_EQ(on.read(2000, one), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(on.read(1996, five), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(on.write(1996, five), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(on.read(UINT32_MAX, five), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(storage.read_async(&on.file, 0, 8, one.data(), UINT32_MAX), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(storage.write_async(&on.file, 0, 0, one.data(), 2001), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(storage.read_async(&on.file, 0, 0, one.data(), 0), THIMBLE_STORAGE_FULL);
  EXPECT_THAT(on.card.begun, IsEmpty());
}

TEST(FatFile, OperationsAreThoseOfTheCardAndOverlap) {
  FatImage image(kFat16);
  image.add_file(image.root(), kFatName, 4096);
  FatOnCard on(image);
  ASSERT_EQ(on.find(), 0);
  on.card.begun.clear();
  const thimble_storage storage = on.storage();
  EXPECT_EQ(storage.erase_async, nullptr);
  std::vector<uint8_t> read(3000), written(1000, 9);
  EXPECT_EQ(storage.read_async(storage.context, 0, 0, read.data(), 3000), 0);
  EXPECT_EQ(storage.write_async(storage.context, 1, 3072, written.data(), 1000), 0);
  EXPECT_EQ(on.card.in_flight(), 2U);
  EXPECT_EQ(storage.wait(storage.context, 0), 0);
  EXPECT_TRUE(has_content(read, 0));
  storage.cancel(storage.context);
  EXPECT_EQ(on.card.in_flight(), 0U);
  const std::string at = std::to_string(on.file.offset),
                    later = std::to_string(on.file.offset + 3072);
  EXPECT_THAT(on.card.begun, ElementsAre("read " + at + "+3000", "write " + later + "+1000"));
}

TEST(FatFile, WhatIsMarkedAsReadOnlyIsNotWritten) {
  FatImage image(kFat16);
  image.add_file(image.root(), kFatName, 100);
  image.bytes[image.last_entry() + 11] |= 1;
  FatOnCard on(image);
  ASSERT_EQ(on.find(), 0);
  std::vector<uint8_t> bytes(100);
  EXPECT_EQ(on.read(0, bytes), 0);
  EXPECT_EQ(on.write(0, bytes), THIMBLE_STORAGE_WRITE_FAILED);
}

TEST(FatFile, AnEmptyFileHasNoBytes) {
  FatImage image(kFat16);
  image.add_file(image.root(), kFatName, 0);
  FatOnCard on(image);
  EXPECT_EQ(on.find(), 0);
  EXPECT_EQ(on.file.bytes, 0U);
}

TEST(FatFile, NamesAreShortOrLongOnes) {
  for (const FatImage::Shape& shape : {kFat16, kFat32}) {
    FatImage image(shape);
    image.add_file(image.root(), "UNET_C~1IMG", 700, "unet_card of today.img");
    image.add_file(image.root(), "THIRTE~1   ", 700, "thirteen_more");
    image.add_file(image.root(), "A B     C  ", 700);
    for (const char* path : {"unet_c~1.img", "UNET_C~1.IMG", "unet_card of today.img",
                             "Unet_Card Of Today.IMG", "/thirteen_more", "thirte~1", "a b.c"})
      EXPECT_EQ(found(image, path), 0) << path;
    for (const char* path :
         {"", "/", "unet_c~1", "unet_c~1img", "unet_c~1.im", "unet_card of today.im",
          "unet_card of today.img2", "unet_card of tod", "thirteen_mor", "thirteen_more2",
          "thirte~1.", "ab.c", "a b", "a b .c", "\xe5"})
      EXPECT_EQ(found(image, path), THIMBLE_FAT_NO_FILE) << path;
  }
}

// As programs leave them that know nothing of long names.
TEST(FatFile, LongNamesOfOtherEntriesDoNotCount) {
  FatImage image(kFat16);
  image.add_file(image.root(), "UNET_C~1IMG", 700, "unet_card_of_today.img");
  const size_t entry = image.last_entry();
  const auto with = [&](size_t at, uint8_t value) {
    FatImage other = image;
    other.bytes[at] = value;
    return other;
  };
  FatImage deleted = with(entry, 0xe5);
  deleted.add_file(deleted.root(), "UNET_C~1IMG", 700);
  const FatImage renamed = with(entry, 'X'), cut = with(entry - 32, 0xe5),
                 out_of_order = with(entry - 32, 32), of_another = with(entry - 32 + 13, 0),
                 in_greek = with(entry - 32 + 2, 3), other_case = with(entry - 32 + 1, 'U');
  EXPECT_EQ(found(other_case, "unet_card_of_today.img"), 0);
  for (const FatImage& other : {renamed, deleted, cut, out_of_order, of_another, in_greek})
    EXPECT_EQ(found(other, "unet_card_of_today.img"), THIMBLE_FAT_NO_FILE);
  EXPECT_EQ(found(cut, "unet_c~1.img"), 0);
}

TEST(FatFile, DeletedFilesAndLabelsAreNone) {
  for (const FatImage::Shape& shape : {kFat16, kFat32}) {
    FatImage image(shape);
    image.add_file(image.root(), kFatName, 3000, "unet.img");
    image.bytes[image.last_entry() + 11] = 0x08;
    image.add_file(image.root(), kFatName, 2000, "unet.img");
    image.delete_last();
    EXPECT_EQ(found(image), THIMBLE_FAT_NO_FILE);
    image.add_file(image.root(), kFatName, 1000, "unet.img");
    FatOnCard on(image);
    EXPECT_EQ(on.find(), 0);
    EXPECT_EQ(on.file.bytes, 1000U);
  }
}

TEST(FatFile, FoldersAreFollowedThroughAllOfTheirClusters) {
  for (const FatImage::Shape& shape : kFatShapes) {
    FatImage image(shape);
    const uint32_t nets = image.add_folder(image.root(), "NETS       ");
    const uint32_t deep = image.add_folder(nets, "DEEPER~1   ", "deeper than that");
    for (int i = 0; i < 40; ++i)  // in pieces, where clusters are small
      image.add_file(deep, "FILE    " + std::to_string(100 + i), 600);
    image.add_file(deep, kFatName, 2222);
    FatOnCard on(image);
    ASSERT_EQ(on.find("/nets//deeper than that/unet.img"), 0);
    EXPECT_EQ(on.file.bytes, 2222U);
    EXPECT_EQ(on.find("NETS/DEEPER~1/FILE.139"), 0);
    for (const char* path : {"unet.img", "nets", "nets/", "nets/deeper~1", "nets/unet.img",
                             "nets/deeper~1/file.139/unet.img", "nets/../nets/deeper~1/unet.img",
                             "./nets/deeper~1/unet.img", "nets/deeper~1/none.img"})
      EXPECT_EQ(on.find(path), THIMBLE_FAT_NO_FILE) << path;
    image.bytes[image.root_place() + 11] = 0x20;
    EXPECT_EQ(found(image, "nets/deeper~1/unet.img"), THIMBLE_FAT_NO_FILE) << "a file";
  }
}

TEST(FatFile, BehindTheEndOfAFolderNothingCounts) {
  FatImage image(kFat16);
  for (int i = 0; i < 20; ++i)
    image.add_file(image.root(), "FILE    " + std::to_string(100 + i), 1);
  image.add_file(image.root(), kFatName, 600);
  image.bytes[image.root_place() + 32] = 0;
  EXPECT_EQ(found(image), THIMBLE_FAT_NO_FILE);
  EXPECT_EQ(found(image, "file.102"), THIMBLE_FAT_NO_FILE);
  EXPECT_EQ(found(image, "file.100"), 0);
}

TEST(FatFile, BitsThatAreReservedDoNotCount) {
  FatImage image(kFat32), old(kFat16);
  const uint32_t first = image.add_file(image.root(), kFatName, 5000);
  for (uint32_t i = 0; i < 10; ++i) image.bytes[image.place_in_fat(first + i) + 3] |= 0xf0;
  EXPECT_EQ(found(image), 0);
  old.add_file(old.root(), kFatName, 5000);
  old.bytes[old.last_entry() + 20] = 1;
  EXPECT_EQ(found(old), 0);
}

TEST(FatFile, AFullRootFolderEnds) {
  FatImage image({.root_entries = 16});
  for (int i = 0; i < 15; ++i)
    image.add_file(image.root(), "FILE    " + std::to_string(100 + i), 1);
  image.add_file(image.root(), kFatName, 600);
  EXPECT_EQ(found(image), 0);
  EXPECT_EQ(found(image, "none"), THIMBLE_FAT_NO_FILE);
}

// The FAT's one sector has 128 numbers; what would be the next is the copy's first one.
TEST(FatFile, TheFatThatIsInUseIsRead) {
  FatImage image(kFat32);
  const uint32_t first = image.add_file(image.root(), kFatName, 5000);
  image.bytes[image.boot() + 40] = 0x81;  // no copies; the second one
  EXPECT_EQ(found(image), 0);
  image.bytes[image.place_in_fat(first)] = 0;
  EXPECT_EQ(found(image), 0);
  image.bytes[image.boot() + 40] = 0x01;  // copies
  EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED);
  image.bytes[image.boot() + 40] = 0x80;
  EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED);
  image.bytes[image.boot() + 40] = 0x82;
  EXPECT_EQ(found(image), THIMBLE_FAT_NO_VOLUME);
}

// A partition of another kind, one that is not on the card, then the one that counts.
TEST(FatFile, TheFirstPartitionThatIsAFatCounts) {
  FatImage image({.fat32 = true, .first_block = 100, .partition = 2, .clusters = 100});
  image.add_file(image.root(), kFatName, 5000);
  for (const int partition : {0, 1}) {
    uint8_t* const entry = image.bytes.data() + 446 + 16 * partition;
    entry[4] = 0x83;
    entry[8] = static_cast<uint8_t>(50 + partition);
    entry[11] = partition == 0 ? 0 : 0xff;
    entry[12] = 3;
  }
  EXPECT_EQ(found(image), 0);
  FatImage shorter = image;
  shorter.bytes[446 + 32 + 12] -= 1;  // than what lies in it
  EXPECT_EQ(found(shorter), THIMBLE_FAT_TOO_FAR) << "the first fault that is none of other kinds";
  shorter.bytes[446 + 16] = 1;  // no partition has that
  EXPECT_EQ(found(shorter), THIMBLE_FAT_DAMAGED);
}

// The card's faults are statuses of finding, at each read.

}  // namespace
}  // namespace thimble::testing
