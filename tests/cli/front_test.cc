// SPDX-License-Identifier: Apache-2.0
// The plans that a planner has to choose from, as a user sees and picks them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using FrontCommand = CommandLine;

constexpr const char* kModel = "zoo:ds_cnn_s";

TEST_F(FrontCommand, ParetoListsPlansInsteadOfSteps) {
  for (const auto& arguments : {std::vector<std::string>{"plan", kModel, "--pareto"},
                                {"plan", "--pareto", kModel},
                                {"plan", kModel, "--pareto", "--core", "cortex-m4"}}) {
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, 0) << result.err;
    EXPECT_THAT(result.out, StartsWith("zoo:ds_cnn_s (planner auto): "));
    EXPECT_THAT(result.out, HasSubstr("\nchoice: plan "));
    EXPECT_EQ(result.out.find("CONV_2D"), std::string::npos);
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FrontCommand, ParetoDrawsIntoAFile) {
  EXPECT_EQ(thimble({"plan", "--pareto", "f.svg", kModel, "--sram", "64K"}).exit_status, 0);
  EXPECT_THAT(read("f.svg"), HasSubstr("</svg>\n"));
  EXPECT_THAT(names(), ElementsAre("f.svg"));
  const ProcessResult alone = thimble({"plan", kModel, "--pareto", "/dev/stdout"});
  EXPECT_THAT(alone.out, StartsWith("<?xml"));
  EXPECT_TRUE(alone.out.ends_with("</svg>\n"));
}

TEST_F(FrontCommand, PickTakesThePlanOfThatNumber) {
  ASSERT_EQ(thimble({"plan", kModel, "--json", "front.json"}).exit_status, 0);
  const nlohmann::json points = json_of(read("front.json")).at("front").at("points");
  ASSERT_GT(points.size(), 1U);
  for (const nlohmann::json& point : points) {
    const std::string number = point.at("number").dump();
    ASSERT_EQ(
        thimble({"compile", kModel, "--pick", number, "--json", "r.json", "-o", "out"}).exit_status,
        0);
    const nlohmann::json report = json_of(read("r.json"));
    EXPECT_EQ(report.at("arena_bytes"), point.at("arena_bytes"));
    EXPECT_EQ(report.at("estimate").at("instructions"), point.at("estimated_instructions"));
    EXPECT_THAT(read("out/ds_cnn_s.cc"), HasSubstr(" --pick " + number + " -o "));
  }
}

TEST_F(FrontCommand, WrongOptionsAreOneMessage) {
  const auto error_of = [&](std::vector<std::string> arguments) {
    const ProcessResult result = thimble(std::move(arguments));
    EXPECT_EQ(result.exit_status, 1);
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  for (const char* ratio : {"0.99", "nan", "-inf", "x"}) {
    EXPECT_THAT(error_of({"plan", kModel, "--max-latency", ratio}),
                HasSubstr(fmt::format("--max-latency: '{}' is no number from 1 to inf", ratio)));
  }
  EXPECT_THAT(error_of({"run", kModel, "--effort", "-1"}),
              HasSubstr("--effort: '-1' is no number"));
  EXPECT_EQ(error_of({"plan", kModel, "--planner", "pex", "--effort", "0"}),
            "thimble: --effort: is for the planner auto\n");
  EXPECT_THAT(error_of({"compile", kModel, "--pick", "99"}),
              HasSubstr("--pick: 99 is none of the plans, which are numbered 1 to "));
  EXPECT_EQ(error_of({"compile", kModel, "--planner", "stream", "--max-latency", "2"}),
            "thimble: --max-latency: is for the planner auto\n");
  EXPECT_EQ(error_of({"plan", kModel, "--planner", "reorder", "--pareto"}),
            "thimble: --pareto: is for planners with a choice of plans, as auto\n");
  EXPECT_EQ(error_of({"plan", kModel, "--pareto", "front.png"}),
            "thimble: --pareto: 'front.png' does not end in .svg\n");
  EXPECT_THAT(error_of({"run", kModel, "--on", "reference", "--pick", "1"}),
              HasSubstr("--pick: is for --on host or qemu"));
  EXPECT_EQ(error_of({"plan", "--pareto"}),
            "thimble: MODEL: is required: a .tflite or .onnx file, or zoo:NAME\n");
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(FrontCommand, LatencyIsLimitedUnlessThereIsABudget) {
  const auto choice = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"compile", kModel});
    return thimble(options).out;
  };
  EXPECT_THAT(choice({}), HasSubstr(", the smallest within --max-latency 1.25: "));
  EXPECT_THAT(choice({"--max-latency", "inf"}), HasSubstr("  choice   plan 1 of "));
  EXPECT_THAT(choice({"--sram", "64K"}), HasSubstr(", the fastest: "));
}

}  // namespace
}  // namespace thimble::testing
