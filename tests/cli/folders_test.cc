// SPDX-License-Identifier: Apache-2.0
// `compile -o FOLDER` where there are files already: what is not Thimble's stays as it is.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "thimble/import/sha256.h"
#include "thimble/target/size.h"

namespace thimble::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

namespace fs = std::filesystem;

class Folders : public CommandLine {
 protected:
  // Paths of all files below `out`, with what they hold.
  [[nodiscard]] std::map<std::string, std::string> content(const std::string& out = "out") const {
    std::map<std::string, std::string> result;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder() / out)) {
      const std::string path = entry.path().lexically_relative(folder() / out).string();
      result[path] = entry.is_regular_file() ? read(out + "/" + path) : "folder";
    }
    return result;
  }
  [[nodiscard]] std::vector<std::string> kernels() const {
    std::vector<std::string> result;
    for (const auto& [path, text] : content()) {
      if (path.find("/portable/") != std::string::npos && path.ends_with(".cc"))
        result.push_back(fs::path(path).filename().string());
    }
    return result;
  }
  ProcessResult compile(const std::string& model, std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"compile", model, "-o", "out"});
    const bool planned = std::find(options.begin(), options.end(), "--planner") != options.end();
    return planned ? thimble(options) : thimble_as_is(options);
  }
  // The compilation is refused for `reason`, and changes nothing.
  void refused(const std::string& model, const std::string& reason,
               const std::vector<std::string>& options = {}) const {
    const auto before = content();
    const ProcessResult result = compile(model, options);
    EXPECT_EQ(result.exit_status, 1) << reason;
    EXPECT_THAT(result.err, HasSubstr(reason));
    EXPECT_EQ(content(), before) << reason;
    EXPECT_EQ(names(), (std::vector<std::string>{"out"})) << reason;
  }
  void make(const std::string& file, const std::string& text) const {
    fs::create_directories((folder() / file).parent_path());
    write(file, text);
  }
};

TEST_F(Folders, AreVerifiedDownToTheBytesThatTheirPlanGives) {
  ASSERT_EQ(compile("zoo:demo", {"--core", "cortex-m4"}).exit_status, 0);
  ASSERT_EQ(compile("zoo:pex_figure1").exit_status, 0);
  for (const std::string model : {"demo", "pex_figure1"}) {
    const ProcessResult right = thimble({"verify", "zoo:" + model, "out"});
    EXPECT_EQ(right.exit_status, 0) << right.err;
    EXPECT_THAT(right.out, AllOf(HasSubstr("out: right: "), HasSubstr("elements checked"),
                                 HasSubstr("the code of '" + model + "' is what this plan gives")));
  }
  const std::string code = read("out/demo.cc");
  write("out/demo.cc", "int changed;\n");
  const ProcessResult changed = thimble({"verify", "zoo:demo", "out"});
  EXPECT_EQ(changed.exit_status, 4);
  EXPECT_THAT(changed.out, HasSubstr("WRONG: demo.cc has changed\n"));
  EXPECT_EQ(thimble({"verify", "zoo:pex_figure1", "out"}).exit_status, 0);
  // Whoever changes the manifest with it is found out by the plan.
  nlohmann::json manifest = json_of(read("out/thimble.json"));
  manifest["files"]["demo.cc"]["sha256"] = sha256("int changed;\n");
  write("out/thimble.json", manifest.dump());
  EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).out,
              HasSubstr("WRONG: demo.cc is not what this Thimble emits of the plan\n"));
  fs::remove(folder() / "out/demo.cc");
  EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).out, HasSubstr("WRONG: demo.cc is gone\n"));
}

TEST_F(Folders, CodeThatIsTracedIsVerified) {
  ASSERT_EQ(
      thimble({"compile", "zoo:demo", "--planner", "original", "--trace", "-o", "out"}).exit_status,
      0);
  EXPECT_THAT(read("out/demo.h"), HasSubstr("void demo_trace("));
  const ProcessResult nowhere = thimble({"compile", "zoo:demo", "--trace"});
  EXPECT_EQ(nowhere.exit_status, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("--trace: is about the code that is written: -o FOLDER"));
  EXPECT_EQ(thimble({"verify", "zoo:demo", "out"}).exit_status, 0);
}

