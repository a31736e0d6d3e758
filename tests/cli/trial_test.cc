// SPDX-License-Identifier: Apache-2.0
// What a new user typed, and what hurt: the same commands, with the answers of today. Spelling of
// cores and boards is in names_test.cc, alarms and time by layer in inspect_test.cc, the origin of
// figures in origin_test.cc, projects in C and debug builds in fragment_test.cc.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Trial : public CommandLine {
 protected:
  void SetUp() override { THIMBLE_NEEDS_SHARED(); }

  [[nodiscard]] nlohmann::json report(std::vector<std::string> arguments, int status = 0) const {
    arguments.insert(arguments.end(), {"--json", "report.json", "--force"});
    const ProcessResult result = thimble(arguments);
    EXPECT_EQ(result.exit_status, status) << result.out << result.err;
    return json_of(read("report.json"));
  }

  // Each line "  - OPTIONS: SRAM ...: fits" of an answer, tried.
  void expect_suggestions_hold(const std::string& model, const std::string& device,
                               size_t least) const {
    const ProcessResult result = thimble({"compile", model, "--device", device});
    EXPECT_EQ(result.exit_status, 2);
    EXPECT_THAT(result.out, StartsWith("does not fit: "));
    std::istringstream lines(result.out);
    const std::regex suggestion("^  - (--.*): SRAM .*: fits$");
    size_t found = 0;
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (!std::regex_match(line, match, suggestion)) continue;
      ++found;
      std::istringstream words(match[1]);
      std::vector<std::string> arguments = {"compile", model, "--planner", "stream"};
      bool other_device = false;
      for (std::string word; words >> word;) {
        other_device |= word == "--device";
        arguments.push_back(word);
      }
      if (!other_device) arguments.insert(arguments.end(), {"--device", device});
      EXPECT_EQ(thimble(arguments).exit_status, 0) << line;
    }
    EXPECT_GE(found, least) << result.out;
  }
};

TEST_F(Trial, FlashThatFitsIsNotDeniedByMeasurement) {  // points 1 and 6
  const std::vector<std::string> command = {
      "compile", shared_model("person_detect"), "--device", "nucleo-f446re", "--flash", "460K"};
  const nlohmann::json estimated = report(command);
  EXPECT_EQ(estimated["weight_formats"][0]["weights"], "mixed") << "fast and code are too much";
  EXPECT_GE(estimated["weight_formats"].size(), 2U) << "the others are shown";
  std::vector<std::string> with_compiler = command;
  with_compiler.emplace_back("--measure");
  const nlohmann::json measured = report(with_compiler);
  EXPECT_TRUE(measured["verdict"]["measured"].get<bool>());
  EXPECT_LE(measured["verdict"]["flash"]["needed_bytes"],
            estimated["verdict"]["flash"]["needed_bytes"]);
}

TEST_F(Trial, WhatIsSuggestedFits) {  // points 2 and 8
  expect_suggestions_hold(shared_model("mcunetv2_large"), "nucleo-f446re", 1);
  expect_suggestions_hold(shared_model("mobilenet_v2"), "nucleo-f446re", 1);
}

TEST_F(Trial, WithoutACoreTheAnswerSaysSoFirst) {  // point 3
  const std::string out = thimble({"compile", shared_model("person_detect"), "--sram", "64K"}).out;
  const size_t core = out.find("  core     none is named: kernels for any core were taken");
  EXPECT_LT(core, out.find("  SRAM ")) << out;
}

TEST_F(Trial, TwoModelsHaveOneBudgetAndOneRuntime) {  // points 7 and 24
  const std::vector<std::string> both = {"compile", shared_model("person_detect"),
                                         shared_model("kws_ref_model"), "--device",
                                         "nucleo-f446re"};
  const nlohmann::json together = report(both);
  EXPECT_LE(together["together"]["flash_bytes"], 512 * 1024);
  EXPECT_GT(together["together"]["flash_bytes"], together["models"][0]["alone"]["flash_bytes"]);
}

TEST_F(Trial, TimeIsOfTheCoreThatIsNamed) {  // point 9
  const nlohmann::json figures =
      report({"compile", shared_model("kws_ref_model"), "--device", "esp32-c3-devkitm-1"});
  EXPECT_EQ(figures["estimate"]["core"], "rv32imc");
  EXPECT_THAT(thimble({"compile", shared_model("kws_ref_model"), "--core", "cortex-m23"}).out,
              AllOf(HasSubstr("not estimated: there is no latency model of cortex-m23"),
                    Not(HasSubstr(" ms at "))));
}

TEST_F(Trial, TheStackCounts) {  // point 10
  const nlohmann::json figures =
      report({"compile", shared_model("vww_96_int8"), "--core", "cortex-m4", "--sram", "41760"});
  EXPECT_LE(figures["verdict"]["sram"]["needed_bytes"], 41760);
  EXPECT_GT(figures["verdict"]["sram"]["stack"]["bytes"], 0);
  EXPECT_LT(figures["arena_bytes"], 41760 - 500);
}

TEST_F(Trial, TheReadmeBeginsWithWhatIsReached) {  // point 12
  std::istringstream lines(read(THIMBLE_SOURCE_DIR "/README.md"));
  std::string screen;
  for (int k = 0; k < 24; ++k) {
    std::string line;
    std::getline(lines, line);
    screen += line + "\n";
  }
  EXPECT_THAT(screen, AllOf(HasSubstr("interpreter with CMSIS-NN"), HasSubstr("0.285")));
}

TEST_F(Trial, AnOptionThatIsNoneNamesTheOneThatIsMeant) {  // point 23
  const ProcessResult result = thimble({"compile", shared_model("kws_ref_model"), "--ram", "64K"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("is --sram meant?"));
}

}  // namespace
}  // namespace thimble::testing
