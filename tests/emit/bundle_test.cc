// SPDX-License-Identifier: Apache-2.0
// Several models in one program: what they share, and that they compute what each computes alone.
#include "thimble/driver/bundle.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "tests/support/golden.h"
#include "tests/support/shared.h"
#include "thimble/emit/caller.h"
#include "thimble/emit/folder_readme.h"
#include "thimble/emit/identifier.h"
#include "thimble/emit/names.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/import/tensor_file.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/program/host.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

BundleRequest request_of(const std::vector<std::string>& models, const Request& like = {}) {
  BundleRequest request;
  for (const std::string& path : models) {
    Request model = like;
    model.model = path;
    const std::string name = identifier(load(path).graph.name);
    model.emission = Emission{.name = name, .command = "a test", .also_used = {}};
    request.models.push_back(model);
  }
  return request;
}

Bundle bundle_of(const BundleRequest& request) { return std::get<Bundle>(compile(request)); }

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// What is below a folder, by path.
std::map<std::string, std::string> content(const fs::path& folder) {
  std::map<std::string, std::string> result;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file())
      result[entry.path().lexically_relative(folder).string()] = read(entry.path());
  }
  return result;
}

std::vector<ModelCode> code_of(const Bundle& bundle) {
  std::vector<ModelCode> models;
  for (size_t m = 0; m < bundle.models.size(); ++m) {
    models.push_back({bundle.names[m],
                      {bundle.names[m], bundle.models[m].sha256},
                      bundle.models[m].files,
                      bundle.uses[m]});
  }
  return models;
}

// Reads the number of a model and its inputs, runs it, and writes its outputs, until there are no
// more numbers.
class Firmware {
 public:
  explicit Firmware(const Bundle& bundle) : bundle_(bundle) {
    StagedFolder(folder_.path() / "models", code_of(bundle), false).commit();
    std::ofstream(folder_.path() / "main.cc") << main_text();
    const ProcessResult built = run_process(
        {.arguments = {"sh", "-c",
                       "g++ -std=c++17 -Wall -Wextra -Werror -ffunction-sections -fdata-sections "
                       "-Wl,--gc-sections -Imodels $(find . -name '*.cc' | sort) -o program"},
         .working_folder = folder_.path()});
    EXPECT_EQ(built.exit_status, 0) << built.err;
  }

  std::string run(const std::string& input) const {
    std::ofstream(folder_.path() / "input.bin", std::ios::binary) << input;
    const ProcessResult result =
        run_process({.arguments = {"sh", "-c", "./program < input.bin > output.bin"},
                     .working_folder = folder_.path()});
    EXPECT_EQ(result.exit_status, 0) << result.err;
    return read(folder_.path() / "output.bin");
  }
  std::string run_shell(const std::string& command) const {
    return run_process({.arguments = {"sh", "-c", command}, .working_folder = folder_.path()}).out;
  }

 private:
  std::string main_text() const {
    std::string text = "#include <cstdio>\n", begin, cases;
    if (bundle_.share_arena) {
      begin += fmt::format("alignas(16) static uint8_t shared[{}];\n",
                           std::max<int64_t>(1, bundle_.arena_bytes()));
    }
    std::string resets;
    for (size_t m = 0; m < bundle_.models.size(); ++m) {
      const Program& program = bundle_.models[m].program;
      const std::string& name = bundle_.names[m];
      text += fmt::format("#include \"{}.h\"\n", name);
      std::vector<std::string> pointers;
      for (const MemoryId id : arenas(program)) {
        const std::string arena = arena_name(program, id);
        const bool shared = bundle_.share_arena && id == kArena;
        if (!shared)
          begin +=
              fmt::format("alignas(16) static uint8_t {0}_{1}[{0}_{1}_bytes + 1];\n", name, arena);
        pointers.push_back(shared ? std::string("shared") : fmt::format("{}_{}", name, arena));
      }
      std::string memory = pointers[0];
      if (pointers.size() > 1) {
        begin += fmt::format("static const {0}_memories {0}_all{{{1}}};\n", name,
                             fmt::join(pointers, ", "));
        memory = fmt::format("&{}_all", name);
      }
      cases += fmt::format("    if (model == {}) {{\n", m);
      cases += ports(m, program.inputs, "input", memory);
      cases += fmt::format("      {}_run({});\n", name, memory);
      cases += ports(m, program.outputs, "output", memory) + "    }\n";
      if (!program.states.empty()) resets += fmt::format("  {}_reset({});\n", name, memory);
    }
    return text + begin + "int main() {\n" + resets +
           "  for (int model; (model = std::getchar()) != EOF;) {\n" + cases + "  }\n}\n";
  }

