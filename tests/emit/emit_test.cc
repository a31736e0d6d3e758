// SPDX-License-Identifier: Apache-2.0
// The emitted project as text (golden files, THIMBLE_UPDATE=1 rewrites them), and as C and C++ on
// the host.
#include "thimble/emit/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/hand_written.h"
#include "tests/support/workload.h"
#include "thimble/driver/driver.h"
#include "thimble/emit/names.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/import/tensor_file.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::vector<EmittedFile> emit_plan(const testing::HandWritten& hand, const std::string& name) {
  const Source source{hand.graph, name, std::string(64, 'a')};
  const PlacedPlan plan{.planner = "by hand",
                        .schedule = hand.schedule,
                        .placement = place(hand.graph, hand.schedule, {})};
  const Compiled compiled = described(check_plan(source, {.rewrite = false}, plan, name));
  return emitted_files(compiled, {.name = name, .command = "thimble compile " + name});
}

// The names in emitted text change with every change of the runtime.
std::string without_version(std::string text) {
  const std::string folder = runtime_folder(runtime_files());
  const std::string version = folder.substr(folder.rfind('_') + 1);
  for (size_t at = text.find(version); at != std::string::npos; at = text.find(version, at))
    text.replace(at, version.size(), "VERSION");
  return text;
}

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

void expect_golden_text(const std::string& name, const testing::HandWritten& hand) {
  for (const EmittedFile& file : emit_plan(hand, name)) {
    if (file.path.starts_with("thimble_runtime_") || file.path.ends_with("_weights.cc") ||
        file.path.ends_with(".json"))
      continue;
    const auto golden = std::filesystem::path(THIMBLE_SOURCE_DIR) / "tests/emit/golden" / name /
                        (file.path + ".txt");
    if (testing::workload().update) {
      std::filesystem::create_directories(golden.parent_path());
      std::ofstream(golden, std::ios::binary) << without_version(file.text);
    }
    EXPECT_EQ(without_version(file.text), read(golden))
        << file.path << ": if the change is meant, run with THIMBLE_UPDATE=1";
  }
}

TEST(Emit, ChannelLoopReadsAsInTheGoldenText) {
  expect_golden_text("channel_loop", testing::channel_loop());
}

TEST(Emit, SeveralMemoriesReadAsInTheGoldenText) {
  expect_golden_text("several_memories", testing::several_memories());
  expect_golden_text("spilled_residual", testing::spilled_residual());
}

TEST(Emit, RowsOfTheCallersReadAsInTheGoldenText) {
  expect_golden_text("row_stream", testing::row_stream());
}

/// The text of one emitted file, each run of white space as one blank.
std::string text_of(const testing::HandWritten& hand, const std::string& path) {
  std::string text;
  for (const EmittedFile& file : emit_plan(hand, "net")) {
    if (file.path != path) continue;
    for (const char c : file.text) {
      const bool blank = c == ' ' || c == '\n';
      if (!blank || (!text.empty() && text.back() != ' ')) text += blank ? ' ' : c;
    }
  }
  return text;
}

TEST(Emit, RegionsOfALoopAreCutToTheTensor) {
  const std::string text = text_of(testing::row_span(), "net.cc");
  EXPECT_THAT(text, HasSubstr("for (int32_t row = 0; row < 13; ++row) { "));
  EXPECT_THAT(
      text,
      HasSubstr(
          "Region{{0, row, 0, 0}, {1, bounded(row + 1, 0, kT3Height), kT3Width, kT3Channels}}"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "Region{{0, bounded(row - 1, 0, kT6Height), 0, 0}, {1, row, kT6Width, kT6Channels}}"));
}

// Records of 128 B: 4 + 1 + 16 of them, in granules of 32, are there whatever they are.
TEST(Emit, CompressedRecordsGoThroughTheirPassage) {
  const std::string text = text_of(testing::spilled_residual(64), "net.cc");
  EXPECT_THAT(text, HasSubstr("compressed_transfers.h\""));
  EXPECT_THAT(text, HasSubstr("static_assert(passage_bytes(64) <= 84, \"kScratch8\");"));
  EXPECT_THAT(text, HasSubstr("begin_compressed_write(spare_transfers, 0, "
                              "Records{kT3Buffer2, 128, 128}, "));
  EXPECT_THAT(text, HasSubstr(", Passage{reinterpret_cast<uint32_t*>(arena + kScratch8), 64, 32}, "
                              "0, 8);"));
  EXPECT_THAT(text, HasSubstr("wait_compressed(spare_transfers, 0, "
                              "Passage{reinterpret_cast<uint32_t*>(arena + kScratch9), 64, 32});"));
  EXPECT_THAT(text, HasSubstr(" wait(spare_transfers, 0);")) << "of the erase";
  std::set<std::string> paths;
  for (const EmittedFile& file : emit_plan(testing::spilled_residual(64), "net"))
    paths.insert(file.path.substr(file.path.find('/') + 1));
  EXPECT_TRUE(paths.contains("storage/compressed_transfers.cc"));
  EXPECT_TRUE(paths.contains("storage/compress.cc"));
  for (const EmittedFile& file : emit_plan(testing::spilled_residual(), "net"))
    EXPECT_EQ(file.path.find("compress"), std::string::npos) << file.path;
}

