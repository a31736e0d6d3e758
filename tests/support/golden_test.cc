// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <gtest/gtest.h>

#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

TEST(FirstDifference, IsEmptyForEqualBytes) {
  EXPECT_EQ(first_difference({1, 2}, {1, 2}, DType::kInt8, {2}), "");
}

TEST(FirstDifference, NamesTheElement) {
  const Bytes expected = {0, 0, 0, 0, 0xfd, 0xff, 0, 0};
  const Bytes actual = {0, 0, 0, 0, 0xfd, 0x00, 1, 1};
  EXPECT_EQ(first_difference(expected, actual, DType::kInt16, {2, 2}),
            "element [1,0] (number 2): expected -3, got 253");
}

TEST(FirstDifference, NamesTheSizes) {
  EXPECT_EQ(first_difference({1}, {1, 2}, DType::kInt8, {1}), "expected 1 bytes, got 2");
}

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
