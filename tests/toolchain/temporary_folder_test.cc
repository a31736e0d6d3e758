// SPDX-License-Identifier: Apache-2.0
#include "thimble/toolchain/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>

namespace thimble {
namespace {

TEST(TemporaryFolder, IsRemovedWithItsFiles) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    std::filesystem::create_directory(path / "below");
    std::ofstream(path / "below" / "file") << "text";
    EXPECT_TRUE(std::filesystem::exists(path / "below" / "file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryFolder, IsOnesOwn) {
  const TemporaryFolder a, b;
  EXPECT_NE(a.path(), b.path());
}

}  // namespace
}  // namespace thimble
