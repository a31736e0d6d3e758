// SPDX-License-Identifier: Apache-2.0
// A storage that checks its calls, with the image of a file system, and the driver on it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "runtime/storage/fat_file.h"
#include "tests/storage/fat_image.h"
#include "tests/storage/watched_storage.h"

namespace thimble::testing {

/// The file that tests look for, as it is stored and in a path.
inline constexpr const char* kFatName = "UNET    IMG";
inline constexpr const char* kFatPath = "unet.img";

// Small ones of both kinds, and as cards have them: behind an MBR, with larger clusters.
inline constexpr FatImage::Shape kFat16{}, kFat32{.fat32 = true, .clusters = 400};
inline constexpr std::array<FatImage::Shape, 8> kFatShapes = {
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
struct FatOnCard {
  explicit FatOnCard(const FatImage& image)
      : card({.size = static_cast<uint32_t>(image.bytes.size()), .granule = 4}) {
    card.bytes = image.bytes;
    file.inner = card.driver();
    file.blocks = image.blocks();
  }
  int find(const char* path = kFatPath) {
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

inline int found(const FatImage& image, const char* path = kFatPath) {
  return FatOnCard(image).find(path);
}

}  // namespace thimble::testing