  std::string ports(size_t m, const std::vector<ProgramPort>& all, const char* what,
                    const std::string& memory) const {
    std::string text;
    for (size_t k = 0; k < all.size(); ++k) {
      const std::string label = bundle_.names[m] + "_" + port_label(what, k, all.size());
      text +=
          fmt::format("      if (std::{0}({1}({2}), 1, {1}_bytes, {3}) != {1}_bytes) return 1;\n",
                      std::string(what) == "input" ? "fread" : "fwrite", label, memory,
                      std::string(what) == "input" ? "stdin" : "stdout");
    }
    return text;
  }

  const Bundle& bundle_;
  TemporaryFolder folder_;
};

// Inferences in any order give what each model gives by itself, one after the other.
void expect_what_each_gives(const Bundle& bundle, const BundleRequest& request, int inferences) {
  std::vector<std::vector<std::vector<Bytes>>> inputs(bundle.models.size());
  std::vector<size_t> order;
  std::mt19937 random(7);
  std::string script;
  for (int k = 0; k < inferences; ++k) {
    const size_t m = random() % bundle.models.size();
    order.push_back(m);
    script += static_cast<char>(m);
    std::vector<Bytes> set;
    const Compiled& model = bundle.models[m];
    for (const ProgramPort& port : model.program.inputs) {
      const Tensor& t = model.graph.tensor(port.tensor);
      set.push_back(random_bytes(t.type, elements(t.shape), static_cast<uint32_t>(k)));
      script.append(set.back().begin(), set.back().end());
    }
    inputs[m].push_back(std::move(set));
  }
  std::vector<std::vector<std::vector<Bytes>>> outputs;
  for (size_t m = 0; m < bundle.models.size(); ++m) {
    Request alone = request.models[m];
    alone.emission.reset();
    outputs.push_back(execute_in_turn(std::get<Compiled>(compile(alone)).program, inputs[m]));
  }
  std::string expected;
  std::vector<size_t> turn(bundle.models.size());
  for (const size_t m : order) {
    for (const Bytes& bytes : outputs[m][turn[m]]) expected.append(bytes.begin(), bytes.end());
    ++turn[m];
  }
  EXPECT_TRUE(Firmware(bundle).run(script) == expected);
}

// Sounds with a state, and two networks without.
const std::vector<std::string> kThree = {"zoo:audio_preprocessor", "zoo:demo", "zoo:pex_figure1"};

TEST(Bundles, ComputeInAnyOrderWhatEachDoesAlone) {
  for (const bool share : {false, true}) {
    BundleRequest request = request_of(kThree);
    request.share_arena = share;
    const Bundle bundle = bundle_of(request);
    EXPECT_EQ(bundle.state_bytes() > 0, share);
    expect_what_each_gives(bundle, request, 40);
  }
}

TEST(Bundles, KeepTheStatesOfRecurrentModelsBesideASharedArena) {
  THIMBLE_NEEDS_SHARED();
  std::vector<std::string> models{"zoo:demo"};
  for (const std::string& name : testing::recurrent_models())
    models.push_back(testing::model_path(name).string());
  BundleRequest request = request_of(models, {.planner = "stream"});
  request.share_arena = true;
  const Bundle bundle = bundle_of(request);
  expect_what_each_gives(bundle, request, 30);
  int64_t largest = 0;
  for (const Compiled& model : bundle.models)
    largest = std::max(largest, model.program.arena_bytes());
  EXPECT_EQ(bundle.verdict.arena_bytes, largest + bundle.state_bytes());
}

TEST(Bundles, OfSixHaveOneRuntimeAndOneBudget) {
  const std::vector<std::string> six = {"zoo:demo",        "zoo:pex_figure1",
                                        "zoo:pex_figure3", "zoo:motes_figure2",
                                        "zoo:ds_cnn_s",    "zoo:micronet_kws_s"};
  const BundleRequest request =
      request_of(six, {.target = generic_target("cortex-m4"), .planner = "stream"});
  const Bundle bundle = bundle_of(request);
  std::set<std::string> runtimes;
  int64_t arenas_sum = 0, flash_apart = 0;
  for (const Compiled& model : bundle.models) {
    arenas_sum += model.program.arena_bytes();
    flash_apart += model.verdict.flash_bytes();
    for (const EmittedFile& file : model.files) {
      if (file.path.find('/') != std::string::npos)
        runtimes.insert(file.path.substr(0, file.path.find('/')));
    }
  }
  EXPECT_EQ(runtimes.size(), 1U);
  EXPECT_EQ(bundle.verdict.arena_bytes, arenas_sum);
  EXPECT_LT(bundle.verdict.flash_bytes(), flash_apart);
  std::map<std::string, std::string> files;
  for (const Compiled& model : bundle.models) {
    for (const EmittedFile& file : model.files) {
      if (file.path == kReadme) continue;  // a section of the folder's
      const auto [known, fresh] = files.emplace(file.path, file.text);
      EXPECT_TRUE(fresh || known->second == file.text) << file.path << " differs between models";
    }
  }
}

