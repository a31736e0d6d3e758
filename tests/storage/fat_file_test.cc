// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/fat_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/storage/fat_image.h"
#include "tests/storage/watched_storage.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Fault = WatchedStorage::Fault;
using Shape = FatImage::Shape;

constexpr const char* kName = "UNET    IMG";
constexpr const char* kPath = "unet.img";

// Small ones of both kinds, and as cards have them: behind an MBR, with larger clusters.
constexpr Shape kFat16{}, kFat32{.fat32 = true, .clusters = 400};
constexpr std::array<Shape, 8> kShapes = {
    kFat16,
    kFat32,
    {.first_block = 63, .cluster_sectors = 2},
    {.first_block = 8, .partition = 3, .sector_bytes = 1024, .clusters = 4200, .root_entries = 17},
    {.cluster_sectors = 4, .clusters = 65524, .root_entries = 512},
    {.fat32 = true, .first_block = 2048, .cluster_sectors = 8, .clusters = 200},
    {.fat32 = true, .first_block = 1, .partition = 1, .sector_bytes = 4096, .clusters = 100},
    {.fat32 = true, .clusters = 65525},
};

/// A card with this image, and what is found there.
struct OnCard {
  explicit OnCard(const FatImage& image)
      : card({.size = static_cast<uint32_t>(image.bytes.size()), .granule = 4}) {
    card.bytes = image.bytes;
    file.inner = card.driver();
    file.blocks = image.blocks();
  }
  int find(const char* path = kPath) {
    card.begun.clear();
    std::array<uint8_t, THIMBLE_FAT_BLOCK> sector{};
    const int status = thimble_fat_file_find(&file, path, sector.data());
    EXPECT_EQ(card.in_flight(), 0U);
    if (status != 0) {
      EXPECT_EQ(file.bytes, 0U);
    }
    return status;
  }
  /// A status, or 0 and what is there.
  int read(uint32_t offset, std::vector<uint8_t>& into) {
    const int status =
        storage().read_async(&file, 3, offset, into.data(), static_cast<uint32_t>(into.size()));
    return status != 0 ? status : storage().wait(&file, 3);
  }
  int write(uint32_t offset, const std::vector<uint8_t>& from) {
    const int status =
        storage().write_async(&file, 3, offset, from.data(), static_cast<uint32_t>(from.size()));
    return status != 0 ? status : storage().wait(&file, 3);
  }
  thimble_storage storage() { return thimble_fat_file_open(&file); }

  WatchedStorage card;
  thimble_fat_file file{};
};

int found(const FatImage& image, const char* path = kPath) { return OnCard(image).find(path); }

bool has_content(const std::vector<uint8_t>& bytes, uint32_t from) {
  for (uint32_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != FatImage::content(from + i)) return false;
  }
  return true;
}

