// SPDX-License-Identifier: Apache-2.0
// Several models' loose sources in one program, as an IDE builds it: all files of all folders,
// every folder on the include path. Two of the models come with another version of the runtime.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "thimble/driver/driver.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/import/tensor_file.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/program/host.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

// A runtime whose regions lie otherwise in memory: a kernel of the one version cannot take what
// code for the other hands over.
class OtherRuntime {
 public:
  OtherRuntime() {
    for (const RuntimeFile& file : runtime_files()) texts_.emplace_back(file.text);
    for (size_t k = 0; k < texts_.size(); ++k) {
      const size_t at = texts_[k].find("int32_t end[4];");
      if (at != std::string::npos) texts_[k].insert(at, "alignas(64) ");
      files_.push_back({runtime_files()[k].path, texts_[k]});
    }
  }
  [[nodiscard]] std::span<const RuntimeFile> files() const { return files_; }

 private:
  std::vector<std::string> texts_;
  std::vector<RuntimeFile> files_;
};

struct Linked {
  std::string name;
  Compiled compiled;
  std::vector<Bytes> inputs;
};

Linked emitted(const std::string& zoo, const fs::path& folder,
               std::span<const RuntimeFile> runtime) {
  const Request request{.model = "zoo:" + zoo,
                        .emission = Emission{.name = zoo, .command = "a test", .runtime = runtime}};
  Linked result{zoo, std::get<Compiled>(compile(request)), {}};
  write_folder(folder / zoo, {zoo, {zoo, result.compiled.sha256}, result.compiled.files});
  for (const ProgramPort& port : result.compiled.program.inputs) {
    const Tensor& t = result.compiled.graph.tensor(port.tensor);
    result.inputs.push_back(random_bytes(t.type, elements(t.shape), 7));
  }
  return result;
}

// Reads the input of each model, runs it, and writes its output.
std::string main_text(const std::vector<Linked>& models) {
  std::string includes = "#include <cstdio>\n", runs;
  for (const Linked& model : models) {
    includes += fmt::format("#include \"{}.h\"\n", model.name);
    runs += fmt::format(
        "  {{\n    alignas({0}_arena_alignment) static uint8_t arena[{0}_arena_bytes];\n"
        "    if (std::fread({0}_input(arena), 1, {0}_input_bytes, stdin) != {0}_input_bytes) "
        "return 1;\n"
        "    {0}_run(arena);\n"
        "    std::fwrite({0}_output(arena), 1, {0}_output_bytes, stdout);\n  }}\n",
        model.name);
  }
  return includes + "int main() {\n" + runs + "}\n";
}

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Link, FourModelsOfTwoRuntimesMakeOneProgram) {
  const TemporaryFolder folder;
  const OtherRuntime other;
  ASSERT_NE(runtime_folder(other.files()), runtime_folder(runtime_files()));
  std::vector<Linked> models;
  models.push_back(emitted("pex_figure1", folder.path(), runtime_files()));
  models.push_back(emitted("demo", folder.path(), other.files()));
  models.push_back(emitted("reordering_figure1", folder.path(), runtime_files()));
  models.push_back(emitted("pex_figure3", folder.path(), other.files()));
  std::ofstream(folder.path() / "main.cc") << main_text(models);
  std::string folders, expected;
  std::ofstream input(folder.path() / "input.bin", std::ios::binary);
  for (const Linked& model : models) {
    folders += " -I" + model.name;
    for (const Bytes& bytes : model.inputs) input << std::string(bytes.begin(), bytes.end());
    for (const Bytes& bytes : execute(model.compiled.program, model.inputs))
      expected.append(bytes.begin(), bytes.end());
  }
  input.close();
  const ProcessResult built =
      run_process({.arguments = {"sh", "-c",
                                 "g++ -std=c++17 -Wall -Wextra -Werror" + folders +
                                     " $(find . -name '*.cc' | sort) -o program && "
                                     "./program < input.bin > output.bin && nm -C program"},
                   .working_folder = folder.path()});
  ASSERT_EQ(built.exit_status, 0) << built.err;
  EXPECT_EQ(read(folder.path() / "output.bin"), expected);
  for (const std::span<const RuntimeFile> runtime : {runtime_files(), other.files()}) {
    EXPECT_THAT(built.out, ::testing::HasSubstr(" W " + runtime_namespace(runtime, all_parts()) +
                                                "::conv_2d("));
  }
}

TEST(Link, AVersionIsThatOfAllFiles) {
  std::vector<RuntimeFile> files(runtime_files().begin(), runtime_files().end());
  const std::string version = runtime_folder(files);
  EXPECT_EQ(version.size(), std::string("thimble_runtime_1a2b3c4d").size());
  const std::string changed = std::string(files.back().text) + "\n";
  files.back().text = changed;
  EXPECT_NE(runtime_folder(files), version);
  files.pop_back();
  EXPECT_NE(runtime_folder(files), version);
}

// Else copies in two folders could not be linked into one program.
TEST(Link, EveryFunctionOfACopyIsWeak) {
  std::string text;
  for (const EmittedFile& file : runtime_copies(
           runtime_files(), {},
           {"storage/compress.cc", "storage/compressed_transfers.cc", "storage/transfers.cc"}))
    text += file.text;
  for (const char* function :
       {"uint32_t compressed_size(", "void begin_compress(", "uint32_t compress(",
        "bool decompress(", "bool is_decompressed(", "void begin_write(", "void begin_read(",
        "void begin_erase(", "void wait(", "uint32_t held_offset(", "bool has_work(",
        "bool may_try_again(", "void begin_compressed_write(", "void begin_compressed_read(",
        "void wait_compressed("}) {
    EXPECT_NE(text.find(std::string("\n[[gnu::weak]] ") + function), std::string::npos) << function;
  }
}

// No include path can turn an emitted file's includes elsewhere.
TEST(Link, CopiesIncludeFilesBesideThem) {
  const std::vector<EmittedFile> copies = runtime_copies(runtime_files(), {});
  EXPECT_EQ(copies.size(), runtime_files().size() + 1) << "the licence";
  std::set<std::string> there;
  for (const EmittedFile& file : copies) there.insert(file.path);
  for (const EmittedFile& file : copies) {
    EXPECT_EQ(file.text.find("thimble::runtime "), std::string::npos) << file.path;
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("#include \"")) continue;
      const std::string name = line.substr(10, line.size() - 11);
      const fs::path included = (fs::path(file.path).parent_path() / name).lexically_normal();
      EXPECT_TRUE(there.contains(included.string())) << file.path << ": " << line;
    }
  }
}

}  // namespace
}  // namespace thimble
