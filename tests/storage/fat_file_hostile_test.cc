// SPDX-License-Identifier: Apache-2.0
// Whatever bytes a card has, finding a file ends with a status, after reads inside of the card, and
// what is found lies inside, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "runtime/storage/fat_file.h"
#include "tests/storage/fat_image.h"

namespace thimble::testing {
namespace {

constexpr uint32_t kMostReads = 3 * 8192 + 1000;  // two folders below the root, and a FAT

/// Counts reads, and those that are not whole blocks of the card.
class Card {
 public:
  explicit Card(const FatImage& image) : bytes(image.bytes) {
    file_.inner = &driver_;
    file_.blocks = image.blocks();
  }
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  /// What finding says. Fails where anything is outside.
  int find(const char* path) {
    reads_ = outside_ = 0;
    std::array<uint8_t, THIMBLE_FAT_BLOCK> sector{};
    const int status = thimble_fat_file_find(&file_, path, sector.data());
    ++statuses[status];
    EXPECT_LE(reads_, kMostReads);
    if (status == 0 && file_.bytes > 0) read_ends();
    EXPECT_EQ(outside_, 0U);
    const bool is_one =
        status == 0 || (status <= THIMBLE_FAT_NO_VOLUME && status >= THIMBLE_FAT_TOO_FAR);
    EXPECT_TRUE(is_one && (status == 0 || file_.bytes == 0)) << status;
    return status;
  }

  std::vector<uint8_t> bytes;
  std::map<int, int> statuses;

 private:
  void read_ends() {
    const thimble_storage storage = thimble_fat_file_open(&file_);
    uint8_t byte = 0;
    EXPECT_EQ(file_.offset % 512, 0U);
    EXPECT_EQ(storage.read_async(&file_, 0, 0, &byte, 1), 0);
    EXPECT_EQ(storage.read_async(&file_, 0, file_.bytes - 1, &byte, 1), 0);
    EXPECT_EQ(storage.read_async(&file_, 0, file_.bytes, &byte, 1), THIMBLE_STORAGE_FULL);
  }
  static int read(void* context, uint32_t, uint32_t offset, void* into, uint32_t size) {
    Card& card = *static_cast<Card*>(context);
    ++card.reads_;
    if (offset > card.bytes.size() || size > card.bytes.size() - offset) {
      ++card.outside_;
      return THIMBLE_STORAGE_FULL;
    }
    std::copy_n(card.bytes.data() + offset, size, static_cast<uint8_t*>(into));
    return THIMBLE_STORAGE_OK;
  }
  static int wait(void*, uint32_t) { return THIMBLE_STORAGE_OK; }

