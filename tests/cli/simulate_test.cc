// SPDX-License-Identifier: Apache-2.0
// `thimble simulate` as a user runs it.
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/report/xml.h"

namespace thimble::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Simulate : public CommandLine {
 protected:
  /// unet's first skip tensor, 73,728 B, on a card: 18 blocks erased in 180 ms, written in 73.728.
  std::vector<std::string> spilled(std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {
        "simulate",
        "zoo:unet",
        "--planner",
        "tinyseg",
        "--no-rewrite",
        "--ns-per-mac",
        "1",
        "--storage",
        "card:erase=4K,queue=1,read_speed=2MB,write_speed=1MB,erase_time=0.01"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

TEST_F(Simulate, SaysWhatTheCoreDoes) {
  const ProcessResult result = thimble(spilled({"--polled"}));
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("zoo:unet (planner tinyseg)\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  inference  305.688 ms\n"));
  EXPECT_THAT(result.out, HasSubstr("\n  computes   15.096 ms (4.9 %): 1 ns for each MAC\n"));
  EXPECT_THAT(result.out, HasSubstr(": read 36.864, write 73.728, erase 180.000\n"));
  EXPECT_THAT(result.out, HasSubstr("not known, and taken as none: access latency of card"));
  EXPECT_THAT(result.out, HasSubstr("\nstorage  reads "));
}

TEST_F(Simulate, JsonHasTheSame) {
  EXPECT_EQ(thimble(spilled({"--polled", "--json", "r.json"})).exit_status, 0);
  const auto report = json_of(read("r.json"));
  EXPECT_EQ(report.at("thimble_report"), "simulate");
  EXPECT_NEAR(report.at("inference_seconds"), 0.305687808, 1e-9);
  EXPECT_NEAR(report.at("waited_seconds").at("erase"), 0.18, 1e-9);
  EXPECT_EQ(report.at("storages").at(0).at("written_bytes"), 73'728);
  EXPECT_EQ(report.at("storages").at(0).at("erased_blocks"), 18);
  EXPECT_TRUE(report.at("storages").at(0).at("years").is_null());
}

TEST_F(Simulate, DrawsALanePerStorage) {
  EXPECT_EQ(thimble(spilled({"--svg", "time.svg"})).exit_status, 0);
  const std::string svg = read("time.svg");
  EXPECT_GT(parse_xml(svg).size(), 10U);
  EXPECT_THAT(svg, AllOf(HasSubstr(">core</text>"), HasSubstr(">card</text>"),
                         HasSubstr("waits for an erase"), HasSubstr("</svg>\n")));
  const ProcessResult alone = thimble(spilled({"--svg", "/dev/stdout"}));
  EXPECT_THAT(alone.out, StartsWith("<?xml"));
  EXPECT_TRUE(alone.out.ends_with("</svg>\n"));
}

TEST_F(Simulate, ErasesAheadLookAtTheSecondInference) {
  const ProcessResult result = thimble(spilled({"--erase-ahead", "--erase-beside"}));
  EXPECT_THAT(result.out, HasSubstr(" ms (number 2 of a row; the first one "));
  EXPECT_THAT(result.out, HasSubstr("a second area is erased for the next inference meanwhile"));
  EXPECT_THAT(result.out, HasSubstr("erased 0.5 times an inference"));
}

TEST_F(Simulate, ADeviceHasAClockAndWaitStates) {
  const ProcessResult result = thimble_as_is({"simulate", "zoo:demo", "--device", "nucleo-f446re"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("zoo:demo on nucleo-f446re (planner original)\n"));
  EXPECT_THAT(result.out, HasSubstr("cortex-m4 at 180 MHz, a cycle for each instruction\n"));
  EXPECT_THAT(result.out, HasSubstr("wait states: 5, not counted; for weights at most "));
  EXPECT_THAT(result.out, Not(HasSubstr("\nstorage")));
}

TEST_F(Simulate, PlansThatDoNotFitAreNotSimulated) {
  const ProcessResult result = thimble_as_is(
      {"simulate", "zoo:demo", "--device", "nucleo-f446re", "--sram", "1K", "--svg", "t.svg"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.out, HasSubstr("does not fit"));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Simulate, MistakesAreNamedAndLeaveNothingBehind) {
  struct Mistake {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Mistake> mistakes = {
      {{}, "--device: is required: its clock makes time of instructions"},
      {{"--core", "cortex-m4"}, "--device: is required"},
      {{"--device", "esp32"}, "esp32: has the core xtensa-esp32, whose time nobody estimates"},
      {{"--ns-per-mac", "0"}, "--ns-per-mac"},
      {{"--ns-per-mac", "nan"}, "--ns-per-mac: is not a number"},
      {{"--ns-per-mac", "1", "--compressed", "0"}, "--compressed"},
      {{"--ns-per-mac", "1", "--compressed", "nan"}, "--compressed: is not a number"},
      {{"--ns-per-mac", "1", "--per-day", "-1"}, "--per-day"},
      {{"--ns-per-mac", "1", "--inferences", "0"}, "--inferences"},
      {{"--ns-per-mac", "1", "--inferences", "1e9"}, "--inferences"},
      {{"--ns-per-mac", "1", "--inferences", "11", "--svg", "t.svg"},
       "--svg: draws 10 inferences at most, not 11"},
      {{"--ns-per-mac", "1", "--storage", "card:write_speed=0"}, "write_speed must be above 0"},
      {{"--ns-per-mac", "1", "--storage", "card:erase_time=nan"}, "is no time in seconds"},
      {{"--ns-per-mac", "1", "--storage", "flash"}, "has no storage 'flash'"},
      {{"--ns-per-mac", "1", "--svg", ""}, "--svg: is empty"}};
  for (const Mistake& mistake : mistakes) {
    std::vector<std::string> arguments = {"simulate", "zoo:demo", "--planner", "tinyseg"};
    arguments.insert(arguments.end(), mistake.arguments.begin(), mistake.arguments.end());
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 1) << mistake.message;
    EXPECT_THAT(result.err, HasSubstr(mistake.message));
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Simulate, ReplacesOnlyWhatItWrote) {
  write("r.json", "mine");
  const ProcessResult result = thimble(spilled({"--json", "r.json"}));
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("r.json exists and is not a report of Thimble's (simulate)"));
  EXPECT_THAT(names(), ElementsAre("r.json"));
}

}  // namespace
}  // namespace thimble::testing
