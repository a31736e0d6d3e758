// SPDX-License-Identifier: Apache-2.0
// Small files that strangers' models and bug reports left: taken, or refused by all commands alike.
#include <filesystem>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string finding(const std::string& name) {
  return (shared_folder() / "findings" / (name + ".tflite")).string();
}

class StrangersModels : public CommandLine, public ::testing::WithParamInterface<const char*> {};

TEST_P(StrangersModels, AreCompiled) {
  THIMBLE_NEEDS_SHARED();
  const std::string model = finding(GetParam());
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "needs " << model << ": set THIMBLE_SHARED";
  const ProcessResult compiled = thimble_as_is({"compile", model, "-o", "out"});
  EXPECT_EQ(compiled.exit_status, 0) << compiled.err;
  EXPECT_THAT(compiled.out, HasSubstr("verified yes"));
  const ProcessResult inspected = thimble({"inspect", model});
  EXPECT_EQ(inspected.exit_status, 0) << inspected.err;
  EXPECT_THAT(inspected.out, Not(HasSubstr("cannot be compiled")));
  const ProcessResult run = thimble_as_is({"run", model, "--on", "host"});
  EXPECT_EQ(run.exit_status, 0) << run.err;
}

INSTANTIATE_TEST_SUITE_P(Findings, StrangersModels,
                         ::testing::Values("dead_channel_bias_at_int32_min", "gather_embedding",
                                           "mlonmcu_detpost_static", "tf59506_rsqrt_i16",
                                           "op_zeros_like", "op_embedding_lookup",
                                           "open_rank_mirror_pad", "open_rank_resize",
                                           "known_rank_mirror_pad"),
                         [](const auto& test) { return std::string(test.param); });

// A bias of three for one output channel: the interpreter has no meaning for it, nor has int8.
TEST_F(CommandLine, ABiasOfOtherSizeIsRefusedWithoutAdviceToQuantise) {
  THIMBLE_NEEDS_SHARED();
  const std::string model = finding("tinynn262_transpose_conv_bias");
  if (!std::filesystem::exists(model)) GTEST_SKIP() << "needs " << model << ": set THIMBLE_SHARED";
  const std::string reason = "the bias has one element per output channel";
  EXPECT_THAT(thimble({"compile", model, "-o", "out"}).err, HasSubstr(reason));
  const ProcessResult inspected = thimble({"inspect", model});
  EXPECT_THAT(inspected.out, HasSubstr(reason));
  EXPECT_THAT(inspected.out, Not(HasSubstr("quantise")));
}

}  // namespace
}  // namespace thimble::testing
