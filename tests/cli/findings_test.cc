// SPDX-License-Identifier: Apache-2.0
// Files that got the better of Thimble, by the commands that showed it. Their kinds have tests of
// their own: certificates (tests/certify), limits of work (work_limits_test.cc), operators
// (strangers_models_test.cc), floats (float_models_test.cc), signals (interruption_test.cc).
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class Findings : public CommandLine {
 protected:
  void SetUp() override {
    THIMBLE_NEEDS_SHARED();
    if (!std::filesystem::exists(shared_folder() / "findings")) GTEST_SKIP() << "no findings";
  }
  static std::string finding(const std::string& name) {
    return (shared_folder() / "findings" / name).string();
  }
  // The lines of outputs that `run` prints.
  [[nodiscard]] std::string outputs(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "run");
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.out << result.err;
    std::istringstream lines(result.out);
    std::string found;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("  output ")) found += line + "\n";
    }
    EXPECT_NE(found, "") << result.out;
    return found;
  }
};

TEST_F(Findings, DivisionsBehindConstantChannelsAreTheReferences) {
  for (const char* name : {"div8_const_channels.tflite", "divf_const_channels.tflite"}) {
    const std::string wanted = outputs({finding(name), "--on", "reference"});
    EXPECT_EQ(outputs({finding(name), "--on", "host"}), wanted) << name;
    EXPECT_EQ(outputs({finding(name), "--on", "host", "--keep-channels"}), wanted) << name;
  }
}

TEST_F(Findings, FeaturesThatOverflowAreTheSameOnAllPaths) {
  const std::string model = finding("svdf_float32_01.tflite");
  const std::string input = finding("svdf_01_big.safetensors");
  EXPECT_EQ(outputs({model, "--input-file", input, "--on", "host"}),
            outputs({model, "--input-file", input, "--on", "reference"}));
}

TEST_F(Findings, AVariableMayBeAssignedAConstant) {
  const std::string model = finding("variable_assigned_constant.tflite");
  EXPECT_EQ(thimble({"inspect", model}).exit_status, 0);
  EXPECT_EQ(outputs({model, "--on", "host"}), outputs({model, "--on", "reference"}));
}

TEST_F(Findings, AnInputThatNobodyReadsCompilesWithoutWarnings) {
  ASSERT_EQ(thimble({"compile", finding("unused_input.tflite"), "--input", "user", "-o", "out"})
                .exit_status,
            0);
  const ProcessResult built =
      run_process({.arguments = {"g++", "-std=c++17", "-Wall", "-Wextra", "-Werror",
                                 "-fsyntax-only", "out/unused_input.cc"},
                   .working_folder = folder()});
  EXPECT_EQ(built.exit_status, 0) << built.err;
}

TEST_F(Findings, OwnPlansPassOwnChecks) {
  for (const char* name :
       {"mp_wide.tflite", "mp_big.tflite", "dw_k300.tflite", "k_convconst.tflite"}) {
    EXPECT_EQ(thimble({"plan", finding(name), "--planner", "original"}).exit_status, 0) << name;
    const ProcessResult compiled = thimble({"compile", finding(name), "--time-limit", "1"});
    EXPECT_EQ(compiled.exit_status, 0) << compiled.err;
    EXPECT_THAT(compiled.out, HasSubstr("  verified yes")) << name;
  }
}

TEST_F(Findings, OneBiasOfFourLayersIsInFlashOnce) {
  ASSERT_EQ(
      thimble({"compile", finding("shared_bias.tflite"), "--planner", "original", "-o", "out"})
          .exit_status,
      0);
  const std::string header = read("out/shared_bias_weights.h");
  EXPECT_THAT(header, HasSubstr(" shared_bias["));
  EXPECT_THAT(header, Not(HasSubstr("_1_bias[")));
}

TEST_F(Findings, UnrolledRecurrencesArePlannedInSeconds) {
  for (const char* name : {"gru_unrolled_20.tflite", "gru_unrolled_29.tflite"}) {
    const ProcessResult timed =
        run_process({.arguments = {"bash", "-c", "ulimit -t 4; \"$0\" compile \"$1\" > out.txt",
                                   THIMBLE_PROGRAM, finding(name)},
                     .working_folder = folder()});
    EXPECT_EQ(timed.exit_status, 0) << name << " takes more than 4 s of processor time";
  }
}

TEST_F(Findings, ModelsWithoutARankAreTakenAsThoseWithOne) {
  const std::string open = thimble({"run", finding("open_rank_mirror_pad.tflite")}).out;
  EXPECT_THAT(open, HasSubstr("  output 0"));
  EXPECT_EQ(thimble({"inspect", finding("open_rank_mirror_pad.tflite")}).exit_status, 0);
  EXPECT_THAT(thimble({"inspect", finding("open_rank_resize.tflite")}).out,
              Not(HasSubstr("quantise it to int8")));
}

TEST_F(Findings, APointerOfGitLfsSaysWhatToDo) {
  const ProcessResult result = thimble({"compile", finding("lfs_pointer.tflite")});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("`git lfs pull`"));
}

}  // namespace
}  // namespace thimble::testing