TEST(Emit, FunctionsAreCalledByTheirOperatorsAndLoops) {
  EXPECT_THAT(text_of(testing::row_span(), "net.cc"),
              HasSubstr("#else conv_2d_0_to_add_2_by_rows(arena); #endif }"));
  EXPECT_THAT(text_of(testing::row_stream(), "net.cc"),
              HasSubstr("hook.begins(0); conv_2d_0_to_deliver_t7_by_rows(arena, caller, tick); "
                        "hook.ended(0); }"));
  EXPECT_THAT(text_of(testing::channel_loop(), "net.cc"),
              HasSubstr(" conv_2d_0_to_conv_2d_2_by_channels(arena); conv_2d_2(arena); "));
}

std::string without_comments(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += line.substr(0, line.find("//")) + "\n";
  return result;
}

TEST(Emit, NamesThatAModelGivesAreInCommentsAlone) {
  testing::HandWritten hand = testing::row_span();
  const std::vector<EmittedFile> plain = emit_plan(hand, "net");
  for (Tensor& tensor : hand.graph.tensors)
    tensor.name = "*/ int row; kT3 \\\n#define arena 0\n" + tensor.name;
  const std::vector<EmittedFile> hostile = emit_plan(hand, "net");
  ASSERT_EQ(plain.size(), hostile.size());
  for (size_t k = 0; k < plain.size(); ++k) {
    if (plain[k].path != "net.cc") continue;
    EXPECT_NE(plain[k].text, hostile[k].text);
    EXPECT_EQ(without_comments(plain[k].text), without_comments(hostile[k].text));
  }
}

TEST(Emit, TensorsOfTheCallersAreParameters) {
  const testing::HandWritten hand = testing::row_span_of_user();
  const std::string signature = "void net_run(void* arena, const int8_t* input, int8_t* output);";
  EXPECT_THAT(text_of(hand, "net.h"), HasSubstr(signature));
  EXPECT_THAT(text_of(hand, "net_example.c"), HasSubstr("net_run(arena, input, output);"));
  const std::string text = text_of(hand, "net.cc");
  EXPECT_THAT(text, HasSubstr("kInputImage = 4608, kInputRow = 192, kInputPixel = 8;"));
  EXPECT_THAT(text, HasSubstr("const_cast<int8_t*>(caller.input), 0, 0, 0, {kInputImage, "
                              "kInputRow, kInputPixel, 1}}"));
  EXPECT_THAT(text, HasSubstr("kOutputImage = 2304, kOutputRow = 192, kOutputPixel = 16;"));
  EXPECT_THAT(text, HasSubstr("View{caller.output, 0, 0, 0, {kOutputImage, kOutputRow, "
                              "kOutputPixel, 1}}"));
  EXPECT_THAT(text, Not(HasSubstr("kT0")));  // nothing of them lies in the arena
}

// A step whose input is gathered from two buffers is two calls; steps of one operator are told
// apart.
TEST(Emit, BlocksAreCallsOfTheirOwn) {
  const std::string text = text_of(testing::residual_in_halves(true), "net.cc");
  EXPECT_THAT(text, HasSubstr("kT3Buffer8Image = 384, kT3Buffer8Row = 128, kT3Buffer8Pixel = 16;"));
  EXPECT_THAT(text, HasSubstr("View{arena + kT3Buffer8, 2 * kT3Buffer8Row, 0, 0, {kT3Buffer8Image, "
                              "kT3Buffer8Row, kT3Buffer8Pixel, 1}}, "
                              "kRegion0x2x0x0To1x4x8x16); // copy_t3: rows [4, 5)"));
  EXPECT_THAT(text, HasSubstr(" copy_t3(arena); depthwise_conv_2d_1(arena); copy_t3_step_4(arena); "
                              "depthwise_conv_2d_1_step_5(arena);"));
}

