// SPDX-License-Identifier: Apache-2.0
#include "runtime/storage/mapped_flash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <vector>

namespace thimble::testing {
namespace {

using ::testing::Each;

class MappedFlash : public ::testing::Test {
 protected:
  MappedFlash() {
    std::iota(bytes_.begin(), bytes_.end(), uint8_t{1});
    storage_ = thimble_mapped_flash_open(&flash_);
  }

  alignas(4) std::array<uint8_t, 64> bytes_{};
  thimble_mapped_flash flash_{bytes_.data(), 64};
  thimble_storage storage_{};
};

TEST_F(MappedFlash, ReadsWhatIsThere) {
  for (const uint32_t offset : {0U, 4U, 7U, 61U, 64U}) {
    for (uint32_t size = 0; size <= 64 - offset; ++size) {
      for (const uint32_t into : {0U, 1U}) {
        std::vector<uint8_t> read(into + size + 1, 0xee);
        ASSERT_EQ(storage_.read_async(storage_.context, 0, offset, read.data() + into, size), 0);
        ASSERT_EQ(storage_.wait(storage_.context, 0), 0);
        EXPECT_TRUE(std::equal(read.begin() + into, read.end() - 1, bytes_.begin() + offset));
        EXPECT_EQ(read.back(), 0xee);
      }
    }
  }
}

TEST_F(MappedFlash, EndsWhereItEnds) {
  std::array<uint8_t, 8> read;
  read.fill(0xee);
  for (const auto& [offset, size] :
       {std::pair(61U, 4U), {64U, 1U}, {65U, 0U}, {0xfffffffcU, 8U}, {8U, 0xfffffffcU}})
    EXPECT_EQ(storage_.read_async(storage_.context, 0, offset, read.data(), size),
              THIMBLE_STORAGE_FULL);
  EXPECT_THAT(read, Each(0xee));
}

TEST_F(MappedFlash, IsNotWritten) {
  const std::array<uint8_t, 4> zeros{};
  EXPECT_EQ(storage_.write_async(storage_.context, 0, 0, zeros.data(), 4),
            THIMBLE_STORAGE_WRITE_FAILED);
  EXPECT_EQ(bytes_[0], 1);
  EXPECT_EQ(storage_.erase_async, nullptr);
}

}  // namespace
}  // namespace thimble::testing
