// SPDX-License-Identifier: Apache-2.0
// The emitted project as text (golden files, THIMBLE_UPDATE=1 rewrites them), and as C and C++ on
// the host.
#include "thimble/emit/emit.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/hand_written.h"
#include "thimble/cli/emission.h"
#include "thimble/cli/emitted_folder.h"
#include "thimble/devices/temporary_folder.h"
#include "thimble/emit/names.h"
#include "thimble/import/tensor_file.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"

namespace thimble {
namespace {

std::vector<EmittedFile> emit_plan(const testing::HandWritten& hand, const std::string& name) {
  const Source source{hand.graph, name, std::string(64, 'a')};
  const Plan plan{.planner = "by hand",
                  .schedule = hand.schedule,
                  .placement = place(hand.graph, hand.schedule, {})};
  const Compiled compiled = check_plan(source, {.model = name, .rewrite = false}, plan, name);
  return emit_compiled(compiled, source, name, "thimble compile " + name);
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void expect_golden_text(const std::string& name, const testing::HandWritten& hand) {
  for (const EmittedFile& file : emit_plan(hand, name)) {
    if (file.path.starts_with("thimble_runtime/") || file.path.ends_with("_weights.cc")) continue;
    const auto golden = std::filesystem::path(THIMBLE_SOURCE_DIR) / "tests/emit/golden" / name /
                        (file.path + ".txt");
    if (std::getenv("THIMBLE_UPDATE") != nullptr) {
      std::filesystem::create_directories(golden.parent_path());
      std::ofstream(golden, std::ios::binary) << file.text;
    }
    EXPECT_EQ(file.text, read(golden))
        << file.path << ": if the change is meant, run with THIMBLE_UPDATE=1";
  }
}

TEST(Emit, ChannelLoopReadsAsInTheGoldenText) {
  expect_golden_text("channel_loop", testing::channel_loop());
}

TEST(Emit, RowSpanReadsAsInTheGoldenText) { expect_golden_text("row_span", testing::row_span()); }

TEST(Emit, RowsOfTheCallersReadAsInTheGoldenText) {
  expect_golden_text("row_stream", testing::row_stream());
}

TEST(Emit, TensorsOfTheCallersReadAsInTheGoldenText) {
  expect_golden_text("row_span_of_user", testing::row_span_of_user());
}

TEST(Emit, BlocksReadAsInTheGoldenText) {
  expect_golden_text("residual_in_halves", testing::residual_in_halves(true));
}

TEST(Emit, ACopyInPlaceReadsAsInTheGoldenText) {
  expect_golden_text("turned_input", testing::turned_input());
}

TEST(Emit, SameInputSameBytes) {
  const auto a = emit_plan(testing::row_span(), "m"), b = emit_plan(testing::row_span(), "m");
  ASSERT_EQ(a.size(), b.size());
  for (size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].text, b[k].text);
}

TEST(Emit, CopiesOnlyTheKernelsInUse) {
  std::vector<std::string> kernels;
  for (const EmittedFile& file : emit_plan(testing::row_span(), "m")) {
    if (file.path.ends_with(".cc") && file.path.starts_with("thimble_runtime/"))
      kernels.push_back(file.path);
  }
  EXPECT_EQ(kernels, (std::vector<std::string>{"thimble_runtime/portable/add.cc",
                                               "thimble_runtime/portable/conv_2d.cc",
                                               "thimble_runtime/portable/depthwise_conv_2d.cc"}));
}

TEST(Emit, NamesAreIdentifiers) {
  EXPECT_EQ(identifier("my-model (1)"), "my_model_1");
  EXPECT_EQ(identifier("8bit"), "model_8bit");
  EXPECT_EQ(identifier("***"), "model_");
  EXPECT_EQ(pascal("conv_2d_0"), "Conv2d0");
  EXPECT_EQ(comment_text("a\n*/ \\ b"), "a?*? ? b");
}

// As a user would: the C example with the project's own CMake fragment, warnings as errors, and a
// driver that runs an inference in an arena of exactly the plan's bytes under the sanitizers.
TEST(Emit, ProjectBuildsWithItsCMakeFragmentAndGivesTheHostsOutputs) {
  const testing::HandWritten hand = testing::row_span();
  const TemporaryFolder folder;
  write_folder(folder.path() / "net", emit_plan(hand, "net"));
  std::ofstream(folder.path() / "CMakeLists.txt")
      << "cmake_minimum_required(VERSION 3.20)\nproject(user C CXX)\nadd_subdirectory(net)\n"
         "target_compile_options(net PRIVATE -Werror -fsanitize=address,undefined)\n"
         "add_executable(example net/example.c)\ntarget_compile_options(example PRIVATE -Wall "
         "-Wextra -Werror)\n"
         "target_link_libraries(example net)\ntarget_link_options(example PRIVATE "
         "-fsanitize=address,undefined)\n"
         "add_executable(driver driver.cc)\ntarget_link_libraries(driver net)\n"
         "target_link_options(driver PRIVATE -fsanitize=address,undefined)\n";
  std::ofstream(folder.path() / "driver.cc")
      << "#include <cstdio>\n#include <cstdlib>\n#include <cstring>\n#include \"net.h\"\n"
         "int main() {\n  void* arena = std::aligned_alloc(16, net_arena_bytes);\n"
         "  std::memset(arena, 0xA5, net_arena_bytes);\n"
         "  if (std::fread(net_input(arena), 1, net_input_bytes, stdin) != net_input_bytes) return "
         "1;\n"
         "  net_run(arena);\n  std::fwrite(net_output(arena), 1, net_output_bytes, stdout);\n  "
         "std::free(arena);\n}\n";
  const Tensor& in = hand.graph.tensor(hand.graph.inputs[0].tensor);
  const Bytes input = random_bytes(in.type, elements(in.shape), 3);
  std::ofstream(folder.path() / "input.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()),
             static_cast<std::streamsize>(input.size()));
  const std::string script =
      "cd '" + folder.path().string() +
      "' && cmake -S . -B b -G Ninja >log 2>&1 && cmake --build b >>log 2>&1 "
      "&& ./b/driver <input.bin >output.bin 2>>log";
  ASSERT_EQ(std::system(script.c_str()), 0) << read(folder.path() / "log");
  const Placement placement = place(hand.graph, hand.schedule, {});
  const Program program = lower(hand.graph, hand.schedule, placement);
  const std::string output = read(folder.path() / "output.bin");
  EXPECT_EQ(Bytes(output.begin(), output.end()), execute(program, {input})[0]);
}

}  // namespace
}  // namespace thimble
