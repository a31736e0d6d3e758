// SPDX-License-Identifier: Apache-2.0
// What emitted code and reports say of where they come from: enough to make them again.
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"
#include "thimble/import/sha256.h"
#include "thimble/import/tensor_file.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using Arguments = std::vector<std::string>;

/// models/demo.tflite, which is elsewhere when its command is given again.
class OriginTest : public CommandLine {
 protected:
  void SetUp() override {
    for (const char* name : {"models", "again"}) fs::create_directories(folder() / name);
    ASSERT_EQ(thimble({"zoo", "build", "demo", "-o", "models/demo.tflite"}).exit_status, 0);
    const json network = json_of(thimble({"inspect", kModel, "--format", "json"}).out);
    tensors_ = network.at("tensors");
    input_ = network.at("operators").at(0).at("inputs").at(0);
    cut_ = network.at("operators").at(1).at("outputs").at(0);
    Shape shape = tensors_.at(input_).at("shape");
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    write_npy(folder() / "models/inputs.npy",
              {DType::kInt8, shape, Bytes(static_cast<size_t>(count), 7)});
    write("models/labels.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");  // eight classes
    write("models/board.json", R"({"name": "mine", "chip": "one bank", "core": "cortex-m4",
        "clock_hz": 1000000, "flash": "4M", "memories": [{"name": "sram", "kind": "sram", "banks":
        [{"base": "0x20000000", "size": "64K"}]}, {"name": "psram", "kind": "external_ram", "banks":
        [{"base": "0x60000000", "size": "1M"}]}]})");
    write("models/cycles.json", R"({"core": "cortex-m4", "counted": "cycles", "program": 20,
        "kernels": {"conv_2d": {"call": 90, "pixel": 40, "quad_product": 60}}})");
    for (const char* file :
         {"demo.tflite", "inputs.npy", "board.json", "labels.txt", "cycles.json"})
      fs::copy(folder() / "models" / file, folder() / "again" / file);
  }

  [[nodiscard]] std::string input_shape() const {
    std::string text;
    for (const int64_t extent : tensors_.at(input_).at("shape"))
      text += fmt::format("{}{}", text.empty() ? "" : "x", extent);
    return text;
  }
  [[nodiscard]] std::string cut() const { return tensors_.at(cut_).at("name"); }

  /// What an example of each option is given with; none: those that decide nothing of the code.
  [[nodiscard]] std::map<std::string, Arguments> examples() const {
    return {{"--until", {cut()}},
            {"--shape", {input_shape()}},
            {"--arithmetic", {"tflite"}},
            {"--port-layout", {"nhwc"}},
            {"--hop", {"3"}},
            {"--hop-axis", {"2", "--hop", "3"}},
            {"--no-rewrite", {}},
            {"--keep-channels", {}},
            {"--io-type", {"int8"}},
            {"--max-bytes", {"64M"}},
            {"--planner", {"original"}},
            {"--calibration", {"models/inputs.npy", "--planner", "pex:accumulators=8"}},
            {"--pick", {"1"}},
            {"--device", {"models/board.json"}},
            {"--core", {"cortex-m4"}},
            {"--latency", {"models/cycles.json", "--core", "cortex-m4"}},
            {"--sram", {"64K"}},
            {"--flash", {"1M"}},
            {"--weights", {"compact", "--core", "cortex-m4"}},
            {"--external-ram", {"--device", "models/board.json"}},
            {"--storage", {"card:write=32,erase=4K,compress", "--planner", "tinyseg"}},
            {"--max-recompute", {"0.5"}},
            {"--max-latency", {"1.5"}},
            {"--effort", {"2"}},
            {"--jobs", {"1"}},
            {"--no-in-place", {}},
            {"--layout", {"greedy_by_size"}},
            {"--time-limit", {"100"}},
            {"--input", {"user"}},
            {"--output", {"user"}},
            {"--name", {"other"}},
            {"--labels", {"models/labels.txt"}},
            {"--align-ports", {"32"}},
            {"--weights-as", {"incbin"}},
            {"--export", {"arduino"}},
            {"--share-arena", {}},
            {"--whole-runtime", {}},
            {"--micro-interpreter", {}},
            {"--trace", {}}};
  }

  [[nodiscard]] std::map<std::string, std::string> content(const fs::path& of) const {
    std::map<std::string, std::string> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder() / of)) {
      const fs::path path = entry.path().lexically_relative(folder());
      if (entry.is_regular_file()) files[path.lexically_relative(of)] = read(path);
    }
    return files;
  }

  /// The command in emitted code.
  static std::string command_of(const std::map<std::string, std::string>& files) {
    for (const auto& [path, text] : files) {
      const size_t at = text.find("//   thimble compile ");
      if (at != std::string::npos) return text.substr(at + 5, text.find('\n', at) - at - 5);
    }
    return "";
  }

  static constexpr const char* kModel = "models/demo.tflite";

 private:
  json tensors_;
  size_t input_ = 0, cut_ = 0;
};

