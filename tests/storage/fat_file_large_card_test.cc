// SPDX-License-Identifier: Apache-2.0
// A file of a card that is larger than offsets reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "runtime/storage/fat_file.h"
#include "tests/storage/fat_image.h"

namespace thimble::testing {
namespace {

// 45 GB with clusters of 64 KiB, of which those blocks are stored that tell of one file.
class LargeCard {
 public:
  static constexpr uint32_t kFat = 32, kData = 5504, kSectors = 700'000 * 128;

  LargeCard(uint32_t cluster, uint32_t size) {
    FatImage image({.fat32 = true, .cluster_sectors = 128, .clusters = 10});
    image.add_file(image.root(), "UNET    IMG", 10);
    copy_block(0, image, 0);
    put(0, 16, 1, 1);
    put(0, 32, kSectors, 4);
    put(0, 36, kData - kFat, 4);
    copy_block(kData, image, image.root_place());
    put(kData, 20, cluster >> 16, 2);
    put(kData, 26, cluster, 2);
    put(kData, 28, size, 4);
    const uint32_t last = cluster + (size - 1) / 65536;
    for (; cluster <= last; ++cluster)
      put(kFat + cluster / 128, cluster % 128 * 4, cluster == last ? 0x0fffffff : cluster + 1, 4);
    file.inner = &driver_;
    file.blocks = kSectors;
    std::array<uint8_t, THIMBLE_FAT_BLOCK> sector{};
    status = thimble_fat_file_find(&file, "unet.img", sector.data());
  }
  LargeCard(const LargeCard&) = delete;
  LargeCard& operator=(const LargeCard&) = delete;

  thimble_fat_file file{};
  int status;
  uint32_t last_read = 0;

 private:
  using Block = std::array<uint8_t, 512>;

  void copy_block(uint32_t block, const FatImage& image, size_t place) {
    std::copy_n(image.bytes.data() + place, 512, blocks_[block].data());
  }
  void put(uint32_t block, size_t at, uint32_t value, int count) {
    for (int i = 0; i < count; ++i)
      blocks_[block].at(at + i) = static_cast<uint8_t>(value >> 8 * i);
  }
  static int read(void* context, uint32_t, uint32_t offset, void* into, uint32_t size) {
    LargeCard& card = *static_cast<LargeCard*>(context);
    card.last_read = offset;
    std::copy_n(card.blocks_[offset / 512].data(), size, static_cast<uint8_t*>(into));
    return 0;
  }
  static int wait(void*, uint32_t) { return 0; }

  std::map<uint32_t, Block> blocks_;
  thimble_storage driver_{this, read, nullptr, nullptr, wait, nullptr};
};

// Cluster 65,495 begins at 4 GiB.
TEST(FatFileOnALargeCard, OffsetsReachFourGibibytesOfALargerCard) {
  for (const auto& [cluster, size] :
       {std::pair{3U, 40'000'000U}, {65493U, 131072U}, {65494U, 1U}}) {
    LargeCard card(cluster, size);
    EXPECT_EQ(card.status, 0);
    EXPECT_EQ(card.file.bytes, size);
    uint8_t byte = 0;
    const thimble_storage storage = thimble_fat_file_open(&card.file);
    EXPECT_EQ(storage.read_async(&card.file, 0, size - 1, &byte, 1), 0);
    EXPECT_EQ(card.last_read, (card.kData * 512 + (cluster - 2) * 65536) + size - 1);
  }
  for (const auto& [cluster, size] :
       {std::pair{65494U, 65537U}, {65495U, 1U}, {3U, 4294967295U}, {699'000U, 9U}})
    EXPECT_EQ(LargeCard(cluster, size).status, THIMBLE_FAT_TOO_FAR) << cluster;
}

}  // namespace
}  // namespace thimble::testing
