// SPDX-License-Identifier: Apache-2.0
// Code that is traced, on the host under sanitizers: its log says what the reference computes,
// whatever the plan does, and a change of any checksum is found where it was made.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <sstream>

#include "tests/support/hand_written.h"
#include "tests/support/test_graph.h"
#include "thimble/driver/board_profile.h"
#include "thimble/driver/diagnosis.h"
#include "thimble/driver/driver.h"
#include "thimble/model/error.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBegin = R"(#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "net.h"
__attribute__((unused)) static void print(const char* line) { printf("12:00 > %s\r\n", line); }
__attribute__((unused)) static void fill(void* to, size_t bytes) {
  for (size_t k = 0; k < bytes; ++k) ((uint8_t*)to)[k] = (uint8_t)rand();
}
)";
constexpr const char* kArena =
    "  void* arena = aligned_alloc(64, (net_arena_bytes + 63) / 64 * 64);\n"
    "  memset(arena, 0xA5, net_arena_bytes);\n";

// Two inferences of a network with one input in the arena.
constexpr const char* kResident = R"(
  for (int n = 0; n < 2; ++n) {
    fill(net_input(arena), net_input_bytes);
    net_run(arena);
    puts("a line of somebody else's");
  }
)";

std::string program_of(const std::string& body, const std::string& before = "") {
  return kBegin + before + "int main(void) {\n" + kArena + "  net_trace(print);\n" + body +
         "  free(arena);\n}\n";
}

Compiled compiled(const testing::HandWritten& hand) {
  const Source source{hand.graph, "net", std::string(64, 'a')};
  const PlacedPlan plan{.planner = "by hand",
                        .schedule = hand.schedule,
                        .placement = place(hand.graph, hand.schedule, {}),
                        .accumulators = hand.graph.accumulators};
  return described(check_plan(source, {.rewrite = false}, plan, "net"));
}

Compiled compiled(const std::string& model, const std::string& planner = "") {
  return std::get<Compiled>(compile({.model = model, .planner = planner}));
}

// What the program writes.
std::string output_of(const Compiled& compiled, const std::string& program, bool trace = true) {
  const TemporaryFolder folder;
  write_folder(folder.path() / "net",
               {"net",
                {"net", compiled.sha256},
                emitted_files(compiled, {.name = "net", .command = "a test", .trace = trace})});
  std::ofstream(folder.path() / "main.c") << program;
  const ProcessResult result = run_process(
      {.arguments = {"sh", "-c",
                     "gcc -std=gnu11 -O0 -Wall -Wextra -Werror -DTHIMBLE_HOOKS -Inet -c main.c && "
                     "g++ -std=c++17 -O0 -ffp-contract=off -Wall -Wextra -Werror -DTHIMBLE_HOOKS "
                     "-fsanitize=address,undefined -Inet main.o $(find net -name '*.cc' | sort) -o "
                     "program && ./program"},
       .working_folder = folder.path()});
  EXPECT_TRUE(result.succeeded()) << result.err;
  return result.out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line + "\n");
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  return std::accumulate(lines.begin(), lines.end(), std::string());
}

/// The log of two inferences of zoo:demo.
const std::string& demo_output() {
  static const std::string text = output_of(compiled("zoo:demo"), program_of(kResident));
  return text;
}

Diagnosis diagnosis_of(const Compiled& compiled, const BoardLog& log,
                       const std::vector<std::vector<Bytes>>& inputs = {}) {
  std::vector<Bytes> outputs;
  return diagnose(compiled, whole_inferences(compiled, log, "board.log"), inputs, outputs);
}

void expect_right_log(const Compiled& compiled, const std::string& text, int inferences) {
  const BoardLog log = read_board_log(text, "board.log");
  EXPECT_EQ(log.traces.size(), static_cast<size_t>(inferences));
  EXPECT_TRUE(log.damaged.empty());
  const Diagnosis found = diagnosis_of(compiled, log);
  EXPECT_EQ(found.finding, Finding::kNothing) << found.function << " " << found.detail;
  size_t stages_that_write = 0;
  for (const auto& [at, sum] : log.traces.at(0).wrote) stages_that_write += at.second == 0 ? 1 : 0;
  EXPECT_GT(stages_that_write, 0U);
  EXPECT_GT(found.compared, stages_that_write);
}