TEST(Bundles, HaveEqualConstantsOnce) {
  BundleRequest request = request_of({"zoo:demo", "zoo:demo"});
  request.models[1].emission->name = "demo_again";
  const Bundle bundle = bundle_of(request);
  const int64_t once = bundle.models[0].cost.weight_bytes;
  EXPECT_EQ(bundle.verdict.weight_bytes, once);
  EXPECT_EQ(bundle.equal_bytes, once);
  const Firmware firmware(bundle);
  const std::string sizes = firmware.run_shell("nm -S program | grep ' V thimble_'");
  std::istringstream lines(sizes);
  int64_t linked = 0;
  std::string address, size, type, name;
  while (lines >> address >> size >> type >> name) linked += std::stoll(size, nullptr, 16);
  EXPECT_EQ(linked, once);
}

// A folder is the same however its models came to it, but for the command in the banners.
TEST(Bundles, MergeInAFolderAsIfTheyHadComeTogether) {
  const TemporaryFolder folder;
  const BundleRequest request =
      request_of(kThree, {.target = generic_target("cortex-m4"), .planner = "stream"});
  const std::vector<ModelCode> together = code_of(bundle_of(request));
  StagedFolder(folder.path() / "together", together, false).commit();
  for (const size_t k : {2U, 0U, 1U}) {
    BundleRequest one;
    one.models.push_back(request.models[k]);
    const std::vector<ModelCode> alone = code_of(bundle_of(one));
    StagedFolder(folder.path() / "one_by_one", alone, false).commit();
  }
  const std::string uses = runtime_folder(runtime_files()) + "/uses.h";
  const auto expected = content(folder.path() / "together");
  EXPECT_TRUE(content(folder.path() / "one_by_one") == expected);
  StagedFolder(folder.path() / "alone", {together[2]}, false).commit();
  EXPECT_NE(parts_in(content(folder.path() / "alone").at(uses)), parts_in(expected.at(uses)))
      << "of one model only";
}

TEST(Bundles, AreNotReplacedByAnotherModelUnawares) {
  const TemporaryFolder folder;
  const BundleRequest request = request_of(kThree, {.target = generic_target("cortex-m4")});
  std::vector<ModelCode> code = code_of(bundle_of(request));
  StagedFolder(folder.path() / "models", code, false).commit();
  const ModelCode same_name{code[1].name, code[0].from, code[0].files};  // as a new version
  EXPECT_THROW(StagedFolder(folder.path() / "models", {same_name}, false), CompileError);
}

// Files of one folder copied over another's: the compiler says so.
TEST(Bundles, ThatLackAPartOfTheRuntimeDoNotCompile) {
  const TemporaryFolder folder;
  BundleRequest request = request_of(kThree, {.target = generic_target("cortex-m4")});
  const std::vector<ModelCode> code = code_of(bundle_of(request));
  StagedFolder(folder.path() / "models", code, false).commit();
  const fs::path uses = folder.path() / "models" / runtime_folder(runtime_files()) / "uses.h";
  std::string text = read(uses);
  const size_t at = text.find(" 1\n");
  ASSERT_NE(at, std::string::npos);
  text[at + 1] = '0';
  std::ofstream(uses, std::ios::binary) << text;
  int refused = 0;
  for (const ModelCode& model : code) {
    const ProcessResult result =
        run_process({.arguments = {"g++", "-std=c++17", "-fsyntax-only", "-Imodels",
                                   "models/" + model.name + ".cc"},
                     .working_folder = folder.path()});
    if (result.exit_status == 0) continue;
    ++refused;
    EXPECT_THAT(result.err, ::testing::HasSubstr("compile all models into one folder"));
  }
  EXPECT_GT(refused, 0);
}

TEST(Bundles, TakeTheFastestPlansThatFitTogether) {
  const std::vector<FrontFigures> a = {{10, 100}, {20, 50}, {40, 40}};
  const std::vector<FrontFigures> b = {{5, 30}, {25, 10}};
  EXPECT_THAT(fastest_arenas({a, b}, 100), ElementsAre(40, 25));
  EXPECT_THAT(fastest_arenas({a, b}, 64), ElementsAre(20, 25));
  EXPECT_THAT(fastest_arenas({a, b}, 44), ElementsAre(20, 5));
  EXPECT_THAT(fastest_arenas({a, b}, 24), ElementsAre(10, 5));
  EXPECT_THAT(fastest_arenas({a, b}, 3), ElementsAre(10, 5)) << "the smallest: it lacks least";
}

}  // namespace
}  // namespace thimble
