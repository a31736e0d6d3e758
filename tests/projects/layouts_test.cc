// SPDX-License-Identifier: Apache-2.0
// Where files go, and folders that change their layout.
#include <filesystem>
#include <map>
#include <set>

#include "tests/cli/command_line.h"
#include "thimble/output/manifest.h"
#include "thimble/projects/ecosystem.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(Ecosystems, KnowWhereAnEmittedFileLiesAndWhichItIs) {
  for (const Ecosystem& ecosystem : ecosystems()) {
    for (const std::string file :
         {"kws.h", "kws.cc", "kws_weights.h", "kws_weights.cc", "kws_weights.cc.bin",
          "kws_example.c", "kws_card.img", "kws_plan.json", "kws_weights.bin", "kws_labels.cc",
          "kws_micro_interpreter.h", "thimble_micro_interpreter/interpreter.h",
          "thimble_micro_interpreter/operators.def", "thimble_runtime_1a2b3c4d/LICENSE",
          "thimble_runtime_1a2b3c4d/view.h", "thimble_runtime_1a2b3c4d/dsp/conv_2d_dsp.cc"}) {
      EXPECT_EQ(ecosystem.emitted(ecosystem.placed(file)), file)
          << ecosystem.name << ": " << ecosystem.placed(file);
    }
  }
}

TEST(Ecosystems, PlaceNoTwoFilesAtOnePath) {
  for (const Ecosystem& ecosystem : ecosystems()) {
    std::set<std::string> paths = ecosystem.paths({"kws", "vww"});
    EXPECT_FALSE(paths.empty()) << ecosystem.name;
    for (const std::string file : {"kws.h", "kws.cc", "kws_weights.h", "kws_weights.cc",
                                   "kws_example.c", "vww_example.c", "thimble.json"})
      EXPECT_TRUE(paths.insert(ecosystem.placed(file)).second) << ecosystem.name << ": " << file;
  }
}

class Layouts : public CommandLine {
 protected:
  ProcessResult compile(const std::string& model, const std::string& ecosystem,
                        const std::vector<std::string>& options = {}) const {
    std::vector<std::string> arguments = {"compile", model, "--export", ecosystem, "-o", "out"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return thimble_as_is(arguments);
  }
  [[nodiscard]] std::map<std::string, std::string> content(const std::string& of) const {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder() / of)) {
      if (entry.is_regular_file())
        files[entry.path().lexically_relative(folder() / of).string()] =
            read(entry.path().lexically_relative(folder()).string());
    }
    return files;
  }
};

TEST_F(Layouts, ReplaceOneAnotherWithoutATrace) {
  for (const Ecosystem& ecosystem : ecosystems()) {
    ASSERT_EQ(compile("zoo:demo", ecosystem.name).exit_status, 0) << ecosystem.name;
    fs::remove_all(folder() / "fresh");
    ASSERT_EQ(thimble_as_is({"compile", "zoo:demo", "--export", ecosystem.name, "-o", "fresh"})
                  .exit_status,
              0);
    EXPECT_EQ(content("out"), content("fresh")) << ecosystem.name;
    const std::optional<Manifest> manifest = read_manifest(folder() / "out");
    ASSERT_TRUE(manifest.has_value()) << ecosystem.name;
    EXPECT_EQ(manifest->ecosystem, ecosystem.name);
  }
}

TEST_F(Layouts, AreVerifiedFileByFile) {
  for (const Ecosystem& ecosystem : ecosystems()) {
    ASSERT_EQ(compile("zoo:demo", ecosystem.name,
                      {"--trace", "--micro-interpreter", "--weights-as", "binary"})
                  .exit_status,
              0)
        << ecosystem.name;
    const ProcessResult right = thimble({"verify", "zoo:demo", "out"});
    EXPECT_EQ(right.exit_status, 0) << ecosystem.name << right.out << right.err;
    EXPECT_THAT(read("out/README.md"), HasSubstr("`" + ecosystem.placed("demo_weights.cc") + "`"));
    const std::string source = "out/" + ecosystem.placed("demo.cc");
    const std::string text = read(source);
    write(source, text + "\n");
    EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).out,
                HasSubstr(ecosystem.placed("demo.cc") + " has changed"));
    write(source, text);
  }
}

TEST_F(Layouts, SayWhenTheyReplaceAnother) {
  ASSERT_EQ(compile("zoo:demo", "arduino").exit_status, 0);
  EXPECT_THAT(compile("zoo:demo", "zephyr").out, HasSubstr("the folder was laid out for arduino"));
}

// An inference at a time: variables keep what they are.
TEST_F(Layouts, ResetANetworkOnceInTheirExamples) {
  for (const char* ecosystem : {"arduino", "zephyr", "esp-idf"}) {
    SCOPED_TRACE(ecosystem);
    ASSERT_EQ(thimble({"compile", "zoo:audio_preprocessor", "--export", ecosystem, "-o", ecosystem})
                  .exit_status,
              0);
    std::string examples;
    for (const fs::directory_entry& entry :
         fs::recursive_directory_iterator(folder() / ecosystem)) {
      const fs::path file = entry.path();
      if (file.extension() == ".c" || file.extension() == ".ino")
        examples += read(file.lexically_relative(folder()).string());
    }
    EXPECT_THAT(examples, ::testing::HasSubstr("if (!is_reset) audio_preprocessor_reset(arena);"));
  }
}

TEST_F(Layouts, DoNotLeaveOtherModelsBehind) {
  ASSERT_EQ(compile("zoo:demo", "arduino").exit_status, 0);
  const auto before = content("out");
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"--force"}}) {
    const ProcessResult refused = compile("zoo:pex_figure1", "zephyr", options);
    EXPECT_EQ(refused.exit_status, 1);
    EXPECT_THAT(refused.err, HasSubstr("is laid out for arduino, and has the code of demo"));
    EXPECT_EQ(content("out"), before);
  }
}

TEST_F(Layouts, KeepWhatTheUserWroteOrChanged) {
  fs::create_directory(folder() / "out");
  write("out/library.properties", "mine");
  const ProcessResult refused = compile("zoo:demo", "arduino");
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_THAT(refused.err, HasSubstr("library.properties"));
  EXPECT_EQ(read("out/library.properties"), "mine");
  ASSERT_EQ(compile("zoo:demo", "arduino", {"--force"}).exit_status, 0);
  write("out/examples/demo/demo.ino", "changed");
  EXPECT_EQ(compile("zoo:demo", "zephyr").exit_status, 1) << "the sketch would go";
  EXPECT_EQ(read("out/examples/demo/demo.ino"), "changed");
}

TEST_F(Layouts, OfOthersAreNoManifestOfThimble) {
  const auto with_file = [](const std::string& path) {
    return R"({"format": 1, "export": "arduino", "models": {"kws": {"model": "k", "sha256": "1"}},)"
           R"( "files": {")" +
           path + R"(": {"sha256": "1", "models": ["kws"]}}})";
  };
  EXPECT_TRUE(manifest_from_json(with_file("src/kws.cpp")).has_value());
  EXPECT_TRUE(manifest_from_json(with_file("library.properties")).has_value());
  for (const char* path : {"kws.cc", "src/main.cpp", "CMakeLists.txt", "examples/vww/vww.ino",
                           "src/../kws.cpp", "examples/kws/vww.ino"})
    EXPECT_FALSE(manifest_from_json(with_file(path)).has_value()) << path;
}

}  // namespace
}  // namespace thimble::testing
