// SPDX-License-Identifier: Apache-2.0
// Plans and models that once got the better of Thimble (shared attack/): refused, or answered
// rightly, within 10 seconds and 1 GB.
#include <fmt/format.h>

#include <chrono>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"
#include "tests/support/workload.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;

class Attack : public CommandLine {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(shared_folder() / "attack"))
      GTEST_SKIP() << "needs the shared folder attack: set THIMBLE_SHARED";
  }

  // `thimble ARGUMENTS` under the limits; sanitizers need more memory than that.
  [[nodiscard]] ProcessResult bounded(const std::vector<std::string>& arguments) const {
    std::vector<std::string> command{
        "sh", "-c", fmt::format("{}exec \"$0\" \"$@\"", kSanitized ? "" : "ulimit -v 1000000; "),
        THIMBLE_PROGRAM};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const auto begin = std::chrono::steady_clock::now();
    ProcessResult result =
        run_process({.arguments = command, .working_folder = folder(), .timeout_seconds = 120});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took.count(), kSanitized ? 60 : 10) << arguments.back();
    return result;
  }

  [[nodiscard]] ProcessResult verify(const std::string& plan, const char* model = "zoo:demo") {
    return bounded({"verify", model, (shared_folder() / "attack" / "plans" / plan).string()});
  }
};

TEST_F(Attack, WhatDoesNotFit32BitsIsWrong) {
  for (const char* plan : {"r_demo_stream_1_near", "r_demo_stream_1_over", "r_demo_stream_5_over",
                           "r_demo_stream_5_wrap", "r_demo_stream_6_wrap"}) {
    const ProcessResult result = verify(std::string(plan) + ".json");
    EXPECT_EQ(result.exit_status, 4) << plan << result.err;
    EXPECT_THAT(result.out, HasSubstr("does not fit 32 bits")) << plan;
  }
}

TEST_F(Attack, RegionsThatEndBeforeTheyBeginAreRefused) {
  for (const char* plan : {"d_demo_pex_1_ax1_rev", "d_demo_pex_1_ax2_rev"}) {
    const ProcessResult result = verify(std::string(plan) + ".json");
    EXPECT_EQ(result.exit_status, 1) << plan << result.out;
    EXPECT_THAT(result.err, HasSubstr("step 18: its region ends before it begins")) << plan;
  }
}

// An empty chunk does nothing, wherever it begins: these plans are right, and the tests of traces
// and of kernels show that everybody else means the same.
TEST_F(Attack, EmptyChunksDoNothing) {
  EXPECT_THAT(verify("c2_empty_after_acc_in_loop.json").out, HasSubstr(": right, with lossy"));
  EXPECT_THAT(verify("c3_ds_stream_natural_empty_chunk.json", "zoo:ds_cnn_s").out,
              HasSubstr(": right: "));
}

TEST_F(Attack, LossySumsAreNamedWithWhatTheyMayBeOffBy) {
  for (const char* plan : {"acc_scale_1000.0.json", "acc_scale_1e-09.json"}) {
    const ProcessResult result = verify(plan);
    EXPECT_THAT(result.out, HasSubstr("right, with lossy sums")) << plan;
    EXPECT_THAT(result.out, HasSubstr("may be anything")) << plan;
    EXPECT_THAT(result.out, HasSubstr("cannot be derived from the model")) << plan;
  }
}

TEST_F(Attack, EndlessLoopsEndSoon) {
  for (const char* plan : {"hang_loop.json", "hang_empty.json"}) {
    const ProcessResult result = verify(plan);
    EXPECT_EQ(result.exit_status, 1) << plan << result.out;
    EXPECT_THAT(result.err, HasSubstr("it executes more than")) << plan;
  }
}

TEST_F(Attack, ArenasCostWhatIsHeldInThem) {
  EXPECT_EQ(verify("arena100m.json").exit_status, 0);
  EXPECT_EQ(verify("arena2g.json").exit_status, 0);
}

// Whatever else the folder holds, or will.
TEST_F(Attack, EveryPlanIsAnsweredSoon) {
  for (const auto& entry : std::filesystem::directory_iterator(shared_folder() / "attack/plans")) {
    const std::string name = entry.path().filename().string();
    const ProcessResult result = verify(name, name.starts_with("c3") ? "zoo:ds_cnn_s" : "zoo:demo");
    EXPECT_TRUE(result.exit_status == 0 || result.exit_status == 1 || result.exit_status == 4)
        << name << ": " << result.err;
  }
}

}  // namespace
}  // namespace thimble::testing