  thimble_storage driver_{this, read, nullptr, nullptr, wait, nullptr};
  thimble_fat_file file_{};
  uint32_t reads_ = 0, outside_ = 0;
};

/// A folder with a long name, and in it more files than fill a cluster.
struct Target {
  explicit Target(const FatImage::Shape& shape) : image(shape) {
    const uint32_t folder = image.add_folder(image.root(), "FOLDER~1   ", "folder of networks");
    for (int i = 0; i < 20; ++i) image.add_file(folder, "FILE    " + std::to_string(100 + i), 10);
    const uint32_t file = image.add_file(folder, "UNET_C~1IMG", 5000, "unet_card.img");
    // All blocks of structures that are read.
    std::vector<size_t> places = {0,
                                  image.boot(),
                                  image.place_in_fat(0),
                                  image.root_place(),
                                  image.place_of(folder),
                                  image.last_entry(),
                                  image.place_in_fat(file)};
    for (size_t& place : places) place -= place % 512;
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const size_t place : places)
      for (size_t i = 0; i < 512; ++i) structures.push_back(place + i);
  }
  FatImage image;
  std::vector<size_t> structures;
};

constexpr const char* kPath = "folder of networks/unet_card.img";
const std::array<FatImage::Shape, 4> kShapes = {
    FatImage::Shape{},
    {.fat32 = true, .clusters = 100},
    {.first_block = 5, .partition = 2, .cluster_sectors = 2},
    {.fat32 = true, .first_block = 9, .sector_bytes = 1024, .clusters = 100}};

TEST(FatFileHostile, AnyByteOfTheStructuresMayBeAnything) {
  for (const FatImage::Shape& shape : kShapes) {
    const Target target(shape);
    Card card(target.image);
    ASSERT_EQ(card.find(kPath), 0);
    for (const size_t at : target.structures) {
      const uint8_t was = card.bytes[at];
      for (int change = 0; change < 12; ++change) {
        const std::array<int, 4> others = {0, 0xff, was + 1, was - 1};
        card.bytes[at] =
            static_cast<uint8_t>(change < 8 ? was ^ 1 << change : others.at(change - 8U));
        card.find(kPath);
      }
      card.bytes[at] = was;
      ASSERT_FALSE(HasFailure()) << "byte " << at;
    }
    EXPECT_EQ(card.find(kPath), 0);
    EXPECT_GE(card.statuses.size(), 5U) << "each kind of fault";
  }
}

TEST(FatFileHostile, ManyBytesMayBe) {
  std::mt19937 random(5);
  for (const FatImage::Shape& shape : kShapes) {
    const Target target(shape);
    Card card(target.image);
    for (int n = 0; n < 20'000; ++n) {
      std::vector<size_t> changed(1 + random() % 12);
      for (size_t& at : changed) {
        at = target.structures[random() % target.structures.size()];
        card.bytes[at] = static_cast<uint8_t>(random());
      }
      card.find(kPath);
      for (const size_t at : changed) card.bytes[at] = target.image.bytes[at];
      ASSERT_FALSE(HasFailure()) << n;
    }
  }
}

// Boot sectors whose numbers are those at which sums overflow, before FATs and folders of noise in
// which there is always another cluster.
TEST(FatFileHostile, NumbersOfBootSectorsMayBeAsLargeAsTheyCan) {
  struct Field {
    size_t at;
    int bytes;
  };
  static constexpr std::array<Field, 12> kFields = {{{11, 2},
                                                     {13, 1},
                                                     {14, 2},
                                                     {16, 1},
                                                     {17, 2},
                                                     {19, 2},
                                                     {22, 2},
                                                     {32, 4},
                                                     {36, 4},
                                                     {40, 2},
                                                     {44, 4},
                                                     {21, 1}}};
  static constexpr std::array<uint32_t, 16> kNumbers = {
      0,      1,      2,       3,        32,         128,        512,        4096,
      0x7fff, 0xffff, 0x10000, 0xfffffe, 0x0fffffff, 0x7fffffff, 0xfffffffe, 0xffffffff};
  std::mt19937 random(7);
  for (const FatImage::Shape& shape : kShapes) {
    const Target target(shape);
    Card card(target.image);
    for (int n = 0; n < 3000; ++n) {
      card.bytes = target.image.bytes;
      for (size_t i = 0; i < 1 + random() % 4; ++i) {
        const Field field = kFields.at(random() % kFields.size());
        const uint32_t number = kNumbers.at(random() % kNumbers.size());
        for (int k = 0; k < field.bytes; ++k)
          card.bytes[target.image.boot() + field.at + k] = static_cast<uint8_t>(number >> 8 * k);
      }
      for (const size_t at : target.structures) {
        const bool is_noise = at >= target.image.boot() + 512 && random() % 64 == 0;
        if (is_noise) card.bytes[at] = static_cast<uint8_t>(random());
      }
      card.find(kPath);
      ASSERT_FALSE(HasFailure()) << n;
    }
    EXPECT_GE(card.statuses.size(), 3U);
  }
}

// A file that says that it has all of 4 GiB, in one chain over the whole volume.
TEST(FatFileHostile, AFileMayClaimMoreThanThereIs) {
  for (const FatImage::Shape& shape : kShapes) {
    FatImage image(shape);
    const uint32_t first = image.add_file(image.root(), "UNET    IMG", 10);
    for (uint32_t cluster = first; cluster < shape.clusters + 2; ++cluster)
      image.set_next(cluster, cluster + 1);
    std::fill_n(image.bytes.data() + image.last_entry() + 28, 4, uint8_t{0xff});
    EXPECT_EQ(Card(image).find("unet.img"), THIMBLE_FAT_DAMAGED);
  }
}

}  // namespace
}  // namespace thimble::testing
