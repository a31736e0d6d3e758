// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

TEST(OpsCases, HoldWhatIsTaken) {
  THIMBLE_NEEDS_SHARED();
  const std::vector<OpsCase> taken = ops_cases(), all = all_ops_cases();
  for (const OpsCase& c : all) EXPECT_TRUE(std::filesystem::exists(c.model())) << c.model();
  EXPECT_GT(taken.size(), 1000U);
  EXPECT_EQ(taken.size(), all.size());
}

TEST(GoldenPaths, IncludeThePhotographs) {
  THIMBLE_NEEDS_SHARED();
  EXPECT_EQ(golden_paths("person_detect").size(), 3u);
  EXPECT_EQ(golden_paths("kws_ref_model").size(), 1u);
}

}  // namespace
}  // namespace thimble::testing
