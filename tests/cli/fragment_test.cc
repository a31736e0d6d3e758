// SPDX-License-Identifier: Apache-2.0
// What a project sees that adds an emitted folder: its CMakeLists.txt, its licences, its checks.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// A project in C alone around the demo network, whose arena begins `offset` bytes off.
class Fragment : public CommandLine {
 protected:
  void SetUp() override {
    ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "-o", "model"}).exit_status, 0);
    write("CMakeLists.txt",
          "cmake_minimum_required(VERSION 3.20)\nproject(app C)\nadd_subdirectory(model)\n"
          "add_executable(app main.c)\ntarget_link_libraries(app demo)\n");
    write("main.c",
          "#include \"demo.h\"\nstatic _Alignas(16) uint8_t memory[demo_arena_bytes + 16];\n"
          "int main(int count, char** arguments) {\n  (void)arguments;\n"
          "  demo_run(memory + (count > 1 ? 1 : 0));\n  return 0;\n}\n");
  }

  [[nodiscard]] ProcessResult shell(const std::string& command) const {
    return run_process({.arguments = {"sh", "-c", command}, .working_folder = folder()});
  }
  /// The flags of the network's sources.
  [[nodiscard]] std::string flags(const std::string& options) const {
    const ProcessResult configured =
        shell("cmake -S . -B b -G Ninja -DCMAKE_EXPORT_COMPILE_COMMANDS=ON " + options);
    EXPECT_EQ(configured.exit_status, 0) << configured.out << configured.err;
    for (const nlohmann::json& unit : json_of(read("b/compile_commands.json"))) {
      if (unit.at("file").get<std::string>().ends_with("demo.cc")) return unit.at("command");
    }
    return "";
  }
};

TEST_F(Fragment, AProjectInCLinksAndIsOptimisedInDebugBuilds) {
  const std::string debug = flags("-DCMAKE_BUILD_TYPE=Debug");
  EXPECT_THAT(debug, HasSubstr(" -O2 "));
  EXPECT_LT(debug.find(" -g "), debug.find(" -O2 "));
  const ProcessResult built = shell("cmake --build b && ./b/app");
  EXPECT_EQ(built.exit_status, 0) << built.out << built.err;
  const ProcessResult misaligned = shell("./b/app x; test $? -ge 128");
  EXPECT_EQ(misaligned.exit_status, 0) << "it traps instead of hanging";
  const std::string chosen = flags("-DTHIMBLE_OPTIMISATION=-Os");
  EXPECT_THAT(chosen, HasSubstr(" -Os "));
  EXPECT_THAT(chosen, Not(HasSubstr("-O2")));
  EXPECT_THAT(flags("-DTHIMBLE_OPTIMISATION= -DCMAKE_BUILD_TYPE=Release"), Not(HasSubstr("-O2")));
}

TEST_F(Fragment, ReleasesCheckNothing) {
  EXPECT_THAT(flags("-DCMAKE_BUILD_TYPE=Debug"), HasSubstr("-DTHIMBLE_CHECKS"));
  EXPECT_THAT(flags("-DCMAKE_BUILD_TYPE=Release"), Not(HasSubstr("-DTHIMBLE_CHECKS")));
}

// The model's files are its owner's, the runtime is Apache-2.0 and has its licence beside it.
TEST_F(Fragment, EveryFileSaysWhoseItIs) {
  size_t runtime = 0, own = 0, licences = 0;
  const nlohmann::json manifest = json_of(read("model/thimble.json"));
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder() / "model")) {
    const std::string path = entry.path().lexically_relative(folder() / "model").string();
    if (!entry.is_regular_file() || path == "thimble.json") continue;
    EXPECT_TRUE(manifest.at("files").contains(path)) << path;
    if (path.ends_with(".json") || path.ends_with(".md")) continue;  // without comments
    const std::string text = read("model/" + path);
    if (path.ends_with("/LICENSE")) {
      ++licences;
      EXPECT_THAT(text, HasSubstr("Apache License"));
      continue;
    }
    const bool shared = path.find('/') != std::string::npos;
    ++(shared ? runtime : own);
    const std::string licence = shared ? "Apache-2.0" : "LicenseRef-ModelOwner";
    EXPECT_THAT(text.substr(0, 80), HasSubstr("SPDX-License-Identifier: " + licence)) << path;
  }
  EXPECT_GT(runtime, 2U);
  EXPECT_EQ(own, 6U) << "four sources, the example and the fragment";
  EXPECT_EQ(licences, 1U);
  const ProcessResult again = thimble_as_is({"compile", "zoo:demo", "-o", "model"});
  EXPECT_EQ(again.exit_status, 0) << "all of it is Thimble's to replace: " << again.err;
}

}  // namespace
}  // namespace thimble::testing