TEST_F(Folders, HaveOneReadmeWithASectionForEachModel) {
  ASSERT_EQ(compile("zoo:pex_figure1").exit_status, 0);
  const std::string one = read("out/README.md");
  EXPECT_THAT(one, AllOf(HasSubstr("# A neural network as firmware sources"),
                         HasSubstr("## pex_figure1\n"), HasSubstr("pex_figure1_run(arena);"),
                         HasSubstr("thimble compile zoo:pex_figure1"), HasSubstr("/LICENSE")));
  const int64_t arena = json_of(read("out/pex_figure1_plan.json")).at("arena_bytes").get<int64_t>();
  EXPECT_THAT(one, HasSubstr("all of it for inferences | " + with_separators(arena) + " | 16 |"));
  ASSERT_EQ(compile("zoo:demo", {"--input", "streamed", "--planner", "stream"}).exit_status, 0);
  const std::string both = read("out/README.md");
  EXPECT_THAT(both, AllOf(HasSubstr("## pex_figure1\n"), HasSubstr("## demo\n"),
                          HasSubstr("Between the rows of an inference")));
  // Whoever reads of files finds them.
  for (const std::string file : {"demo.h", "demo_plan.json", "demo_example.c"})
    EXPECT_TRUE(both.find("`" + file + "`") != std::string::npos && !read("out/" + file).empty());
  EXPECT_EQ(thimble({"verify", "zoo:pex_figure1", "out"}).exit_status, 0);
  write("out/README.md", both + "mine\n");
  refused("zoo:demo", "README.md;");
  EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).out, HasSubstr("README.md has changed"));
}

TEST_F(Folders, PlansOfFoldersAreVerified) {
  ASSERT_EQ(compile("zoo:demo").exit_status, 0);
  const nlohmann::json plan = json_of(read("out/demo_plan.json"));
  nlohmann::json changed = plan;
  changed["planner"] = "mine";
  write("out/demo_plan.json", changed.dump());
  EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).out, HasSubstr("demo_plan.json has changed"));
  changed = plan;
  for (nlohmann::json& buffer : changed["buffers"]) buffer["address"] = 0;
  write("out/demo_plan.json", changed.dump());
  const ProcessResult wrong = thimble({"verify", "zoo:demo", "out"});
  EXPECT_EQ(wrong.exit_status, 4);
  EXPECT_THAT(wrong.out, AllOf(HasSubstr("out: WRONG: step"), Not(HasSubstr("has changed"))));
  fs::remove(folder() / "out/demo_plan.json");
  EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).err, HasSubstr("demo_plan.json"));
}

TEST_F(Folders, WithoutCodeOfTheModelHaveNothingToVerify) {
  ASSERT_EQ(compile("zoo:demo").exit_status, 0);
  EXPECT_THAT(thimble({"verify", "zoo:pex_figure1", "out"}).err, HasSubstr("out: has no code of"));
  fs::create_directory(folder() / "mine");
  EXPECT_THAT(thimble({"verify", "zoo:demo", "mine"}).err,
              HasSubstr("mine: has no thimble.json of Thimble's: verify takes a folder that"));
  nlohmann::json manifest = json_of(read("out/thimble.json"));
  manifest["models"]["demo"]["made"]["version"] = "0.0.1";
  write("out/thimble.json", manifest.dump());
  EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).err,
              HasSubstr("out: was written by another Thimble (version 0.0.1, "));
  manifest["models"]["demo"].erase("made");
  write("out/thimble.json", manifest.dump());
  EXPECT_THAT(thimble({"verify", "zoo:demo", "out"}).err,
              HasSubstr("has no plan of 'demo', as an earlier Thimble wrote it: compile"));
}

TEST_F(Folders, FilesOfTheUsersAreNotReplaced) {
  make("out/CMakeLists.txt", "project(mine)\n");
  make("out/demo.h", "int mine;\n");
  refused("zoo:demo",
          "out: has files that Thimble did not write, or that were changed since: "
          "CMakeLists.txt, demo.h; give -o another folder, or --force");
  EXPECT_EQ(compile("zoo:demo", {"--force"}).exit_status, 0);
  EXPECT_THAT(read("out/demo.h"), HasSubstr("demo_run"));
}

TEST_F(Folders, ExamplesOfTheUsersStay) {
  make("out/example.c", "int main(void) { return 0; }\n");
  make("out/main.cc", "// mine\n");
  EXPECT_EQ(compile("zoo:demo").exit_status, 0);
  EXPECT_EQ(read("out/example.c"), "int main(void) { return 0; }\n");
  EXPECT_EQ(read("out/main.cc"), "// mine\n");
}

TEST_F(Folders, WhatTheUserChangedIsTheUsers) {
  ASSERT_EQ(compile("zoo:demo").exit_status, 0);
  for (const char* file : {"out/demo.cc", "out/CMakeLists.txt", "out/demo_example.c"}) {
    const std::string before = read(file);
    write(file, before + "// and mine\n");
    refused("zoo:demo", fs::path(file).filename().string() + ";");
    write(file, before);
  }
  EXPECT_EQ(compile("zoo:demo").exit_status, 0);
}

