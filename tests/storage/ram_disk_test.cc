// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/ram_disk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "thimble_runtime/transfers.h"

extern "C" const thimble_storage psram;  // tests/storage/mapped_ram.c

namespace thimble::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using DiskBytes = std::array<uint8_t, 4>;

// 64 bytes, granules of 4, blocks of 16.
class RamDisk : public ::testing::Test {
 protected:
  void open(int kind) {
    bytes_.fill(0xa5);
    disk_ = {bytes_.data(), 64, 4, kind == THIMBLE_RAM_DISK_PLAIN ? 0U : 16U, kind, 0};
    storage_ = thimble_ram_disk_open(&disk_);
  }
  int write(uint32_t offset, const DiskBytes& bytes) {
    return ended(storage_.write_async(storage_.context, 0, offset, bytes.data(), 4));
  }
  int erase(uint32_t offset, uint32_t size) {
    return ended(storage_.erase_async(storage_.context, 0, offset, size));
  }
  DiskBytes read(uint32_t offset) {
    DiskBytes bytes{};
    EXPECT_EQ(ended(storage_.read_async(storage_.context, 0, offset, bytes.data(), 4)), 0);
    return bytes;
  }
  int ended(int status) { return status != 0 ? status : storage_.wait(storage_.context, 0); }

  std::array<uint8_t, 64> bytes_{};
  thimble_ram_disk disk_{};
  thimble_storage storage_{};
};

TEST_F(RamDisk, HoldsWhatIsWritten) {
  open(THIMBLE_RAM_DISK_PLAIN);
  EXPECT_EQ(write(8, {1, 2, 3, 4}), THIMBLE_STORAGE_OK);
  EXPECT_EQ(write(8, {5, 6, 7, 8}), THIMBLE_STORAGE_OK);
  EXPECT_THAT(read(8), ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(read(12), Each(0xa5));
  EXPECT_EQ(storage_.erase_async, nullptr);
  EXPECT_EQ(disk_.unset_bits, 0);
}

TEST_F(RamDisk, NorIsErasedToOnesByBlocks) {
  open(THIMBLE_RAM_DISK_NOR);
  EXPECT_EQ(erase(16, 32), THIMBLE_STORAGE_OK);
  EXPECT_THAT(read(12), Each(0xa5));
  EXPECT_THAT(read(16), Each(0xff));
  EXPECT_THAT(read(44), Each(0xff));
  EXPECT_THAT(read(48), Each(0xa5));
}

TEST_F(RamDisk, NorWritesClearBitsAlone) {
  open(THIMBLE_RAM_DISK_NOR);
  ASSERT_EQ(erase(0, 16), THIMBLE_STORAGE_OK);
  EXPECT_EQ(write(0, {0xf0, 0xff, 0x00, 0x81}), THIMBLE_STORAGE_OK);
  EXPECT_EQ(disk_.unset_bits, 0);
  EXPECT_EQ(write(0, {0x3c, 0x12, 0x01, 0x80}), THIMBLE_STORAGE_OK);
  EXPECT_THAT(read(0), ElementsAre(0x30, 0x12, 0x00, 0x80));
  EXPECT_EQ(disk_.unset_bits, 2 + 1);
}

TEST_F(RamDisk, CheckedNorRefusesToSetBits) {
  open(THIMBLE_RAM_DISK_NOR_CHECKED);
  ASSERT_EQ(erase(0, 16), THIMBLE_STORAGE_OK);
  EXPECT_EQ(write(0, {0xf0, 0xff, 0x00, 0x81}), THIMBLE_STORAGE_OK);
  EXPECT_EQ(write(0, {0x30, 0xff, 0x00, 0x81}), THIMBLE_STORAGE_OK) << "clears";
  EXPECT_EQ(write(0, {0x00, 0x00, 0x00, 0x02}), THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_THAT(read(0), ElementsAre(0x30, 0xff, 0x00, 0x81)) << "as it was";
  EXPECT_EQ(disk_.unset_bits, 1);
}

TEST_F(RamDisk, RefusesWhatIsNotOnIt) {
  open(THIMBLE_RAM_DISK_NOR);
  DiskBytes bytes{};
  for (const uint32_t offset : {64U, 68U, 0xfffffffcU}) {
    EXPECT_EQ(write(offset, bytes), THIMBLE_STORAGE_FULL);
    EXPECT_EQ(storage_.read_async(&disk_, 0, offset, bytes.data(), 4), THIMBLE_STORAGE_FULL);
  }
  EXPECT_EQ(storage_.read_async(&disk_, 0, 62, bytes.data(), 4), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(erase(48, 32), THIMBLE_STORAGE_FULL);
  EXPECT_EQ(write(60, bytes), THIMBLE_STORAGE_OK);
}

TEST_F(RamDisk, RefusesWhatIsNotAligned) {
  open(THIMBLE_RAM_DISK_NOR);
  EXPECT_EQ(write(2, {}), THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_EQ(erase(8, 16), THIMBLE_STORAGE_ERASE_FAILED);
  EXPECT_EQ(erase(16, 8), THIMBLE_STORAGE_ERASE_FAILED);
  EXPECT_THAT(bytes_, Each(0xa5));
}

// Flash that nobody erased says that it is written; the tags tell.
TEST_F(RamDisk, TransfersFindWhatWasNotErased) {
  open(THIMBLE_RAM_DISK_NOR);
  DiskBytes out = {1, 2, 3, 4}, in{};
  uint32_t tag = 0;
  std::array<runtime::InFlight, 1> flights{};
  runtime::Transfers transfers{&storage_, flights.data(), 0};
  begin_write(transfers, 0, {0, 4, 4}, {out.data(), 0, 0}, &tag, 0, 1);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_OK);
  begin_read(transfers, 0, {0, 4, 4}, {in.data(), 0, 0}, &tag, 0, 1);
  wait(transfers, 0);
  EXPECT_EQ(transfers.status, THIMBLE_STORAGE_CORRUPT);
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(std::filesystem::path(THIMBLE_SOURCE_DIR) / file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(StorageGuide, HasTheExampleAsItIs) {
  const std::string code = text_of("tests/storage/mapped_ram.c");
  const std::string example = code.substr(code.find('\n') + 1);  // behind the licence
  ASSERT_GT(example.size(), 500);
  EXPECT_NE(text_of("docs/storage.md").find("```c\n" + example + "```\n"), std::string::npos);
}

TEST(StorageGuide, HasAnExampleThatWorks) {
  DiskBytes out = {1, 2, 3, 4}, in{};
  ASSERT_EQ(psram.write_async(psram.context, 0, 8, out.data(), 4), THIMBLE_STORAGE_OK);
  ASSERT_EQ(psram.wait(psram.context, 0), THIMBLE_STORAGE_OK);
  ASSERT_EQ(psram.read_async(psram.context, 1, 8, in.data(), 4), THIMBLE_STORAGE_OK);
  ASSERT_EQ(psram.wait(psram.context, 1), THIMBLE_STORAGE_OK);
  EXPECT_EQ(in, out);
  EXPECT_EQ(psram.read_async(psram.context, 0, 0xfffffffe, in.data(), 4), THIMBLE_STORAGE_FULL);
}

}  // namespace
}  // namespace thimble::testing
