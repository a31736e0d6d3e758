// SPDX-License-Identifier: Apache-2.0
// What a new user typed, and what hurt: the same commands, with the answers of today. Spelling of
// cores and boards is in names_test.cc, alarms and time by layer in inspect_test.cc, the origin of
// figures in origin_test.cc, projects in C in fragment_test.cc, ecosystems and debug builds in
// tests/projects, headers and misuse in tests/emit, labels of pictures in tests/report.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
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

TEST_F(Trial, TheInterpreterIsComparedWithAllThatItsArenaHolds) {  // point 13
  constexpr double kMeasured = 82'308;  // person_detect's arena, on a Cortex-M4
  const std::vector<std::string> command = {"compare", shared_model("person_detect"), "--planners",
                                            "original,motes"};
  const nlohmann::json model = report(command)["models"][0];
  const int64_t arena = model["interpreter_bytes"].get<int64_t>() +
                        model["interpreter_structures_bytes"].get<int64_t>();
  EXPECT_NEAR(static_cast<double>(arena), kMeasured, 0.04 * kMeasured);
  EXPECT_THAT(thimble(command).out, AllOf(HasSubstr("interpreter, in all"), HasSubstr(" wins: "),
                                          Not(HasSubstr("0.00 M"))));
}

TEST_F(Trial, TheFolderSaysWhatCallersAskOf) {  // point 19
  ASSERT_EQ(thimble({"compile", shared_model("kws_ref_model"), "--core", "cortex-m7", "-o", "kws"})
                .exit_status,
            0);
  const std::string readme = read("kws/README.md");
  for (const char* answer : {"## Alignment and checks", "## Reentrancy, threads, interrupts",
                             "## DMA and caches", "`--align-ports 32`", "stack", "input\\_1"})
    EXPECT_THAT(readme, HasSubstr(answer));
}

TEST_F(Trial, PicturesHaveNoFoldersInTheirTitles) {  // point 22
  ASSERT_EQ(thimble({"plan", shared_model("kws_ref_model"), "--device", "nucleo-f446re", "--svg",
                     "plan.svg", "--pareto", "front.svg"})
                .exit_status,
            0);
  for (const char* picture : {"plan.svg", "front.svg"}) {
    const std::string text = read(picture);
    EXPECT_THAT(text, HasSubstr(">kws_ref_model.tflite")) << picture;
    EXPECT_THAT(text, Not(HasSubstr(shared_folder().string()))) << picture;
  }
}

TEST_F(Trial, PagesThatAreNamedAreThere) {  // point 25
  namespace fs = std::filesystem;
  const fs::path source = THIMBLE_SOURCE_DIR;
  std::set<std::string> named;
  std::vector<fs::path> pages = {source / "README.md"};
  for (const fs::directory_entry& entry : fs::directory_iterator(source / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  for (const fs::path& page : pages) {
    const std::string text = read(page.string());
    const std::regex link(R"((docs/|\]\()([a-z_]+\.(md|png)))");
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it) {
      EXPECT_TRUE(fs::exists(source / "docs" / (*it)[2].str())) << page << " names " << it->str();
      named.insert((*it)[2]);
    }
  }
  for (size_t k = 1; k < pages.size(); ++k)
    EXPECT_TRUE(named.contains(pages[k].filename().string())) << pages[k] << " is named nowhere";
}

TEST_F(Trial, AnOptionThatIsNoneNamesTheOneThatIsMeant) {  // point 23
  const ProcessResult result = thimble({"compile", shared_model("kws_ref_model"), "--ram", "64K"});
  EXPECT_EQ(result.exit_status, 1);
  EXPECT_THAT(result.err, HasSubstr("is --sram meant?"));
}

}  // namespace
}  // namespace thimble::testing
