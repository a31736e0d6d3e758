// SPDX-License-Identifier: Apache-2.0
// Every command of the Markdown files is executed as it stands, or, where it builds Thimble or
// measures for hours, compared with what its program takes. The rules are in documented_commands.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kNoSharedData = 77;  // status of documented_commands

/// Relative to the source folder, sorted. The change log tells of commands that there were.
std::vector<std::string> pages() {
  const fs::path source = THIMBLE_SOURCE_DIR;
  std::vector<std::string> result;
  const auto add = [&](const fs::directory_entry& entry) {
    if (entry.path().extension() == ".md" && entry.path().filename() != "CHANGELOG.md")
      result.push_back(entry.path().lexically_relative(source).string());
  };
  for (const fs::directory_entry& top : fs::directory_iterator(source)) {
    add(top);
    const std::string name = top.path().filename().string();
    if (!top.is_directory() || name == "build" || name.starts_with(".")) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) add(entry);
  }
  std::sort(result.begin(), result.end());
  return result;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& page) {
  std::string name = page.param.substr(0, page.param.size() - 3);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

class Manual : public ::testing::TestWithParam<std::string> {};

TEST_P(Manual, EveryCommandWorksAsItStands) {
  const ProcessResult result =
      run_process({.arguments = {"env", "THIMBLE=" THIMBLE_PROGRAM, "BUILD=" THIMBLE_BINARY_DIR,
                                 "THIMBLE_SHARED=" + shared_folder().string(),
                                 THIMBLE_SOURCE_DIR "/tests/cli/documented_commands", GetParam()},
                   .working_folder = THIMBLE_SOURCE_DIR});
  if (result.exit_status == kNoSharedData) THIMBLE_NEEDS_SHARED();
  EXPECT_EQ(result.exit_status, 0) << result.err << result.out;
}

INSTANTIATE_TEST_SUITE_P(Pages, Manual, ::testing::ValuesIn(pages()), test_name);

/// What documented_commands says of a page.
class ManualRules : public CommandLine {
 protected:
  [[nodiscard]] ProcessResult checked(const std::string& page) const {
    write("page.md", page);
    return run_process(
        {.arguments = {"env", "THIMBLE=" THIMBLE_PROGRAM, "BUILD=" THIMBLE_BINARY_DIR,
                       "THIMBLE_SHARED=" + shared_folder().string(),
                       THIMBLE_SOURCE_DIR "/tests/cli/documented_commands", "page.md"},
         .working_folder = folder()});
  }
};

TEST_F(ManualRules, FaultsOfAPageAreFound) {
  THIMBLE_NEEDS_SHARED();
  struct Fault {
    std::string page, said;
  };
  const std::array faults = {
      Fault{"Text.\n\n    thimble compile model.tflite --ram 64K\n", "ends with status 1"},
      Fault{"Text with `thimble\ncompile none.tflite`.\n", "page.md:1: thimble compile none"},
      Fault{"    $ thimble layout buffers.csv\n    at least 5 B\n",
            "does not say (there): at least"},
      Fault{"    $ thimble ops\n      and then\n    $ make coffee\n", "no rule"},
      Fault{"```sh\nbrew coffee\n```\n", "no rule"},
      Fault{"`thimble plan MODEL --core CHIP`\n", "nothing says what stands for"},
      Fault{"`build/dev/bench/tea_bench`\n", "has no such program"},
      Fault{"`auto_fronts --sec`\n", "page.md:1: auto_fronts --sec: "},
      Fault{"`.ci/nightly [TEA...]`\n", "is not in the usage"},
      Fault{"`run --tea`\n", "thimble run has no --tea"},
      Fault{"`GTEST_FILTER='Tea.*' scripts/run_tests build/dev`\n", "no test is called so"},
      Fault{"`scripts/run_tests build/dev -L tea`\n", "there is no label tea"},
      Fault{"| stage | what |\n|---|---|\n| `tea` | |\n", "differ"}};
  for (const Fault& fault : faults) {
    const ProcessResult result = checked(fault.page);
    EXPECT_EQ(result.exit_status, 1) << fault.page << result.out;
    EXPECT_THAT(result.err, ::testing::HasSubstr(fault.said)) << fault.page;
  }
}

TEST_F(ManualRules, BlocksThatAreNoCommandsAreLeftAlone) {
  const ProcessResult result = checked(
      "Text with `--sram`, `compile`.\n\n    expand > ring of 3 rows\n\n```c\nint x;\n```\n");
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_EQ(result.out, "0 commands, 0 failures\n");
}

}  // namespace
}  // namespace thimble::testing
