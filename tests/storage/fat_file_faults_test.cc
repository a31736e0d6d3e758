// SPDX-License-Identifier: Apache-2.0
// Cards that a file cannot be taken from: each fault has its status.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/storage/fat_on_card.h"

namespace thimble::testing {
namespace {

using Fault = WatchedStorage::Fault;

TEST(FatFileFaults, AFileInPiecesIsRefused) {
  for (const FatImage::Shape& shape : {kFat16, kFat32}) {
    FatImage image(shape);
    const uint32_t first = image.add_file(image.root(), kFatName, 512 * 10);
    image.skip_clusters(5);
    ASSERT_EQ(found(image), 0);
    for (uint32_t at = 0; at < 9; ++at) {
      FatImage pieces = image;
      pieces.set_next(first + at, first + 12);
      EXPECT_EQ(found(pieces), THIMBLE_FAT_FRAGMENTED) << at;
      pieces.set_next(first + at, first + at + 2);
      EXPECT_EQ(found(pieces), THIMBLE_FAT_FRAGMENTED) << at;
    }
  }
}

TEST(FatFileFaults, AChainThatIsNoneIsDamaged) {
  for (const FatImage::Shape& shape : {kFat16, kFat32}) {
    FatImage image(shape);
    const uint32_t first = image.add_file(image.root(), kFatName, 512 * 300 - 5);
    const uint32_t end = image.last_of_chain();
    for (const uint32_t at : {0U, 1U, 127U, 128U, 255U, 256U, 298U}) {
      // Ended, free, the number that no cluster has, a loop, itself, a bad one, behind the last.
      for (const uint32_t next :
           {end, end - 7, 0U, 1U, first, first + at, end - 8, shape.clusters + 2}) {
        FatImage damaged = image;
        damaged.set_next(first + at, next);
        EXPECT_EQ(found(damaged), THIMBLE_FAT_DAMAGED) << at << " " << next;
      }
    }
    image.set_next(first + 299, first + 300);
    EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED) << "more clusters than bytes";
    image.set_next(first + 299, first + 310);
    EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED) << "and in another place";
  }
}

TEST(FatFileFaults, ClustersThatTheFatHasNoNumberOfAreDamaged) {
  FatImage image({.fat32 = true, .clusters = 126});
  image.add_file(image.root(), kFatName, 512 * 3);
  image.bytes[image.last_entry() + 26] = 126;
  image.set_next(126, 127);
  image.set_next(127, 128);
  image.bytes.resize(image.bytes.size() + size_t{512} * 50);
  image.bytes[32] += 50;
  EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED);
}

TEST(FatFileFaults, FirstClustersThatAreNoneAreDamaged) {
  for (const FatImage::Shape& shape : {kFat16, kFat32}) {
    for (const uint32_t cluster : {0U, 1U, shape.clusters + 2, 0xffffU, 0xffffffffU}) {
      FatImage image(shape);
      image.add_folder(image.root(), "FOLDER     ");
      const size_t folder = image.last_entry();
      image.add_file(image.root(), kFatName, 5000);
      for (const size_t entry : {folder, image.last_entry()}) {
        for (int i = 0; i < 2; ++i) {
          image.bytes[entry + 26 + i] = static_cast<uint8_t>(cluster >> 8 * i);
          image.bytes[entry + 20 + i] = static_cast<uint8_t>(cluster >> (16 + 8 * i));
        }
      }
      EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED) << cluster;
      EXPECT_EQ(found(image, "folder/unet.img"), THIMBLE_FAT_DAMAGED) << cluster;
      image.add_file(image.root(), "WHOLE      ", 5000);
      EXPECT_EQ(found(image, "folder/whole"), THIMBLE_FAT_DAMAGED) << cluster;
    }
  }
}

TEST(FatFileFaults, FoldersThatNeverEndDo) {
  FatImage image(kFat32);
  for (int i = 0; i < 16; ++i)
    image.add_file(image.root(), "FILE    " + std::to_string(100 + i), 1);
  EXPECT_EQ(found(image), THIMBLE_FAT_NO_FILE);
  for (const uint32_t next : {0U, 1U, 402U, 0x0ffffff7U}) {
    image.set_next(image.root(), next);
    EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED) << next;
  }
  image.set_next(image.root(), image.root());
  FatOnCard on(image);
  EXPECT_EQ(on.find(), THIMBLE_FAT_DAMAGED);
  EXPECT_LE(on.card.begun.size(), 8200U);
}

