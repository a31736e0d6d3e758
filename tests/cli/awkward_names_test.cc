// SPDX-License-Identifier: Apache-2.0
// Models whose names mean something to compilers, CMake, file systems or readers.
#include <filesystem>

#include "tests/cli/command_line.h"
#include "tests/import/tflite_builder.h"

namespace thimble::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

namespace fs = std::filesystem;

class AwkwardNames : public CommandLine {
 protected:
  ProcessResult shell(const std::string& script) const {
    return run_process({.arguments = {"sh", "-c", script}, .working_folder = folder()});
  }
  // Compiled as a user who is strict would, with the folder before all others.
  void expect_strict_warnings_pass() const {
    const std::string strict = " -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -Iout ";
    const ProcessResult result = shell(
        "set -e\nfor file in out/*.h; do echo \"#include \\\"$file\\\"\"; done | grep -v _weights "
        "> all.c\ncp all.c all.cc\n"
        "gcc -std=c11 -fsyntax-only" +
        strict +
        "all.c out/*_example.c\n"
        "g++ -std=c++17 -fsyntax-only" +
        strict + "all.cc out/*.cc out/thimble_runtime_*/portable/*.cc\n");
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
};

TEST_F(AwkwardNames, GiveFoldersThatCompileWithStrictWarnings) {
  ASSERT_EQ(thimble({"zoo", "build", "pex_figure1", "-o", "m"}).exit_status, 0);
  const std::vector<std::string> models = {"stdint",
                                           "string",
                                           "math",
                                           "main",
                                           "int",
                                           "class",
                                           "all",
                                           "test",
                                           "install",
                                           "aux",
                                           "8bit",
                                           "a",
                                           "a_weights",
                                           "_b__c_",
                                           "***",
                                           "\xff",
                                           "Größe",
                                           "модель",
                                           "模型",
                                           "${HOME} $(id) \"x\"",
                                           std::string(240, 'n')};
  for (const std::string& model : models) {
    fs::copy(folder() / "m", folder() / (model + ".tflite"));
    const ProcessResult result = thimble_as_is({"compile", model + ".tflite", "-o", "out"});
    EXPECT_EQ(result.exit_status, 0) << model << result.err;
  }
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(user C CXX)\nadd_subdirectory(out)\n");
  const ProcessResult configured = shell("cmake -S . -B b -G Ninja");
  EXPECT_EQ(configured.exit_status, 0) << configured.err;
  EXPECT_EQ(shell("ls out/*_example.c | wc -l").out, std::to_string(models.size()) + "\n");
  expect_strict_warnings_pass();
}

TEST_F(AwkwardNames, OfTensorsStayWithinComments) {
  TfliteBuilder net = small_network();
  net.at(0).name = "in */ ?\?/\n#error \"${X}\" \xe2\x80\xae //";
  net.at(3).name = "out ?\?/";
  write("m.tflite", text_of(net.bytes()));
  ASSERT_EQ(thimble({"compile", "m.tflite", "-o", "out"}).exit_status, 0);
  expect_strict_warnings_pass();
  const ProcessResult trigraphs = shell(
      "gcc -std=c11 -trigraphs -Wall -Werror -fsyntax-only -Iout out/m_example.c && "
      "g++ -std=c++17 -trigraphs -Wall -Werror -fsyntax-only out/m.cc");
  EXPECT_EQ(trigraphs.exit_status, 0) << trigraphs.err;
  EXPECT_EQ(shell("LC_ALL=C grep -rlP '[^\\x20-\\x7e\\n]' out").out, "");
  EXPECT_EQ(shell("grep -F '${X}' out/CMakeLists.txt").out, "");
}

TEST_F(AwkwardNames, NeedNotBeUtf8) {
  const std::string model = "m\xff.tflite";
  write(model, text_of(small_network().bytes()));
  const ProcessResult result =
      thimble({"compile", model, "--save-plan", "p.json", "--json", "r.json", "-o", "out"});
  EXPECT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(thimble({"verify", model, "p.json"}).out, HasSubstr("right"));
  EXPECT_THAT(read("p.json"), Not(HasSubstr("\xff")));
  EXPECT_THAT(read("out/thimble.json"), Not(HasSubstr("\xff")));
}

}  // namespace
}  // namespace thimble::testing