void expect_right(const Compiled& compiled, const std::string& program, int inferences) {
  expect_right_log(compiled, output_of(compiled, program), inferences);
}

TEST(TraceLog, RowsOfTheTableAndLoopsAreTheReferences) {
  expect_right_log(compiled("zoo:demo"), demo_output(), 2);
}

TEST(TraceLog, SumsOfNarrowAccumulatorsAreTheReferences) {
  expect_right(compiled(testing::channel_loop(DType::kInt16)), program_of(kResident), 2);
}

TEST(TraceLog, PatchesThatAreComputedAgainCountEachTime) {
  const Compiled patches = compiled("zoo:demo", "patch");
  ASSERT_GT(patches.cost.recomputed_macs, 0);
  expect_right(patches, program_of(kResident), 2);
}

TEST(TraceLog, BlocksAreTheReferences) {
  expect_right(compiled(testing::residual_in_halves(true)), program_of(kResident), 2);
}

TEST(TraceLog, TurnedInputsAreTheReferences) {
  expect_right(compiled(testing::turned_input()), program_of(kResident), 2);
}

TEST(TraceLog, ANetworkThatComputesNothingHasNoStage) {
  testing::TestGraph g(1);
  g.output(g.reshape(g.input({1, 4, 4, 2}), {1, 32}));
  const Source source{g.graph(), "net", std::string(64, 'a')};
  const Compiled nothing = std::get<Compiled>(compile({.model = source}));
  const BoardLog log = read_board_log(output_of(nothing, program_of(kResident)), "board.log");
  EXPECT_EQ(log.traces.at(0).origin.stages, 0);
  EXPECT_EQ(diagnosis_of(nothing, log).finding, Finding::kNothing);
}

TEST(TraceLog, TensorsOfTheCallersAreToldOf) {
  expect_right(compiled(testing::row_span_of_user()), program_of(R"(
  static int8_t input[net_input_bytes], output[net_output_bytes];
  fill(input, sizeof(input));
  net_run(arena, input, output);
)"),
               1);
}

TEST(TraceLog, RowsThatAreAskedForAndRowsThatArePushedAreToldOf) {
  expect_right(compiled(testing::row_stream()),
               program_of(R"(
  net_run(arena, receive, deliver, 0);
  net_state state;
  net_begin(&state, deliver, 0);
  static int8_t rows[net_input_rows * net_input_row_elements];
  fill(rows, sizeof(rows));
  for (int row = 0; row < net_input_rows; ++row)
    net_push_rows(arena, &state, rows + row * net_input_row_elements, 1);
)",
                          R"(
static void receive(void* context, int32_t row, int8_t* into) {
  (void)context, (void)row;
  fill(into, net_input_row_bytes);
}
static void deliver(void* context, int32_t row, const int8_t* values) {
  (void)context, (void)row, (void)values;
}
)"),
               2);
}

TEST(TraceLog, SeveralMemoriesAreToldOf) {
  expect_right(compiled(testing::several_memories()), program_of(R"(
  const net_memories memories = {.arena = arena,
                                 .sram2_arena = aligned_alloc(16, net_sram2_arena_bytes),
                                 .psram_arena = aligned_alloc(64, net_psram_arena_bytes)};
  static int8_t rows[net_input_rows * net_input_row_elements], output[net_output_bytes];
  fill(rows, sizeof(rows));
  net_state state;
  net_begin(&state, output);
  net_push_rows(&memories, &state, rows, net_input_rows);
  free(memories.sram2_arena);
  free(memories.psram_arena);
)"),
               1);
}

