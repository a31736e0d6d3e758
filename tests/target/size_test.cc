// SPDX-License-Identifier: Apache-2.0
#include "thimble/target/size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "thimble/model/error.h"

namespace thimble {
namespace {

TEST(Size, ParsesUnits) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0", 0},
      {"1000", 1000},
      {"640B", 640},
      {"64K", 65536},
      {"64k", 65536},
      {"320KiB", 327680},
      {"64kB", 64000},
      {"1M", 1048576},
      {"2MiB", 2097152},
      {"1MB", 1000000},
      {"1.5K", 1536},
      {"2G", int64_t{2} << 30},
      {"1 GB", 1000000000},
      {"0.5KiB", 512},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(parse_size(text), expected) << text;
}

TEST(Size, RejectsWhatIsNoSize) {
  for (const char* text : {"", "K", "-1", "64Kb", "64 K B", "1.3", "0.0001K", "x64", "nan", "inf",
                           "64K ", "9999999999G", "1e400"}) {
    EXPECT_THROW((void)parse_size(text), CompileError) << text;
  }
}

TEST(Size, SaysWhatWorks) {
  try {
    (void)parse_size("64Q");
    FAIL() << "accepted";
  } catch (const CompileError& error) {
    EXPECT_STREQ(error.what(),
                 "size '64Q': has an unknown unit; write bytes (65536), binary units (64K, 64KiB, "
                 "1M, 1.5MiB) or decimal ones (64kB, 1MB)");
  }
}

TEST(Size, IsShownInTheUnitPeopleUse) {
  EXPECT_EQ(human_size(0), "0 B");
  EXPECT_EQ(human_size(1023), "1,023 B");
  EXPECT_EQ(human_size(55296), "54.0 KiB (55,296 B)");
  EXPECT_EQ(human_size(1048575), "1.0 MiB (1,048,575 B)");
  EXPECT_EQ(human_size(1505280), "1.4 MiB (1,505,280 B)");
  EXPECT_EQ(human_size(int64_t{3} << 30), "3.0 GiB (3,221,225,472 B)");
  EXPECT_EQ(human_size(-2048), "-2.0 KiB (-2,048 B)");
}

TEST(Size, SeparatesThousands) {
  EXPECT_EQ(with_separators(7), "7");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(with_separators(1000), "1,000");
  EXPECT_EQ(with_separators(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace thimble
