// SPDX-License-Identifier: Apache-2.0
// Folders for each ecosystem, built and checked as its tools do (check), and as fast in a build for
// debugging (instructions).
#include <array>
#include <filesystem>

#include "tests/cli/command_line.h"
#include "thimble/projects/ecosystem.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;

class Projects : public CommandLine {
 protected:
  void SetUp() override {
    const std::string programs =
        "for p in arduino-builder clang make arm-none-eabi-gcc; do command -v $p || exit 1; done";
    const std::string modules = "/usr/bin/python3 -c 'import kconfiglib, yaml'";
    if (run_process({.arguments = {"sh", "-c", programs + " && " + modules}}).exit_status != 0)
      GTEST_SKIP() << "needs the packages that scripts/packages.txt marks with checks";
  }
  /// A program beside this file, in folder(), with a folder of its own to write to.
  [[nodiscard]] ProcessResult tool(const std::string& name, std::vector<std::string> arguments) {
    const std::string work = "work" + std::to_string(works_++);
    fs::create_directory(folder() / work);
    arguments.insert(arguments.begin(), THIMBLE_SOURCE_DIR "/tests/projects/" + name);
    arguments.insert(arguments.begin() + 4, work);
    return run_process(
        {.arguments = std::move(arguments), .working_folder = folder(), .timeout_seconds = 300});
  }
  void checks(const std::string& ecosystem, const std::string& made, const std::string& model) {
    const ProcessResult checked = tool("check", {ecosystem, made, model});
    EXPECT_EQ(checked.exit_status, 0) << ecosystem << ":\n" << checked.out << checked.err;
  }
  [[nodiscard]] int64_t instructions(const std::string& ecosystem, const std::string& build_type) {
    const ProcessResult ran = tool("instructions", {ecosystem, "model", "demo", build_type});
    EXPECT_EQ(ran.exit_status, 0) << ran.out << ran.err;
    return ran.exit_status == 0 ? std::stoll(ran.out) : 0;
  }

 private:
  int works_ = 0;
};

class EachProject : public Projects, public ::testing::WithParamInterface<std::string> {};

TEST_P(EachProject, BuildsAndPrintsItsResult) {
  const ProcessResult made =
      thimble_as_is({"compile", "zoo:demo", "--export", GetParam(), "-o", "model"});
  ASSERT_EQ(made.exit_status, 0) << made.err;
  checks(GetParam(), "model", "demo");
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Ecosystem& ecosystem : ecosystems()) names.push_back(ecosystem.name);
  return names;
}

std::string letters(const ::testing::TestParamInfo<std::string>& ecosystem) {
  std::string name = ecosystem.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, EachProject, ::testing::ValuesIn(all_names()), letters);

TEST_F(Projects, TakeHooksAndTheAddressOfWeightsAsTheEcosystemGivesOptions) {
  for (const std::string ecosystem : {"cmake", "makefile", "zephyr", "esp-idf", "stm32cube"}) {
    ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "--weights-as", "binary", "--export", ecosystem,
                             "-o", ecosystem})
                  .exit_status,
              0);
    const ProcessResult checked = tool("check", {ecosystem, ecosystem, "demo", "options"});
    EXPECT_EQ(checked.exit_status, 0) << ecosystem << ":\n" << checked.out << checked.err;
  }
}

TEST_F(Projects, HaveSeveralModelsTogetherAndOneByOne) {
  ASSERT_EQ(thimble_as_is(
                {"compile", "zoo:demo", "zoo:pex_figure1", "--export", "arduino", "-o", "together"})
                .exit_status,
            0);
  for (const std::string model : {"zoo:pex_figure1", "zoo:demo"}) {
    ASSERT_EQ(thimble_as_is({"compile", model, "--export", "arduino", "-o", "apart"}).exit_status,
              0);
  }
  checks("arduino", "together", "pex_figure1");
  EXPECT_EQ(read("apart/library.properties"), read("together/library.properties"));
  checks("arduino", "apart", "demo");
}

TEST_F(Projects, OfArduinoNameTheCoresThatHaveBoardsWithTheirInstructions) {
  for (const auto& [core, named] : std::vector<std::pair<std::string, std::string>>{
           {"cortex-m0plus", ",mbed_rp2040,"}, {"cortex-m4", ",rp2040,samd,"}}) {
    ASSERT_EQ(
        thimble_as_is({"compile", "zoo:demo", "--core", core, "--export", "arduino", "-o", core})
            .exit_status,
        0);
    EXPECT_THAT(read(core + "/library.properties"), ::testing::HasSubstr(named)) << core;
  }
  EXPECT_THAT(read("cortex-m4/library.properties"),
              ::testing::Not(::testing::HasSubstr("mbed_rp2040")));
}

TEST_F(Projects, AreAsFastInDebugBuilds) {
  for (const std::string ecosystem : {"cmake", "makefile", "zephyr"}) {
    ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "--core", "cortex-m4", "--export", ecosystem,
                             "--force", "-o", "model"})
                  .exit_status,
              0);
    const int64_t debug = instructions(ecosystem, "Debug");
    const int64_t release = instructions(ecosystem, "Release");
    EXPECT_GT(release, 100'000) << ecosystem;
    EXPECT_LE(debug, release + release / 10) << ecosystem;
  }
}

// The checkers find what is wrong.
TEST_F(Projects, ThatBreakARuleAreRefused) {
  for (const auto& [ecosystem, file, from, to] : std::vector<std::array<std::string, 4>>{
           {"arduino", "library.properties", "category=Data Processing", "category=Networks"},
           {"platformio", "library.json", "\"frameworks\"", "\"framework\""},
           {"zephyr", "Kconfig", "select CPP", "select CPPP"},
           {"esp-idf", "examples/demo/CMakeLists.txt", "../..\")", "..\")"},
           {"cmsis-pack", "Thimble.demo.pdsc", "src/demo.cc", "src/demos.cc"}}) {
    ASSERT_EQ(
        thimble_as_is({"compile", "zoo:demo", "--export", ecosystem, "-o", ecosystem}).exit_status,
        0);
    std::string text = read(ecosystem + "/" + file);
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << file;
    write(ecosystem + "/" + file, text.replace(at, from.size(), to));
    EXPECT_NE(tool("check", {ecosystem, ecosystem, "demo"}).exit_status, 0) << ecosystem;
  }
}

}  // namespace
}  // namespace thimble::testing