TEST(FatFile, ReadsItsBytesWhateverTheFormat) {
  for (const Shape& shape : kShapes) {
    FatImage image(shape);
    image.add_file(image.root(), "BEFORE  TXT", 1000);
    const uint32_t cluster = image.add_file(image.root(), kName, 33333);
    image.add_file(image.root(), "BEHIND     ", 5000);
    OnCard on(image);
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
  const uint32_t cluster = image.add_file(image.root(), kName, 2000);
  image.add_file(image.root(), "BEHIND     ", 50);
  OnCard on(image);
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
  image.add_file(image.root(), kName, 2000);
  OnCard on(image);
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
  image.add_file(image.root(), kName, 4096);
  OnCard on(image);
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
  image.add_file(image.root(), kName, 100);
  image.bytes[image.last_entry() + 11] |= 1;
  OnCard on(image);
  ASSERT_EQ(on.find(), 0);
  std::vector<uint8_t> bytes(100);
  EXPECT_EQ(on.read(0, bytes), 0);
  EXPECT_EQ(on.write(0, bytes), THIMBLE_STORAGE_WRITE_FAILED);
}

TEST(FatFile, AnEmptyFileHasNoBytes) {
  FatImage image(kFat16);
  image.add_file(image.root(), kName, 0);
  OnCard on(image);
  EXPECT_EQ(on.find(), 0);
  EXPECT_EQ(on.file.bytes, 0U);
}

TEST(FatFile, NamesAreShortOrLongOnes) {
  for (const Shape& shape : {kFat16, kFat32}) {
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
  FatImage renamed = image, deleted = image, cut = image;
  renamed.bytes[entry] = 'X';
  deleted.bytes[entry] = 0xe5;
  cut.bytes[entry - 32] = 0xe5;
  deleted.add_file(deleted.root(), "UNET_C~2IMG", 700);
  for (const FatImage& other : {renamed, deleted, cut})
    EXPECT_EQ(found(other, "unet_card_of_today.img"), THIMBLE_FAT_NO_FILE);
  EXPECT_EQ(found(cut, "unet_c~1.img"), 0);
}

TEST(FatFile, DeletedFilesAndLabelsAreNone) {
  for (const Shape& shape : {kFat16, kFat32}) {
    FatImage image(shape);
    image.add_file(image.root(), kName, 3000, "unet.img");
    image.bytes[image.last_entry() + 11] = 0x08;
    image.add_file(image.root(), kName, 2000, "unet.img");
    image.delete_last();
    EXPECT_EQ(found(image), THIMBLE_FAT_NO_FILE);
    image.add_file(image.root(), kName, 1000, "unet.img");
    OnCard on(image);
    EXPECT_EQ(on.find(), 0);
    EXPECT_EQ(on.file.bytes, 1000U);
  }
}

TEST(FatFile, FoldersAreFollowedThroughAllOfTheirClusters) {
  for (const Shape& shape : kShapes) {
    FatImage image(shape);
    const uint32_t nets = image.add_folder(image.root(), "NETS       ");
    const uint32_t deep = image.add_folder(nets, "DEEPER~1   ", "deeper than that");
    for (int i = 0; i < 40; ++i)  // in pieces, where clusters are small
      image.add_file(deep, "FILE    " + std::to_string(100 + i), 600);
    image.add_file(deep, kName, 2222);
    OnCard on(image);
    ASSERT_EQ(on.find("/nets//deeper than that/unet.img"), 0);
    EXPECT_EQ(on.file.bytes, 2222U);
    EXPECT_EQ(on.find("NETS/DEEPER~1/FILE.139"), 0);
    for (const char* path : {"unet.img", "nets", "nets/", "nets/deeper~1", "nets/unet.img",
                             "nets/deeper~1/file.139/unet.img", "nets/../nets/deeper~1/unet.img",
                             "./nets/deeper~1/unet.img", "nets/deeper~1/none.img"})
      EXPECT_EQ(on.find(path), THIMBLE_FAT_NO_FILE) << path;
  }
}

TEST(FatFile, AFullRootFolderEnds) {
  FatImage image({.root_entries = 16});
  for (int i = 0; i < 15; ++i)
    image.add_file(image.root(), "FILE    " + std::to_string(100 + i), 1);
  image.add_file(image.root(), kName, 600);
  EXPECT_EQ(found(image), 0);
  EXPECT_EQ(found(image, "none"), THIMBLE_FAT_NO_FILE);
}

TEST(FatFile, AFileInPiecesIsRefused) {
  for (const Shape& shape : {kFat16, kFat32}) {
    FatImage image(shape);
    const uint32_t first = image.add_file(image.root(), kName, 512 * 10);
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

TEST(FatFile, AChainThatIsNoneIsDamaged) {
  for (const Shape& shape : {kFat16, kFat32}) {
    FatImage image(shape);
    const uint32_t first = image.add_file(image.root(), kName, 512 * 300 - 5);
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
  }
}

TEST(FatFile, FirstClustersThatAreNoneAreDamaged) {
  for (const Shape& shape : {kFat16, kFat32}) {
    for (const uint32_t cluster : {0U, 1U, shape.clusters + 2, 0xffffU, 0xffffffffU}) {
      FatImage image(shape);
      image.add_folder(image.root(), "FOLDER     ");
      const size_t folder = image.last_entry();
      image.add_file(image.root(), kName, 5000);
      for (const size_t entry : {folder, image.last_entry()}) {
        for (int i = 0; i < 2; ++i) {
          image.bytes[entry + 26 + i] = static_cast<uint8_t>(cluster >> 8 * i);
          image.bytes[entry + 20 + i] = static_cast<uint8_t>(cluster >> (16 + 8 * i));
        }
      }
      EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED) << cluster;
      EXPECT_EQ(found(image, "folder/unet.img"), THIMBLE_FAT_DAMAGED) << cluster;
    }
  }
}

TEST(FatFile, FoldersThatNeverEndDo) {
  FatImage image(kFat32);
  for (int i = 0; i < 16; ++i)
    image.add_file(image.root(), "FILE    " + std::to_string(100 + i), 1);
  image.set_next(image.root(), image.root());
  OnCard on(image);
  EXPECT_EQ(on.find(), THIMBLE_FAT_DAMAGED);
  EXPECT_LE(on.card.begun.size(), 8200U);
}

TEST(FatFile, TheFatThatIsInUseIsRead) {
  FatImage image(kFat32);
  const uint32_t first = image.add_file(image.root(), kName, 5000);
  image.bytes[image.boot() + 40] = 0x81;  // no copies; the second one
  EXPECT_EQ(found(image), 0);
  image.bytes[image.place_in_fat(first)] = 0;
  EXPECT_EQ(found(image), 0);
  image.bytes[image.boot() + 40] = 0x80;
  EXPECT_EQ(found(image), THIMBLE_FAT_DAMAGED);
  image.bytes[image.boot() + 40] = 0x82;
  EXPECT_EQ(found(image), THIMBLE_FAT_NO_VOLUME);
}

TEST(FatFile, OtherFileSystemsAreRefused) {
  const std::string exfat = "EXFAT   ", ntfs = "NTFS    ";
  for (const uint32_t first : {0U, 40U}) {
    FatImage image({.first_block = first});
    image.add_file(image.root(), kName, 5000);
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
  small.add_file(small.root(), kName, 5000);
  EXPECT_EQ(found(small), THIMBLE_FAT_NO_VOLUME) << "FAT12";
}

// A partition of another kind, one that is not on the card, then the one that counts.
TEST(FatFile, TheFirstPartitionThatIsAFatCounts) {
  FatImage image({.fat32 = true, .first_block = 100, .partition = 2, .clusters = 100});
  image.add_file(image.root(), kName, 5000);
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
  std::fill_n(shorter.bytes.data() + 446 + 16, 16, uint8_t{0});
  EXPECT_EQ(found(shorter), THIMBLE_FAT_DAMAGED);
}

TEST(FatFile, AFileBehindTheEndIsTooFar) {
  FatImage image(kFat16);
  const uint32_t first = image.add_file(image.root(), kName, 5000);
  OnCard on(image);
  on.file.blocks = static_cast<uint32_t>(image.place_of(first) / 512 + 9);
  EXPECT_EQ(on.find(), THIMBLE_FAT_TOO_FAR);
  ++on.file.blocks;
  EXPECT_EQ(on.find(), 0);
  for (const uint32_t blocks : {0U, 1U, 5U, 40U}) {
    on.file.blocks = blocks;
    EXPECT_EQ(on.find(), THIMBLE_FAT_TOO_FAR) << blocks;
  }
}

// The card's faults are statuses of finding, at each read.
TEST(FatFile, FaultsOfTheCardAreTold) {
  FatImage image({.fat32 = true, .first_block = 9, .clusters = 100});
  const uint32_t folder = image.add_folder(image.root(), "FOLDER     ");
  image.add_file(folder, kName, 5000);
  OnCard on(image);
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
