// SPDX-License-Identifier: Apache-2.0
// docs/supported_ops.md is what the predicates say. THIMBLE_UPDATE=1 writes it anew.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "thimble/operators/operators.h"

namespace thimble {
namespace {

const char* const kPage = THIMBLE_SOURCE_DIR "/docs/supported_ops.md";

TEST(SupportedOps, PageIsUpToDate) {
  if (std::getenv("THIMBLE_UPDATE") != nullptr) {
    std::ofstream(kPage, std::ios::binary) << supported_ops_markdown();
  }
  std::ifstream file(kPage, std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(page, supported_ops_markdown())
      << "set THIMBLE_UPDATE=1 and run this test to write " << kPage;
}

TEST(SupportedOps, PageNamesEveryOperator) {
  const std::string page = supported_ops_markdown();
  for (const char* name : {"ADD",
                           "AVERAGE_POOL_2D",
                           "BATCH_MATMUL",
                           "CONCATENATION",
                           "CONV_2D",
                           "DEPTHWISE_CONV_2D",
                           "DEQUANTIZE",
                           "FULLY_CONNECTED",
                           "LOGISTIC",
                           "MAX_POOL_2D",
                           "MEAN",
                           "MUL",
                           "PAD",
                           "QUANTIZE",
                           "RELU",
                           "RELU6",
                           "RESHAPE",
                           "RESIZE_BILINEAR",
                           "RESIZE_NEAREST_NEIGHBOR",
                           "SLICE",
                           "SOFTMAX",
                           "TRANSPOSE"}) {
    EXPECT_THAT(page, ::testing::HasSubstr(std::string("\n## ") + name + "\n"));
  }
}

}  // namespace
}  // namespace thimble
