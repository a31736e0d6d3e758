// SPDX-License-Identifier: Apache-2.0
// `thimble plan` as a user runs it.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using PlanCommand = CommandLine;

TEST_F(PlanCommand, PrintsStepsAndBuffers) {
  const ProcessResult result = thimble({"plan", "zoo:demo", "--planner", "original"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, StartsWith("zoo:demo (planner original)\n"));
  EXPECT_THAT(result.out, HasSubstr(" M instructions on cortex-m4 (estimated)\n"));
  EXPECT_THAT(result.out, ContainsRegex("\n   1  18,432 +[0-9,]+  DEPTHWISE_CONV_2D #1   all "));
  EXPECT_THAT(result.out, HasSubstr("\nbuffer  kind"));
}

TEST_F(PlanCommand, JsonHasTheSameArenaAsCompile) {
  const ProcessResult result = thimble({"plan", "zoo:demo", "--format", "json"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_EQ(thimble({"compile", "zoo:demo", "--json", "r.json"}).exit_status, 0);
  const auto plan = json_of(result.out), report = json_of(read("r.json"));
  EXPECT_GT(plan.at("estimate").at("instructions"), plan.at("macs"));
  for (const char* key :
       {"planner", "arena_bytes", "peak_bytes", "macs", "layout_proven_optimal", "estimate"})
    EXPECT_EQ(plan.at(key), report.at(key)) << key;
}

TEST_F(PlanCommand, DrawsIntoAFile) {
  const ProcessResult result = thimble_as_is({"plan", "zoo:demo", "--svg", "plan.svg"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, StartsWith("zoo:demo"));
  EXPECT_THAT(read("plan.svg"), HasSubstr("</svg>\n"));
  EXPECT_THAT(names(), ElementsAre("plan.svg"));
}

TEST_F(PlanCommand, PictureOnStandardOutputComesAlone) {
  const ProcessResult result = thimble_as_is({"plan", "zoo:demo", "--svg", "/dev/stdout"});
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_THAT(result.out, StartsWith("<?xml"));
  EXPECT_TRUE(result.out.ends_with("</svg>\n"));
}

TEST_F(PlanCommand, PictureThatCannotBeWrittenIsOneMessage) {
  const ProcessResult result = thimble_as_is({"plan", "zoo:demo", "--svg", "no/such/plan.svg"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_EQ(result.err, "thimble: no/such/plan.svg: cannot write: No such file or directory\n");
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(PlanCommand, FullDiskIsOneMessage) {
  const ProcessResult result =
      redirected("> /dev/full", {"plan", "zoo:demo", "--planner", "original"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("standard output: cannot be written"));
}

TEST_F(PlanCommand, TooLittleMemoryIsExitStatus2) {
  const ProcessResult sram =
      thimble({"plan", "zoo:demo", "--planner", "original", "--sram", "1000"});
  EXPECT_EQ(sram.exit_status, 2);
  EXPECT_THAT(sram.out, HasSubstr("does not fit: "));
  const ProcessResult flash =
      thimble({"plan", "zoo:demo", "--planner", "original", "--flash", "1000"});
  EXPECT_EQ(flash.exit_status, 2);
  EXPECT_THAT(flash.out, HasSubstr("does not fit: its weights take "));
}

TEST_F(PlanCommand, UnknownFormatsAreRefused) {
  const ProcessResult result = thimble({"plan", "zoo:demo", "--format", "svg"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("--format"));
}

}  // namespace
}  // namespace thimble::testing