// One that is in memory when an operation begins: nothing overlaps.
constexpr const char* kStorage = R"(
static uint8_t stored[1 << 16];
static int read_bytes(void* c, uint32_t token, uint32_t at, void* bytes, uint32_t size) {
  (void)c, (void)token;
  memcpy(bytes, stored + at, size);
  return 0;
}
static int write_bytes(void* c, uint32_t token, uint32_t at, const void* bytes, uint32_t size) {
  (void)c, (void)token;
  memcpy(stored + at, bytes, size);
  return 0;
}
static int erase_bytes(void* c, uint32_t token, uint32_t at, uint32_t size) {
  (void)c, (void)token;
  memset(stored + at, 0xff, size);
  return 0;
}
static int wait_for(void* c, uint32_t token) {
  (void)c, (void)token;
  return 0;
}
static const thimble_storage storage = {0, read_bytes, write_bytes, erase_bytes, wait_for, 0};
)";

TEST(TraceLog, WhatIsSpilledAndFetchedIsTheReferences) {
  expect_right(compiled(testing::spilled_residual()),
               program_of(R"(
  fill(net_input(arena), net_input_bytes);
  if (net_run(arena, &storage) != THIMBLE_STORAGE_OK) return 1;
)",
                          kStorage),
               1);
}

TEST(TraceLog, VariablesGoOnFromInferenceToInference) {
  const Compiled decoder = compiled(
      "zoo:decoder:layers=1,width=32,heads=2,kv_heads=1,hidden=48,context=8,vocabulary=64");
  ASSERT_FALSE(decoder.program.states.empty());
  const std::string ports = R"(
    net_run(arena);
)";
  const std::string text = output_of(
      decoder,
      program_of("  net_reset(arena);\n  for (int n = 0; n < 3; ++n) {\n" + ports + "  }\n"));
  BoardLog log = read_board_log(text, "board.log");
  EXPECT_EQ(diagnosis_of(decoder, log).finding, Finding::kNothing);
  log.traces.at(2).states.begin()->second.at(0) ^= 1;
  const Diagnosis found = diagnosis_of(decoder, log);
  EXPECT_EQ(found.finding, Finding::kState);
  EXPECT_EQ(found.inference, 3);
  // Behind one that is lost nothing is known of them.
  std::vector<std::string> lines = lines_of(text);
  const auto first =
      std::ranges::find_if(lines, [](auto& line) { return line.find(" trace ") < line.size(); });
  const auto second = std::find_if(first + 1, lines.end(),
                                   [](auto& line) { return line.find(" trace ") < line.size(); });
  lines.erase(second);
  log = read_board_log(joined(lines), "board.log");
  EXPECT_EQ(whole_inferences(decoder, log, "board.log").size(), 2U);
  EXPECT_EQ(diagnosis_of(decoder, log).finding, Finding::kNothing);
}

TEST(TraceLog, EachChecksumThatDiffersIsFoundInItsStage) {
  const Compiled demo = compiled("zoo:demo");
  const BoardLog log = read_board_log(demo_output(), "board.log");
  for (const auto& [at, sum] : log.traces.at(1).wrote) {
    BoardLog other = log;
    other.traces[1].wrote[at] ^= 1;
    const Diagnosis found = diagnosis_of(demo, other);
    EXPECT_EQ(found.finding, Finding::kComputed);
    EXPECT_EQ(found.inference, 2);
    EXPECT_EQ(found.stage, static_cast<int>(at.first));
  }
  for (const auto& [at, sum] : log.traces.at(0).read) {
    BoardLog other = log;
    other.traces[0].read[at] ^= 1;
    const Diagnosis found = diagnosis_of(demo, other);
    EXPECT_EQ(found.finding, Finding::kChanged);
    EXPECT_EQ(found.stage, static_cast<int>(at.first));
    EXPECT_EQ(found.written_by.empty(), at.first == 0);
  }
  for (const auto& [number, sum] : log.traces.at(0).constants) {
    BoardLog other = log;
    other.traces[0].constants[number] ^= 1;
    const Diagnosis found = diagnosis_of(demo, other);
    EXPECT_EQ(found.finding, Finding::kConstant);
    EXPECT_EQ(found.tensor, demo.program.constants[number].name);
  }
}

