// SPDX-License-Identifier: Apache-2.0
// What `thimble inspect` says first, and where it says the time goes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using nlohmann::json;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Inspect = CommandLine;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// All examples answer class 1.
TEST_F(Inspect, AnAlarmStandsBelowTheNameOfTheModel) {
  THIMBLE_NEEDS_SHARED();
  const std::string model = shared_model("keyword_scrambled_8bit");
  for (const std::string command : {"inspect", "compile"}) {
    const ProcessResult result = thimble({command, model, "--json", "r.json", "--force"});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    const std::vector<std::string> lines = lines_of(result.out);
    EXPECT_THAT(lines.at(1), StartsWith("  warning  the output '' is the same for every input"));
    EXPECT_THAT(lines.at(2), StartsWith("  warning  ")) << "channels vanish in bulk";
    const json warnings = json_of(read("r.json")).at("warnings");
    EXPECT_EQ(warnings.at(0).at("kind"), "constant_output");
    EXPECT_TRUE(warnings.at(0).at("number").is_number_integer());
    EXPECT_EQ(warnings.at(1).at("kind"), "vanishing_channels");
  }
}

TEST_F(Inspect, ModelsThatLearnedSomethingRaiseNoAlarm) {
  THIMBLE_NEEDS_SHARED();
  for (const char* model : {"person_detect", "kws_ref_model", "ad01_int8", "mobilenet_v2"}) {
    const ProcessResult result = thimble({"inspect", shared_model(model)});
    EXPECT_THAT(result.out, Not(HasSubstr("warning"))) << model;
  }
}

TEST_F(Inspect, APortThatIsMostOfTheArenaIsAnAlarm) {
  THIMBLE_NEEDS_SHARED();
  const ProcessResult result = thimble({"compile", shared_model("vww_96_int8"), "--sram", "64K"});
  EXPECT_THAT(result.out, HasSubstr("  warning  the input '"));
  EXPECT_THAT(result.out, HasSubstr("at the arena's peak: elsewhere with --input user"));
}

TEST_F(Inspect, TimeIsByLayerWithPercentOnTheCoreThatItNames) {
  json reports[2];
  for (const bool dsp : {false, true}) {
    std::vector<std::string> arguments = {"inspect", "zoo:demo", "--json", "r.json", "--force"};
    if (dsp) arguments.insert(arguments.end(), {"--device", "nucleo-f446re"});
    const ProcessResult result = thimble(arguments);
    EXPECT_THAT(result.out, HasSubstr(" instructions on cortex-m4 (estimated)"));
    EXPECT_THAT(result.out, HasSubstr("  instructions     %  makes"));
    EXPECT_THAT(result.out, HasSubstr("\nMost time, whole operators in this order, estimated:\n"));
    EXPECT_EQ(result.out.find(" ms  ") != std::string::npos, dsp) << "a board has a clock";
    json& report = reports[dsp ? 1 : 0];
    report = json_of(read("r.json"));
    double percent = 0;
    int64_t instructions = 0;
    for (const json& op : report.at("operators")) {
      percent += op.at("percent").get<double>();
      instructions += op.at("estimated_instructions").get<int64_t>();
    }
    EXPECT_NEAR(percent, 100, 0.1);
    EXPECT_NEAR(static_cast<double>(instructions),
                report.at("estimate").at("instructions").get<double>(), 500);
  }
  const auto whole = [](const json& report) {
    return report.at("estimate").at("instructions").get<double>();
  };
  EXPECT_LT(whole(reports[1]), 0.7 * whole(reports[0])) << "the core has kernels of its own";
}

// The estimate is of whole operators, which is what `original` executes.
TEST_F(Inspect, ItsTimeIsThatOfAPlanOfWholeOperators) {
  for (const std::string core : {"cortex-m4", "cortex-m55"}) {
    const json inspected = json_of(
        thimble({"inspect", "zoo:demo", "--rewritten", "--core", core, "--format", "json"}).out);
    const json compiled = json_of(thimble({"compile", "zoo:demo", "--planner", "original", "--core",
                                           core, "--json", "/dev/stdout"})
                                      .out);
    const auto estimate = compiled.at("estimate").at("instructions").get<double>();
    EXPECT_NEAR(inspected.at("estimate").at("instructions").get<double>(), estimate,
                0.02 * estimate)
        << core;
  }
}

TEST_F(Inspect, ExplainListsWhatTakesMostFirst) {
  const ProcessResult result = thimble({"compile", "zoo:demo", "--core", "cortex-m4", "--planner",
                                        "original", "--explain", "--json", "r.json"});
  EXPECT_THAT(result.out, HasSubstr("executes"));
  EXPECT_THAT(result.out, HasSubstr(" % "));
  double percent = 0, most = 0;
  size_t first = 0;
  const json kernels = json_of(read("r.json")).at("kernels");
  for (const json& kernel : kernels) {
    percent += kernel.at("percent").get<double>();
    if (kernel.at("percent").get<double>() <= most) continue;
    most = kernel.at("percent").get<double>();
    first = kernel.at("step").get<size_t>();
  }
  EXPECT_NEAR(percent, 100, 1e-6);
  const size_t table = result.out.find("executes");
  const std::string row = result.out.substr(result.out.find('\n', table) + 1);
  EXPECT_EQ(std::stoul(row), first) << row;
}

TEST_F(Inspect, NothingIsSaidOfNothing) {
  for (const char* planner : {"auto", "stream", "pex", "motes"}) {
    const ProcessResult result =
        thimble({"compile", "zoo:reordering_figure1", "--planner", planner});
    EXPECT_THAT(lines_of(result.out), Each(Not(StartsWith("  note     0 of ")))) << planner;
    EXPECT_THAT(result.out, Not(HasSubstr("all operators execute whole"))) << planner;
  }
}

TEST_F(Inspect, AnUnknownDeviceIsRefused) {
  const ProcessResult result = thimble({"inspect", "zoo:demo", "--device", "toaster"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("'toaster'"));
}

}  // namespace
}  // namespace thimble::testing