TEST(FatFileFaults, OtherFileSystemsAreRefused) {
  const std::string exfat = "EXFAT   ", ntfs = "NTFS    ";
  for (const uint32_t first : {0U, 40U}) {
    FatImage image({.first_block = first});
    image.add_file(image.root(), kFatName, 5000);
    FatImage other = image;
    std::copy(exfat.begin(), exfat.end(), other.bytes.data() + other.boot() + 3);
    std::fill_n(other.bytes.data() + other.boot() + 11, 53, uint8_t{0});
    EXPECT_EQ(found(other), THIMBLE_FAT_EXFAT);
    std::copy(ntfs.begin(), ntfs.end(), other.bytes.data() + other.boot() + 3);
    EXPECT_EQ(found(other), THIMBLE_FAT_NO_VOLUME);
    other = image;
    other.bytes[other.boot() + 510] = 0;
    EXPECT_EQ(found(other), THIMBLE_FAT_NO_VOLUME) << "not formatted";
  }
  FatImage small({.clusters = 4084});
  small.add_file(small.root(), kFatName, 5000);
  EXPECT_EQ(found(small), THIMBLE_FAT_NO_VOLUME) << "FAT12";
  FatImage large({.clusters = 65525});
  large.add_file(large.root(), kFatName, 5000);
  EXPECT_EQ(found(large), THIMBLE_FAT_NO_VOLUME) << "neither";
}

TEST(FatFileFaults, BootSectorsThatCannotBeAreNone) {
  struct Change {
    size_t at;
    uint32_t value;
    int bytes = 2;
  };
  const auto changed = [](FatImage image, const Change& change) {
    image.add_file(image.root(), kFatName, 5000);
    for (int i = 0; i < change.bytes; ++i)
      image.bytes[change.at + i] = static_cast<uint8_t>(change.value >> 8 * i);
    return found(image);
  };
  // Bytes of a sector, sectors of a cluster, reserved ones, FATs, the medium.
  for (const Change& change : std::initializer_list<Change>{{11, 0},
                                                            {11, 256},
                                                            {11, 768},
                                                            {11, 8192},
                                                            {13, 0, 1},
                                                            {13, 3, 1},
                                                            {14, 0},
                                                            {16, 0, 1},
                                                            {21, 0xf7, 1}}) {
    EXPECT_EQ(changed(FatImage(kFat16), change), THIMBLE_FAT_NO_VOLUME) << change.at;
    EXPECT_EQ(changed(FatImage(kFat32), change), THIMBLE_FAT_NO_VOLUME) << change.at;
  }
  // Entries of the root; sectors in all, and those of a FAT.
  for (const Change& change : std::initializer_list<Change>{{17, 0}, {19, 36}, {22, 4000}})
    EXPECT_EQ(changed(FatImage(kFat16), change), THIMBLE_FAT_NO_VOLUME) << change.at;
  // Those of FAT32, and its version.
  for (const Change& change : std::initializer_list<Change>{
           {17, 16}, {32, 40}, {32, 0}, {36, 0}, {36, 0xffffffff, 4}, {42, 1}})
    EXPECT_EQ(changed(FatImage(kFat32), change), THIMBLE_FAT_NO_VOLUME) << change.at;
}

TEST(FatFileFaults, AFileBehindTheEndIsTooFar) {
  FatImage image(kFat16);
  const uint32_t first = image.add_file(image.root(), kFatName, 5000);
  FatOnCard on(image);
  on.file.blocks = static_cast<uint32_t>(image.place_of(first) / 512 + 9);
  EXPECT_EQ(on.find(), THIMBLE_FAT_TOO_FAR);
  ++on.file.blocks;
  EXPECT_EQ(on.find(), 0);
  for (const uint32_t blocks : {1U, 33U, 40U}) {  // boot sector, FATs, root folder
    FatImage shorter = image;
    shorter.bytes.resize(size_t{blocks} * 512);
    EXPECT_EQ(found(shorter), THIMBLE_FAT_TOO_FAR) << blocks;
  }
  on.file.blocks = 0;
  EXPECT_EQ(on.find(), THIMBLE_FAT_TOO_FAR);
}

TEST(FatFileFaults, FaultsOfTheCardAreTold) {
  FatImage image({.fat32 = true, .first_block = 9, .clusters = 100});
  const uint32_t folder = image.add_folder(image.root(), "FOLDER     ");
  image.add_file(folder, kFatName, 5000);
  FatOnCard on(image);
  ASSERT_EQ(on.find("folder/unet.img"), 0);
  const auto reads = static_cast<int>(on.card.begun.size());
  EXPECT_EQ(reads, 5) << "MBR, boot sector, two folders, FAT";
  for (int at = 0; at < reads; ++at) {
    on.card.faults = [&](int n) { return n == at ? Fault::kRefused : Fault::kNone; };
    EXPECT_EQ(on.find("folder/unet.img"), THIMBLE_STORAGE_TIMED_OUT);
    on.card.faults = [&](int n) { return n == at ? Fault::kFailed : Fault::kNone; };
    EXPECT_EQ(on.find("folder/unet.img"), THIMBLE_STORAGE_READ_FAILED);
  }
}

}  // namespace
}  // namespace thimble::testing