TEST(TraceLog, InputsAreWhatTheyShouldBeInTurnOrAllTheSame) {
  const Compiled demo = compiled("zoo:demo");
  const BoardLog log = read_board_log(demo_output(), "board.log");
  const std::vector<Bytes> first = traced_inputs(demo, log.traces.at(0)),
                           second = traced_inputs(demo, log.traces.at(1));
  ASSERT_NE(first, second);
  const auto told = [&](const std::vector<std::vector<Bytes>>& inputs) {
    const Diagnosis found = diagnosis_of(demo, log, inputs);
    EXPECT_EQ(found.finding == Finding::kInput, found.finding != Finding::kNothing);
    return found.finding == Finding::kInput ? found.inference : 0;
  };
  EXPECT_EQ(told({first, second}), 0);
  EXPECT_EQ(told({first, second, first}), 0);
  EXPECT_EQ(told({first, first}), 2);
  EXPECT_EQ(told({second, second}), 1);
  EXPECT_EQ(told({first}), 2);
}

TEST(TraceLog, DamagedLinesMakeAnInferenceIncomplete) {
  const Compiled demo = compiled("zoo:demo");
  std::string text = demo_output();
  const size_t line = text.find(" wrote 5 0 ");
  ASSERT_NE(line, std::string::npos);
  text[line + 12] = text[line + 12] == '0' ? '1' : '0';
  const BoardLog log = read_board_log(text, "board.log");
  EXPECT_EQ(log.damaged.size(), 1U);
  EXPECT_EQ(whole_inferences(demo, log, "board.log").size(), 1U);
  EXPECT_EQ(diagnosis_of(demo, log).finding, Finding::kNothing);
}

// Whichever it is: of a small input the only line, the one that began it, one of many constants.
TEST(TraceLog, ALineThatIsLostMakesItsInferenceIncompleteAndNoOther) {
  const Compiled demo = compiled("zoo:demo");
  const std::vector<std::string> lines = lines_of(demo_output());
  const size_t end = static_cast<size_t>(
      std::ranges::find_if(lines, [](auto& line) { return line.find(" end #") < line.size(); }) -
      lines.begin());
  for (size_t lost = 0; lost <= end; ++lost) {
    std::vector<std::string> others = lines;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(lost));
    const BoardLog log = read_board_log(joined(others), "board.log");
    ASSERT_EQ(whole_inferences(demo, log, "board.log").size(), 1U) << lines[lost];
  }
}

TEST(TraceLog, AnInputOfOneLineThatIsLostIsNoInputOfZeros) {
  testing::TestGraph g(1);
  g.output(g.logistic(g.input({1, 4, 4, 2})));
  const Compiled small =
      std::get<Compiled>(compile({.model = Source{g.graph(), "net", std::string(64, 'a')}}));
  std::vector<std::string> lines = lines_of(output_of(small, program_of(kResident)));
  const auto input = [](auto& line) { return line.find(" input 0 ") < line.size(); };
  lines.erase(std::ranges::find_if(lines, input));
  const BoardLog log = read_board_log(joined(lines), "board.log");
  EXPECT_EQ(whole_inferences(small, log, "board.log").size(), 1U);
}

TEST(TraceLog, WhatStandsBehindALineAndABrokenOneBeforeItAreNoneOfIts) {
  const Compiled demo = compiled("zoo:demo");
  std::string text;
  for (std::string line : lines_of(demo_output())) {
    if (line.find("thimble") == std::string::npos) continue;
    line.resize(line.find_last_not_of("\r\n") + 1);
    text += "thimble writes: thimble 0123 wro" + line + " [rssi #3, thimble 1]\r\n";
  }
  const BoardLog log = read_board_log(text, "board.log");
  EXPECT_TRUE(log.damaged.empty());
  EXPECT_EQ(whole_inferences(demo, log, "board.log").size(), 2U);
}

