// SPDX-License-Identifier: Apache-2.0
// docs/supported_ops.md is what the predicates say. THIMBLE_UPDATE=1 writes it anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/operators/claims.h"
#include "tests/support/workload.h"
#include "thimble/operators/operators.h"

namespace thimble {
namespace {

const char* const kPage = THIMBLE_SOURCE_DIR "/docs/supported_ops.md";

TEST(SupportedOps, PageIsUpToDate) {
  if (testing::workload().update) {
    std::ofstream(kPage, std::ios::binary) << supported_ops_markdown();
  }
  std::ifstream file(kPage, std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, supported_ops_markdown())
      << "set THIMBLE_UPDATE=1 and run this test to write " << kPage;
}

TEST(SupportedOps, PageNamesEveryOperator) {
  const std::string page = supported_ops_markdown();
  for (const Attributes& kind : testing::every_operator())
    EXPECT_THAT(page, ::testing::HasSubstr(std::string("\n## ") + name(kind) + "\n"));
}

}  // namespace
}  // namespace thimble
