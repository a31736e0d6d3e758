// SPDX-License-Identifier: Apache-2.0
// What fit_code takes apart of an emitted program.
#include "bench/code_samples.h"

#include <gtest/gtest.h>

#include "thimble/driver/code_bytes.h"
#include "thimble/driver/driver.h"

namespace thimble {
namespace {

// Its constants are known to the linker by names of their own, which no library has.
TEST(CodeSampler, TellsAProgramFromLibraries) {
  const Answer answer =
      compile({.model = "zoo:demo", .target = generic_target("cortex-m4"), .planner = "reorder"});
  const auto& compiled = std::get<Compiled>(answer);
  const EmittedSample sample = CodeSampler("cortex-m4").emitted_sample("demo", compiled);
  EXPECT_EQ(sample.frames.size(), sample.code.frames.size());
  EXPECT_GT(sample.own_bytes, 0);
  EXPECT_LT(sample.own_bytes, compiled.verdict.code->code.bytes);
  for (const auto& [section, bytes] : sample.libraries) EXPECT_GT(bytes, 0) << section;
}

}  // namespace
}  // namespace thimble
