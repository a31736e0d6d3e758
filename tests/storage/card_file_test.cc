// SPDX-License-Identifier: Apache-2.0
// The second example of docs/storage.md, on a card at its bus.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "runtime/storage/fat_file.h"
#include "tests/storage/card_on_spi.h"
#include "tests/storage/fat_image.h"

extern "C" int open_card_file(const thimble_spi* spi, const char* path, uint32_t bytes,
                              thimble_storage* storage);

namespace thimble::testing {
namespace {

std::string page_text(const std::filesystem::path& file) {
  std::ifstream stream(std::filesystem::path(THIMBLE_SOURCE_DIR) / file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(CardFile, IsInTheGuideAsItIs) {
  const std::string code = page_text("tests/storage/card_file.c");
  const std::string example = code.substr(code.find('\n') + 1);  // behind the licence
  ASSERT_GT(example.size(), 500U);
  EXPECT_NE(page_text("docs/storage.md").find("```c\n" + example + "```\n"), std::string::npos);
}

TEST(CardFile, IsReadAndWrittenByWayOfTheBus) {
  FatImage image({.fat32 = true, .first_block = 64, .cluster_sectors = 2, .clusters = 400});
  const uint32_t nets = image.add_folder(image.root(), "NETS       ");
  image.add_file(nets, "BEFORE  IMG", 3000);
  const uint32_t cluster = image.add_file(nets, "UNET_C~1IMG", 5000, "unet_card.img");
  image.add_file(nets, "BEHIND  IMG", 3000);
  CardOnSpi card({});
  std::copy(image.bytes.begin(), image.bytes.end(), card.bytes.begin());

  thimble_storage storage{};
  EXPECT_EQ(open_card_file(card.bus(), "nets/none.img", 1, &storage), THIMBLE_FAT_NO_FILE);
  EXPECT_EQ(open_card_file(card.bus(), "nets/unet_card.img", 5001, &storage), THIMBLE_STORAGE_FULL);
  ASSERT_EQ(open_card_file(card.bus(), "nets/unet_card.img", 5000, &storage), 0);
  std::vector<uint8_t> read(5000), written(4, 0xee);
  ASSERT_EQ(storage.read_async(storage.context, 0, 0, read.data(), 5000), 0);
  ASSERT_EQ(storage.wait(storage.context, 0), 0);
  for (uint32_t i = 0; i < 5000; ++i) ASSERT_EQ(read[i], FatImage::content(i)) << i;

  // The last block, which the card fills with zeros.
  ASSERT_EQ(storage.write_async(storage.context, 0, 4608, written.data(), 4), 0);
  ASSERT_EQ(storage.wait(storage.context, 0), 0);
  std::fill_n(image.bytes.data() + image.place_of(cluster) + 4608, 512, uint8_t{0});
  std::fill_n(image.bytes.data() + image.place_of(cluster) + 4608, 4, uint8_t{0xee});
  EXPECT_TRUE(std::equal(image.bytes.begin(), image.bytes.end(), card.bytes.begin()));
}

}  // namespace
}  // namespace thimble::testing