TEST(Emit, ACopyInPlaceHasOneAddressAndTwoOrdersOfAxes) {
  const std::string text = text_of(testing::turned_input(), "net.cc");
  EXPECT_THAT(text, HasSubstr("constexpr int32_t kT0Buffer0 = 5;"));
  EXPECT_THAT(text, HasSubstr("constexpr int32_t kT0Buffer1 = 5;"));
  EXPECT_THAT(text,
              HasSubstr("transpose_in_place_8(View{arena + kT0Buffer0, 0, 0, 0, {kT0Buffer0Image, "
                        "kT0Buffer0Row, 1, kT0Buffer0Plane}}, View{arena + kT0Buffer1, 0, 0, 0, "
                        "{kT0Buffer1Image, kT0Buffer1Row, kT0Buffer1Pixel, 1}}, "
                        "kRegion1x6x5x3);"));
}

TEST(Emit, SameInputSameBytes) {
  const auto a = emit_plan(testing::row_span(), "m"), b = emit_plan(testing::row_span(), "m");
  ASSERT_EQ(a.size(), b.size());
  for (size_t k = 0; k < a.size(); ++k) EXPECT_EQ(a[k].text, b[k].text);
}

TEST(Emit, CopiesOnlyTheKernelsInUse) {
  std::vector<std::string> kernels;
  for (const EmittedFile& file : emit_plan(testing::row_span(), "m")) {
    if (file.path.ends_with(".cc") && file.path.starts_with("thimble_runtime_"))
      kernels.push_back(without_version(file.path));
  }
  EXPECT_EQ(kernels,
            (std::vector<std::string>{"thimble_runtime_VERSION/portable/add.cc",
                                      "thimble_runtime_VERSION/portable/conv_2d.cc",
                                      "thimble_runtime_VERSION/portable/depthwise_conv_2d.cc"}));
}

// As a user would: the C example with the project's own CMake fragment, warnings as errors, and a
// driver that runs an inference in an arena of exactly the plan's bytes under the sanitizers. The
// driver, `main` in C++ or C, reads the input from stdin and writes the output to stdout.
void expect_hosts_outputs(const testing::HandWritten& hand, const std::string& driver,
                          const std::string& extension) {
  const TemporaryFolder folder;
  write_folder(folder.path() / "net", {"net", {"net", ""}, emit_plan(hand, "net")});
  std::ofstream(folder.path() / "CMakeLists.txt")
      << "cmake_minimum_required(VERSION 3.20)\nproject(user C CXX)\nadd_subdirectory(net)\n"
         "target_compile_options(net PRIVATE -Werror -fsanitize=address,undefined)\n"
         "add_executable(example net/net_example.c)\ntarget_compile_options(example PRIVATE -Wall "
         "-Wextra -Werror)\n"
         "target_link_libraries(example net)\ntarget_link_options(example PRIVATE "
         "-fsanitize=address,undefined)\n"
         "add_executable(driver driver."
      << extension
      << ")\ntarget_compile_options(driver PRIVATE -Wall -Wextra -Werror)\n"
         "target_link_libraries(driver net)\n"
         "target_link_options(driver PRIVATE -fsanitize=address,undefined)\n";
  std::ofstream(folder.path() / ("driver." + extension))
      << "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include \"net.h\"\n"
      << driver;
  const Tensor& in = hand.graph.tensor(hand.graph.inputs[0].tensor);
  const Bytes input = random_bytes(in.type, elements(in.shape), 3);
  std::ofstream(folder.path() / "input.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()),
             static_cast<std::streamsize>(input.size()));
  const std::string script =
      "cd '" + folder.path().string() +
      "' && cmake -S . -B b -G Ninja >log 2>&1 && cmake --build b >>log 2>&1 "
      "&& ./b/example >>log 2>&1; ! grep -qE 'Sanitizer|runtime error' log "
      "&& ./b/driver <input.bin >output.bin 2>>log";
  ASSERT_EQ(std::system(script.c_str()), 0) << read(folder.path() / "log");
  const Placement placement = place(hand.graph, hand.schedule, {});
  const Program program = lower(hand.graph, hand.schedule, placement);
  const std::string output = read(folder.path() / "output.bin");
  EXPECT_EQ(Bytes(output.begin(), output.end()), execute(program, {input})[0]);
}

constexpr const char* kArena =
    "static void* arena_of_its_bytes(void) {\n"
    "  void* arena = aligned_alloc(16, net_arena_bytes);\n"
    "  memset(arena, 0xA5, net_arena_bytes);\n  return arena;\n}\n";

TEST(Emit, ProjectBuildsWithItsCMakeFragmentAndGivesTheHostsOutputs) {
  expect_hosts_outputs(
      testing::row_span(),
      std::string(kArena) +
          "int main() {\n  void* arena = arena_of_its_bytes();\n"
          "  if (fread(net_input(arena), 1, net_input_bytes, stdin) != net_input_bytes) return 1;\n"
          "  net_run(arena);\n  fwrite(net_output(arena), 1, net_output_bytes, stdout);\n"
          "  free(arena);\n}\n",
      "cc");
}