TEST_F(Folders, FoldersOfOlderVersionsNeedForce) {
  ASSERT_EQ(compile("zoo:demo").exit_status, 0);
  fs::remove(folder() / "out" / "thimble.json");
  refused("zoo:demo", "or --force to replace them");
  EXPECT_EQ(compile("zoo:demo", {"--force"}).exit_status, 0);
  EXPECT_EQ(compile("zoo:demo").exit_status, 0);
}

TEST_F(Folders, StaleKernelsGoAndOtherFilesStay) {
  ASSERT_EQ(compile("zoo:demo", {"--name", "net", "--planner", "pex"}).exit_status, 0);
  const std::vector<std::string> before = kernels();
  make("out/thimble_notes.txt", "mine");
  ASSERT_EQ(compile("zoo:demo", {"--name", "net", "--planner", "original"}).exit_status, 0);
  const std::vector<std::string> after = kernels();
  EXPECT_NE(before, after);
  ASSERT_EQ(
      thimble({"compile", "zoo:demo", "--name", "net", "--planner", "original", "-o", "fresh"})
          .exit_status,
      0);
  auto expected = content("fresh");
  expected["thimble_notes.txt"] = "mine";
  EXPECT_EQ(content(), expected) << "as if the first had never been there";
}

TEST_F(Folders, ModelsShareOneRuntimeAndOneBuildFile) {
  ASSERT_EQ(compile("zoo:pex_figure1").exit_status, 0);
  ASSERT_EQ(compile("zoo:reordering_figure1", {"--planner", "reorder"}).exit_status, 0);
  const std::vector<std::string> both = kernels();
  make("CMakeLists.txt",
       "cmake_minimum_required(VERSION 3.20)\nproject(user C CXX)\nadd_subdirectory(out)\n"
       "add_executable(both both.c)\ntarget_link_libraries(both pex_figure1 reordering_figure1)\n");
  write(
      "both.c",
      "#include \"pex_figure1.h\"\n#include \"reordering_figure1.h\"\n"
      "static _Alignas(16) uint8_t a[pex_figure1_arena_bytes], b[reordering_figure1_arena_bytes];\n"
      "int main(void) {\n  pex_figure1_run(a);\n  reordering_figure1_run(b);\n  return 0;\n}\n");
  const ProcessResult built = run_process(
      {.arguments = {"sh", "-c", "cmake -S . -B b -G Ninja && cmake --build b && ./b/both"},
       .working_folder = folder()});
  EXPECT_EQ(built.exit_status, 0) << built.out << built.err;
  // The first as it was, in the order of the commands or not.
  ASSERT_EQ(thimble({"compile", "zoo:reordering_figure1", "--planner", "reorder", "-o", "other"})
                .exit_status,
            0);
  ASSERT_EQ(thimble_as_is({"compile", "zoo:pex_figure1", "-o", "other"}).exit_status, 0);
  EXPECT_EQ(content("other"), content("out"));
}

// As an IDE does: every source file of every folder in one project.
TEST_F(Folders, LooseSourcesOfFourModelsLink) {
  std::string headers, runs;
  for (const std::string model : {"pex_figure1", "reordering_figure1", "motes_figure2", "demo"}) {
    ASSERT_EQ(thimble_as_is({"compile", "zoo:" + model, "-o", "of_" + model}).exit_status, 0);
    headers += "#include \"" + model + ".h\"\n";
    runs += "  {\n    alignas(16) static uint8_t arena[" + model + "_arena_bytes];\n    " + model +
            "_run(arena);\n  }\n";
  }
  write("main.cc", headers + "int main() {\n" + runs + "}\n");
  const ProcessResult built = run_process(
      {.arguments = {"sh", "-c",
                     "g++ -std=c++17 -w $(for d in $(find . -type d); do echo -I$d; done) $(find . "
                     "-name '*.cc') -o program && ./program"},
       .working_folder = folder()});
  EXPECT_EQ(built.exit_status, 0) << built.err;
}

TEST_F(Folders, TwoAtATimeLoseNeitherModel) {
  const ProcessResult result = run_process(
      {.arguments =
           {"sh", "-c",
            "\"$0\" compile zoo:pex_figure1 -o out & \"$0\" compile zoo:motes_figure2 -o out & "
            "\"$0\" compile zoo:reordering_figure1 -o out & wait",
            THIMBLE_PROGRAM},
       .working_folder = folder()});
  EXPECT_EQ(result.err, "");
  const nlohmann::json models = json_of(read("out/thimble.json")).at("models");
  EXPECT_EQ(models.size(), 3U) << models;
}