TEST(TraceLog, RefusesLogsWithoutAnInferenceOfThisPlan) {
  const Compiled demo = compiled("zoo:demo");
  const auto why = [&](const std::string& text) -> std::string {
    try {
      return fmt::format(
          "{}", whole_inferences(demo, read_board_log(text, "board.log"), "board.log").size());
    } catch (const CompileError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(why("hello\nthimble is mentioned\n"), HasSubstr("has no trace"));
  const std::string text = output_of(compiled("zoo:demo", "patch"), program_of(kResident));
  EXPECT_THAT(why(text), HasSubstr("of another plan"));
  const std::string own = demo_output();
  EXPECT_THAT(why(own.substr(0, own.find(" wrote 3 "))), HasSubstr("ends early"));
  EXPECT_THAT(why("thimble 0123 trace 1 2 3 #" + fmt::format("{:02x}", 0x8f)),
              HasSubstr("board.log"));
}

// Stage by stage it is the same inference; the hook sees each begin and end, in order.
TEST(TraceLog, StepsAreTheInferenceAndTheHookSeesThem) {
  const std::string text = output_of(compiled("zoo:demo"), kBegin + std::string(R"(
static int events;
static void hook(void* context, int32_t stage, bool begins) {
  (void)context;
  const int wanted = events == 0 ? -1 : events == 2 * net_stages + 1 ? -1 : (events - 1) / 2;
  if (stage != wanted || begins != (events == 0 || events % 2 == 1) || events > 2 * net_stages + 1)
    if (!(events == 2 * net_stages + 1 && stage == -1 && !begins)) exit(2);
  ++events;
}
int main(void) {
)") + kArena + R"(
  static int8_t input[net_input_bytes], output[net_output_bytes];
  fill(input, sizeof(input));
  memcpy(net_input(arena), input, sizeof(input));
  net_set_hook(hook, 0);
  net_run(arena);
  if (events != 2 * net_stages + 2) return 3;
  memcpy(output, net_output(arena), sizeof(output));
  memset(arena, 0x5A, net_arena_bytes);
  memcpy(net_input(arena), input, sizeof(input));
  for (int32_t stage = 0; stage < net_stages; ++stage) net_step(arena, stage);
  if (memcmp(net_output(arena), output, sizeof(output)) != 0) return 4;
  if (strcmp(net_stage_name(net_stages - 1), "softmax_17") != 0) return 5;
  if (strcmp(net_stage_name(-1), "") != 0 || strcmp(net_stage_name(net_stages), "") != 0) return 6;
  puts("the same");
  free(arena);
}
)",
                                     false);
  EXPECT_EQ(text, "the same\n");
}

TEST(TraceLog, ProfilesSumUpToTheInference) {
  const Compiled demo = compiled("zoo:demo");
  const std::string text = output_of(demo, kBegin + std::string(R"(
static uint32_t count;
static uint32_t cycles(void) { return count += 0x10000000; }  /* wraps */
int main(void) {
)") + kArena + R"(
  if (!net_profile(cycles)) return 1;
  for (int n = 0; n < 3; ++n) net_run(arena);
  net_print_profile(print);
  free(arena);
}
)",
                                     false);
  const BoardLog log = read_board_log(text, "board.log");
  const ProfileReport report = board_profile(demo, log, "board.log");
  EXPECT_EQ(report.inferences, 3);
  ASSERT_GT(report.stages.size(), 5U);
  for (const MeasuredStage& stage : report.stages) {
    EXPECT_EQ(stage.cycles, 0x10000000);
    EXPECT_FALSE(stage.layers.empty());
  }
  EXPECT_EQ(report.whole_cycles,
            0x10000000 * (2.0 * static_cast<double>(report.stages.size()) + 1));
  const std::vector<std::string> lines = lines_of(text);
  for (size_t lost = 0; lost < lines.size(); ++lost) {
    std::vector<std::string> others = lines;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(lost));
    const BoardLog part = read_board_log(joined(others), "board.log");
    EXPECT_THROW(board_profile(demo, part, "board.log"), CompileError) << lines[lost];
  }
}

TEST(TraceLog, ACounterThatStoodStillIsNoProfile) {
  const Compiled demo = compiled("zoo:demo");
  const std::string text = output_of(demo, kBegin + std::string(R"(
static uint32_t stands(void) { return 7; }
int main(void) {
)") + kArena + R"(
  net_profile(stands);
  net_run(arena);
  net_print_profile(print);
  free(arena);
}
)",
                                     false);
  EXPECT_THAT([&] { (void)board_profile(demo, read_board_log(text, "board.log"), "board.log"); },
              ::testing::ThrowsMessage<CompileError>(::testing::HasSubstr("stood still")));
}

}  // namespace
}  // namespace thimble
