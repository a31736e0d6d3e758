// SPDX-License-Identifier: Apache-2.0
// Every command of README and docs/, as it stands there, in a folder with the files that they name.
#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/command_line.h"
#include "tests/support/board_log_text.h"
#include "tests/support/shared.h"
#include "thimble/driver/driver.h"
#include "thimble/export/tflite.h"
#include "thimble/import/sha256.h"
#include "thimble/import/tensor_file.h"
#include "thimble/inputs/image.h"
#include "thimble/target/device.h"
#include "zoo/zoo.h"

namespace thimble::testing {
namespace {

namespace fs = std::filesystem;

struct Command {
  std::string page, text;
};

// Those that wait for somebody, and one that emulates billions of instructions (.ci/nightly).
bool is_left_out(const std::string& command) {
  return command.starts_with("thimble remote ") ||
         command.find("thimble run zoo:mobilenet_v1 --input streamed") == 0;
}

// Lines of code that begin with the program's name, without what is said of them.
std::vector<Command> commands_of(const fs::path& page) {
  std::vector<Command> commands;
  std::ifstream lines(page);
  std::set<std::string> known;
  for (std::string line; std::getline(lines, line);) {
    static const std::regex code(R"(^\s{4,}(\$ )?(thimble .*?)\s*(#.*)?$)");
    std::smatch match;
    if (!std::regex_match(line, match, code)) continue;
    const std::string command = match[2];
    if (!is_left_out(command) && known.insert(command).second)
      commands.push_back({page.filename(), command});
  }
  return commands;
}

std::vector<Command> all_commands() {
  std::vector<fs::path> pages = {THIMBLE_SOURCE_DIR "/README.md",
                                 THIMBLE_SOURCE_DIR "/examples/README.md"};
  for (const auto& entry : fs::directory_iterator(THIMBLE_SOURCE_DIR "/docs")) {
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  }
  std::sort(pages.begin(), pages.end());
  std::vector<Command> all;
  for (const fs::path& page : pages) {
    for (Command& command : commands_of(page)) all.push_back(std::move(command));
  }
  return all;
}

class Docs : public CommandLine {
 protected:
  Docs() {
    fs::create_directories(folder() / "bin");
    fs::create_symlink(THIMBLE_PROGRAM, folder() / "bin/thimble");
    for (const char* model : {"model", "a", "kws", "detector"})
      write_tflite(build_zoo("demo"), folder() / fmt::format("{}.tflite", model));
    for (const char* model : {"b", "vww"})
      write_tflite(build_zoo("ds_cnn_s"), folder() / fmt::format("{}.tflite", model));
    for (const char* model : {"person_detect", "vww_96_int8", "keyword_scrambled_8bit"}) {
      if (has_shared()) fs::copy(shared_model(model), folder());
    }
    const Image picture{.width = 48, .height = 48, .channels = 1, .pixels = Bytes(2304, 9)};
    write_png(folder() / "photo.jpg", picture);  // its bytes say what it is
    for (const char* set : {"photos", "pictures"}) {
      for (const char* label : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
        fs::create_directories(folder() / set / label);
        write_png(folder() / set / label / "1.png", picture);
      }
    }
    write("labels.txt", "a\nb\nc\nd\ne\nf\ng\nh\n");
    write("list.csv", "photo.jpg,a\nphoto.jpg,c\n");
    write_npy(folder() / "samples.npy", {DType::kInt8, {2, 48, 48, 1}, Bytes(4608, 9)});
    write("labels.csv", "label\n1\n3\n");
    write("buffers.csv", "id,lower,upper,size\na,0,3,4\nb,2,5,8\n");
    write("mine.json", R"({"title": "t", "citation": "c", "units": {"B": 1},
      "accountings": {"a": "all"}, "figures": [{"source": "s", "what": "w", "metric": "arena_bytes",
      "value": 1, "unit": "B", "accounting": "a", "model": "zoo:demo"}]})");
    write_board();
  }

  // What a board with model.tflite has told.
  void write_board() {
    const std::string model = (folder() / "model.tflite").string();
    EXPECT_EQ(
        run("thimble compile model.tflite --device nucleo-f446re -o firmware/model").exit_status,
        0);
    const Compiled compiled = std::get<Compiled>(
        compile({.model = model, .target = find_target("nucleo-f446re"), .emission = Emission{}}));
    const std::string plan = sha256(read("firmware/model/model_plan.json"));
    write("board.log", traced_log(compiled, plan, {random_bytes(DType::kInt8, 2304, 3)}) +
                           profile_log(compiled, plan));
  }

  [[nodiscard]] ProcessResult run(const std::string& command) const {
    return run_process({.arguments = {"sh", "-c", "PATH=\"$PWD/bin:$PATH\"; " + command},
                        .working_folder = folder()});
  }
};

TEST_F(Docs, EveryCommandOfReadmeAndDocsWorks) {
  THIMBLE_NEEDS_SHARED();
  const std::vector<Command> commands = all_commands();
  EXPECT_GT(commands.size(), 50U);
  for (const Command& command : commands) {
    const ProcessResult result = run(command.text);
    // 2 is an answer, too: it does not fit.
    EXPECT_TRUE(result.exit_status == 0 || result.exit_status == 2)
        << command.page << ": " << command.text << "\nexit status " << result.exit_status << "\n"
        << result.err;
  }
}

}  // namespace
}  // namespace thimble::testing
