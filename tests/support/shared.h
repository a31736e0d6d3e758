// SPDX-License-Identifier: Apache-2.0
// Where the shared models, golden data and benchmark problems are, for tests that need them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace thimble::testing {

/// Environment variable THIMBLE_SHARED, else the CMake option of that name.
inline std::filesystem::path shared_folder() {
  const char* set = std::getenv("THIMBLE_SHARED");
  return set != nullptr && *set != '\0' ? set : THIMBLE_SHARED_DEFAULT;
}

inline bool has_shared() { return std::filesystem::exists(shared_folder() / "models"); }

}  // namespace thimble::testing

/// Skips the test where the shared data are absent.
#define THIMBLE_NEEDS_SHARED()                                                              \
  if (!::thimble::testing::has_shared())                                                    \
  GTEST_SKIP() << "needs the shared models and golden data: set THIMBLE_SHARED (looked in " \
               << ::thimble::testing::shared_folder() << ")"