TEST_F(Folders, ANameIsOneModels) {
  ASSERT_EQ(compile("zoo:demo", {"--name", "net"}).exit_status, 0);
  refused("zoo:pex_figure1",
          "has the code of another model, 'demo', under the name net; give --name",
          {"--name", "net"});
  EXPECT_EQ(compile("zoo:demo", {"--name", "net", "--planner", "original"}).exit_status, 0);
}

// Nothing but the code's own files, however well the hash fits.
TEST_F(Folders, AManifestCannotClaimTheUsersFiles) {
  ASSERT_EQ(compile("zoo:demo").exit_status, 0);
  make("out/notes.txt", "mine\n");
  nlohmann::json manifest = json_of(read("out/thimble.json"));
  manifest["files"]["notes.txt"] = {
      {"models", {"demo"}},
      {"sha256", "fcbc800db3f1867000b852f1ce0044b8f1584f76ade1ed6e65189824f95c3cda"}};
  write("out/thimble.json", manifest.dump());
  EXPECT_EQ(compile("zoo:demo").exit_status, 1);
  EXPECT_EQ(read("out/notes.txt"), "mine\n");
}

TEST_F(Folders, AnotherModelOfTheSameNameIsMentioned) {
  for (const char* network : {"demo", "ds_cnn_s"}) {
    fs::create_directories(folder() / network);
    ASSERT_EQ(thimble({"zoo", "build", network, "-o", std::string(network) + "/model.tflite"})
                  .exit_status,
              0);
  }
  EXPECT_THAT(compile("demo/model.tflite").out, Not(HasSubstr("replaced")));
  EXPECT_THAT(compile("ds_cnn_s/model.tflite").out,
              HasSubstr("replaced the code of another model (sha256 "));
  EXPECT_THAT(compile("ds_cnn_s/model.tflite").out, Not(HasSubstr("replaced")));
}

TEST_F(Folders, AManifestCannotNameFilesElsewhere) {
  ASSERT_EQ(compile("zoo:demo").exit_status, 0);
  write("victim", "mine");
  nlohmann::json manifest = json_of(read("out/thimble.json"));
  for (const char* path : {"../victim", "./../victim", "/etc/hostname", ".hidden", ""}) {
    nlohmann::json changed = manifest;
    changed["files"][path] = {
        {"sha256", "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0"},
        {"models", {"demo"}}};
    write("out/thimble.json", changed.dump());
    const ProcessResult result = compile("zoo:demo", {"--planner", "original"});
    EXPECT_EQ(result.exit_status, 1) << path;
    EXPECT_THAT(result.err, HasSubstr("thimble.json")) << path;
  }
  EXPECT_EQ(compile("zoo:demo", {"--force"}).exit_status, 0);
  EXPECT_EQ(read("victim"), "mine");
}

TEST_F(Folders, LinksAreNotFollowed) {
  make("elsewhere/a", "mine");
  write("mine.h", "mine");
  fs::create_directory(folder() / "out");
  fs::create_symlink("../mine.h", folder() / "out" / "demo.h");
  EXPECT_THAT(compile("zoo:demo").err, HasSubstr("demo.h"));
  EXPECT_EQ(compile("zoo:demo", {"--force"}).exit_status, 0);
  EXPECT_EQ(read("mine.h"), "mine");
  const auto files = content();
  const auto found = files.lower_bound("thimble_runtime_");
  ASSERT_NE(found, files.end());
  const std::string runtime = found->first;
  fs::remove_all(folder() / "out");
  fs::create_directory(folder() / "out");
  fs::create_directory_symlink("../elsewhere", folder() / "out" / runtime);
  EXPECT_THAT(compile("zoo:demo").err, HasSubstr(runtime));
  EXPECT_THAT(compile("zoo:demo", {"--force"}).err, HasSubstr("would lie outside of it"));
  EXPECT_EQ(content("elsewhere").size(), 1U);
}

TEST_F(Folders, AFailureHalfWayIsUndone) {
  ASSERT_EQ(compile("zoo:demo", {"--planner", "original"}).exit_status, 0);
  fs::remove(folder() / "out" / "demo_weights.h");
  make("out/demo_weights.h/mine", "mine");
  refused("zoo:demo", "demo_weights.h", {"--planner", "pex", "--force"});
}

}  // namespace
}  // namespace thimble::testing