TEST(Emit, TensorsOfTheCallersStayAsTheyAre) {
  expect_hosts_outputs(
      testing::row_span_of_user(),
      std::string(kArena) +
          "int main(void) {\n  void* arena = arena_of_its_bytes();\n"
          "  int8_t* input = malloc(net_input_bytes);\n"
          "  int8_t* kept = malloc(net_input_bytes);\n"
          "  int8_t* output = malloc(net_output_bytes);\n"
          "  if (fread(input, 1, net_input_bytes, stdin) != net_input_bytes) return 1;\n"
          "  memcpy(kept, input, net_input_bytes);\n"
          "  net_run(arena, input, output);\n"
          "  if (memcmp(kept, input, net_input_bytes) != 0) return 2;\n"
          "  fwrite(output, 1, net_output_bytes, stdout);\n"
          "  free(arena);\n  free(input);\n  free(kept);\n  free(output);\n}\n",
      "c");
}

// Rows that the network asks for, and the same inference with rows that come as they like: none,
// one, several at a time; the state in between is all that there is.
TEST(Emit, RowsComeAndGoInBothForms) {
  expect_hosts_outputs(testing::row_stream(), std::string(kArena) + R"(
static int32_t asked;

static void receive(void* context, int32_t row, int8_t* into) {
  if (row != asked++) exit(3);
  memcpy(into, *(int8_t**)context + row * net_input_row_elements, net_input_row_bytes);
}

static void deliver(void* context, int32_t row, const int8_t* values) {
  memcpy(((int8_t**)context)[1] + row * net_output_row_elements, values, net_output_row_bytes);
}

int main(void) {
  int8_t* rows = malloc(net_input_rows * net_input_row_bytes);
  if (fread(rows, net_input_row_bytes, net_input_rows, stdin) != net_input_rows) return 1;
  int8_t* pulled = malloc(net_output_rows * net_output_row_bytes);
  int8_t* pushed = malloc(net_output_rows * net_output_row_bytes);
  int8_t* context[2] = {rows, pulled};
  void* arena = arena_of_its_bytes();
  net_run(arena, receive, deliver, context);
  if (asked != net_input_rows) return 2;
  context[1] = pushed;
  for (int inference = 0; inference < 2; ++inference) {
    net_state state;
    net_begin(&state, deliver, context);
    memset(arena, 0x5A, net_arena_bytes);
    const int32_t counts[] = {1, 0, 2, 5, 1, 9, 5, 1};
    int32_t row = 0;
    for (int k = 0; k < 8; ++k) {
      int8_t* some = malloc(counts[k] * net_input_row_bytes + 1);  /* exactly these rows */
      memcpy(some, rows + row * net_input_row_elements, counts[k] * net_input_row_bytes);
      const bool done = net_push_rows(arena, &state, some, counts[k]);
      free(some);
      row += counts[k];
      if (done != (row == net_input_rows)) return 4;
    }
    if (!net_push_rows(arena, &state, rows, 1)) return 5;
    if (memcmp(pulled, pushed, net_output_rows * net_output_row_bytes) != 0) return 6;
  }
  fwrite(pushed, net_output_row_bytes, net_output_rows, stdout);
  free(arena); free(rows); free(pulled); free(pushed);
}
)",
                       "c");
}

TEST(Emit, SeveralMemoriesAreExactlyTheirBytes) {
  expect_hosts_outputs(testing::several_memories(), std::string(kArena) + R"(
int main(void) {
  int8_t* rows = malloc(net_input_rows * net_input_row_bytes);
  if (fread(rows, net_input_row_bytes, net_input_rows, stdin) != net_input_rows) return 1;
  void* arena = arena_of_its_bytes();
  void* sram2 = aligned_alloc(16, net_sram2_arena_bytes);
  void* psram = aligned_alloc(net_psram_arena_alignment, net_psram_arena_bytes);
  const net_memories memories = {.psram_arena = psram, .arena = arena, .sram2_arena = sram2};
  int8_t* output = malloc(net_output_bytes);
  for (int inference = 0; inference < 2; ++inference) {
    memset(sram2, 0x5A, net_sram2_arena_bytes);
    memset(psram, 0xA5, net_psram_arena_bytes);
    net_state state;
    net_begin(&state, output);
    if (!net_push_rows(&memories, &state, rows, net_input_rows)) return 2;
  }
  fwrite(output, 1, net_output_bytes, stdout);
  free(arena); free(sram2); free(psram); free(rows); free(output);
}
)",
                       "c");
}

}  // namespace
}  // namespace thimble