// As `--help` has them: one that is new has no row, and fails.
TEST_F(OriginTest, TheBannersCommandMakesTheSameBytesWhateverOptionWasGiven) {
  const std::set<std::string> others = {"--help",      "--html",  "--output-folder", "--json",
                                        "--save-plan", "--force", "--measure",       "--explain"};
  const auto rows = examples();
  std::istringstream help(thimble({"compile", "--help"}).out);
  const std::regex option("^  (?:-[a-z],)?(--[a-z0-9-]+).*");
  size_t found = 0;
  std::smatch name;
  for (std::string line; std::getline(help, line);) {
    if (!std::regex_match(line, name, option) || others.contains(name[1])) continue;
    const auto row = rows.find(name[1]);
    ASSERT_NE(row, rows.end()) << name[1] << " has no example here";
    ++found;
    Arguments arguments = {"compile", kModel, row->first};
    arguments.insert(arguments.end(), row->second.begin(), row->second.end());
    arguments.insert(arguments.end(), {"-o", "out"});
    const ProcessResult made = thimble(arguments);
    ASSERT_EQ(made.exit_status, 0) << row->first << made.out << made.err;
    const auto files = content("out");
    const std::string command = command_of(files);
    EXPECT_THAT(command, HasSubstr(" " + row->first)) << command;
    const ProcessResult again = run_process(
        {.arguments = {"sh", "-c", "thimble() { \"$0\" \"$@\"; }; " + command + " >log 2>&1",
                       THIMBLE_PROGRAM},
         .working_folder = folder() / "again"});
    EXPECT_EQ(again.exit_status, 0) << command << "\n" << read("again/log");
    const fs::path folder_again = "again/" + command.substr(command.rfind(' ') + 1);
    EXPECT_EQ(content(folder_again), files) << command;
    fs::remove_all(folder() / "out");
    fs::remove_all(folder() / folder_again);
  }
  EXPECT_EQ(found, rows.size());
}

TEST_F(OriginTest, WhereAnswersGoIsNoPartOfTheBannersCommand) {
  ASSERT_EQ(thimble({"compile", kModel, "--planner", "original", "--json", "r.json", "--explain",
                     "--save-plan", "p.json", "--force", "-o", "out"})
                .exit_status,
            0);
  EXPECT_EQ(command_of(content("out")), "thimble compile demo.tflite --planner original -o demo");
  EXPECT_EQ(json_of(read("r.json")).at("made_by").at("command"),
            "thimble compile demo.tflite --planner original --explain");
}

TEST_F(OriginTest, ReportsNameVersionCommitCommandAndModel) {
  const ProcessResult version = thimble({"--version"});
  EXPECT_THAT(version.out,
              MatchesRegex("thimble [0-9.]+ \\(commit ([0-9a-f]+(-dirty)?|unknown)\\)\n"));
  const std::string file = read(kModel);
  for (const Arguments& given : {Arguments{"inspect", kModel}, Arguments{"run", kModel},
                                 Arguments{"plan", kModel, "--planner", "original"}}) {
    Arguments arguments = given;
    arguments.insert(arguments.end(), {"--json", "/dev/stdout"});
    const json made_by = json_of(thimble(arguments).out).at("made_by");
    EXPECT_EQ(made_by.at("model_sha256"), sha256(file)) << given[0];
    EXPECT_THAT(made_by.at("command").get<std::string>(),
                HasSubstr("thimble " + given[0] + " demo.tflite"));
    EXPECT_EQ(version.out,
              fmt::format("thimble {} (commit {})\n", made_by.at("version").get<std::string>(),
                          made_by.at("commit").get<std::string>()));
  }
  const json devices = json_of(thimble({"devices", "--json", "/dev/stdout"}).out);
  EXPECT_TRUE(devices.at("made_by").at("model_sha256").is_null());
  const json no = json_of(
      thimble({"plan", kModel, "--planner", "patch", "--sram", "1K", "--json", "/dev/stdout"}).out);
  EXPECT_EQ(no.at("made_by").at("model_sha256"), sha256(file));
}

TEST_F(OriginTest, ACommandIsAsAShellTakesIt) {
  fs::copy(folder() / kModel, folder() / "it's one.tflite");
  const json report = json_of(thimble({"inspect", "it's one.tflite", "--json", "/dev/stdout"}).out);
  EXPECT_EQ(report.at("made_by").at("command"), "thimble inspect 'it'\\''s one.tflite'");
}

TEST_F(OriginTest, PicturesAndPagesSayIt) {
  ASSERT_EQ(
      thimble({"plan", kModel, "--sram", "64K", "--svg", "p.svg", "--pareto", "f.svg"}).exit_status,
      0);
  for (const char* file : {"p.svg", "f.svg"})
    EXPECT_THAT(read(file), HasSubstr(": thimble plan demo.tflite --sram 64K</desc>")) << file;
  EXPECT_THAT(thimble({"compare", kModel, "--planners", "original", "--markdown"}).out,
              HasSubstr("`thimble compare demo.tflite --planners original`"));
}

}  // namespace
}  // namespace thimble::testing
