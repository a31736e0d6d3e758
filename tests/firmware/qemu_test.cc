// SPDX-License-Identifier: Apache-2.0
// Models with known facts on the emulated board.
#include "thimble/toolchain/qemu.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "thimble/model/error.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kSeconds = 60;

struct TinyModel {
  std::string function;
  int arena_bytes = 1000, input_bytes = 0, output_at = 0, output_bytes = 0;
  bool outside = false;  ///< input and output lie outside of the arena: function(input, output)
};

const std::filesystem::path models_folder() {
  return std::filesystem::path(THIMBLE_SOURCE_DIR) / "tests" / "firmware" / "models";
}

std::string table_source(const std::vector<TinyModel>& models) {
  std::string arrays, entries;
  for (const TinyModel& m : models) {
    const std::string input_at = m.outside ? "THIMBLE_OUTSIDE" : "0";
    const std::string output_at = m.outside ? "THIMBLE_OUTSIDE" : fmt::format("{}", m.output_at);
    arrays += fmt::format("constexpr size_t {0}_facts[] = {{{1}, {2}, {3}, {4}}};\n", m.function,
                          m.input_bytes, input_at, m.output_bytes, output_at);
    entries += fmt::format(
        "{{\"{0} model\", {1}, 16, 1, &{0}_facts[0], &{0}_facts[1], 1, &{0}_facts[2], "
        "&{0}_facts[3], [](void*{2}, void* const*{3}) {{ {0}({4}); }}, nullptr}},\n",
        m.function, m.arena_bytes, m.outside ? "" : " arena", m.outside ? " outside" : "",
        m.outside ? "outside[0], outside[1]" : "arena");
  }
  return fmt::format(
      "#include \"harness.h\"\n#include \"tiny_models.h\"\n{}\n"
      "extern \"C\" const thimble_model thimble_models[] = {{\n{}}};\n"
      "extern \"C\" const size_t thimble_model_count = {};\n",
      arrays, entries, models.size());
}

CrossBuild tiny_build(const std::vector<TinyModel>& models, const std::filesystem::path& folder,
                      const std::string& core = "cortex-m4", int64_t ram_bytes = 0) {
  std::ofstream(folder / "table.cc") << table_source(models);
  return {.sources = {models_folder() / "tiny_models.cc"},
          .weight_sources = {models_folder() / "tiny_weights.cc"},
          .table_sources = {folder / "table.cc"},
          .include_folders = {models_folder()},
          .core = core,
          .ram_bytes = ram_bytes};
}

// Runs the models once, each on bytes 0, 1, 2, ...
std::vector<EmulatedRun> run(const std::vector<TinyModel>& models,
                             const std::string& core = "cortex-m4") {
  const TemporaryFolder folder;
  InputSet inputs;
  for (const TinyModel& m : models) {
    Bytes input(static_cast<size_t>(m.input_bytes));
    for (size_t i = 0; i < input.size(); ++i) input[i] = static_cast<uint8_t>(i);
    inputs.push_back({input});
  }
  return run_on_qemu(tiny_build(models, folder.path(), core), {inputs},
                     {.timeout_seconds = kSeconds})
      .sets.at(0);
}

TEST(Qemu, RunsAModel) {
  const auto runs =
      run({{.function = "add_one", .input_bytes = 500, .output_at = 500, .output_bytes = 500}});
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].name, "add_one model");
  EXPECT_TRUE(runs[0].guards_intact());
  ASSERT_THAT(runs[0].outputs, ElementsAre(SizeIs(500)));
  for (size_t i = 0; i < 500; ++i) {
    ASSERT_EQ(runs[0].outputs[0][i], static_cast<uint8_t>(i + 1)) << i;
  }
}

TEST(Qemu, RunsSeveralModelsOnSeveralInputs) {
  const TemporaryFolder folder;
  const CrossBuild build = tiny_build(
      {{.function = "add_one", .input_bytes = 500, .output_at = 500, .output_bytes = 500},
       {.function = "add_weights",
        .arena_bytes = 200,
        .input_bytes = 100,
        .output_at = 100,
        .output_bytes = 100}},
      folder.path());
  const InputSet fives = {{Bytes(500, 5)}, {Bytes(100, 5)}};
  const InputSet sevens = {{Bytes(500, 7)}, {Bytes(100, 7)}};
  const Measured measured = run_on_qemu(build, {fives, sevens});
  ASSERT_THAT(measured.sets, ElementsAre(SizeIs(2), SizeIs(2)));
  EXPECT_THAT(measured.sets[0][0].outputs[0], Each(6));
  EXPECT_THAT(measured.sets[0][1].outputs[0], Each(8));
  EXPECT_THAT(measured.sets[1][0].outputs[0], Each(8));
  EXPECT_THAT(measured.sets[1][1].outputs[0], Each(10));
}

TEST(Qemu, ReportsAWriteBesideTheArena) {
  const auto runs = run({{.function = "write_after"}, {.function = "write_before"}});
  EXPECT_EQ(runs[0].guards, "after");
  EXPECT_EQ(runs[1].guards, "before");
  EXPECT_FALSE(runs[0].guards_intact());
}

TEST(Qemu, HandsOverWhatLiesOutsideOfTheArena) {
  const TinyModel model{
      .function = "add_two", .input_bytes = 300, .output_bytes = 300, .outside = true};
  const auto runs = run({model});
  EXPECT_TRUE(runs[0].guards_intact());
  EXPECT_TRUE(runs[0].inputs_intact);
  for (size_t i = 0; i < 300; ++i) {
    ASSERT_EQ(runs[0].outputs[0][i], static_cast<uint8_t>(i + 2)) << i;
  }
}

TEST(Qemu, ReportsAnInputThatIsChangedAndAWriteBehindAnOutput) {
  const auto runs =
      run({{.function = "change_input", .input_bytes = 9, .outside = true},
           {.function = "add_two", .input_bytes = 300, .output_bytes = 299, .outside = true}});
  EXPECT_FALSE(runs[0].inputs_intact);
  EXPECT_TRUE(runs[1].inputs_intact);
  EXPECT_EQ(runs[1].guards, "after");
}

TEST(Qemu, PoisonsTheArena) {
  const auto runs = run({{.function = "use_stack", .output_at = 10, .output_bytes = 900}});
  EXPECT_THAT(runs[0].outputs[0], Each(0xA5));
}

// Every board: instructions of a loop of known length, arena and guards, in its memory.
struct CoreOnBoard {
  std::string core, machine;
  int64_t ram_bytes = 2000;
};
void PrintTo(const CoreOnBoard& c, std::ostream* out) { *out << c.core << " on " << c.machine; }

class QemuBoards : public ::testing::TestWithParam<CoreOnBoard> {};

TEST_P(QemuBoards, CountInstructionsAndKeepModelsApart) {
  const TemporaryFolder folder;
  const std::vector<TinyModel> models = {
      {.function = "count_down"},
      {.function = "add_one", .input_bytes = 500, .output_at = 500, .output_bytes = 500},
      {.function = "add_two", .input_bytes = 300, .output_bytes = 300, .outside = true},
      {.function = "write_after"},
      {.function = "use_stack"}};
  const InputSet inputs = {{Bytes{}}, {Bytes(500, 1)}, {Bytes(300, 1)}, {Bytes{}}, {Bytes{}}};
  const Measured measured =
      run_on_qemu(tiny_build(models, folder.path(), GetParam().core, GetParam().ram_bytes),
                  {inputs}, {.timeout_seconds = kSeconds});
  EXPECT_EQ(measured.machine, GetParam().machine);
  const std::vector<EmulatedRun>& runs = measured.sets.at(0);
  // Armv6-M calls what others jump to: the table's function pushes two registers.
  const bool armv6 = GetParam().core.starts_with("cortex-m0");
  EXPECT_NEAR(static_cast<double>(runs[0].instructions), 100000002.0 + (armv6 ? 3 : 0), 4.0);
  EXPECT_EQ(runs[0].stack_bytes, armv6 ? 8 : 0);
  EXPECT_THAT(runs[1].outputs[0], Each(2));
  EXPECT_TRUE(runs[1].guards_intact());
  EXPECT_THAT(runs[2].outputs[0], Each(3));
  EXPECT_EQ(runs[3].guards, "after");
  EXPECT_EQ(runs[4].stack_bytes, armv6 ? 216 : 208);
}

INSTANTIATE_TEST_SUITE_P(All, QemuBoards,
                         ::testing::Values(CoreOnBoard{"cortex-m0", "microbit"},
                                           CoreOnBoard{"cortex-m0", "mps2-an385", 100'000},
                                           CoreOnBoard{"cortex-m0plus", "microbit"},
                                           CoreOnBoard{"cortex-m3", "mps2-an385"},
                                           CoreOnBoard{"cortex-m4", "mps2-an386"},
                                           CoreOnBoard{"cortex-m7", "mps2-an500"},
                                           CoreOnBoard{"cortex-m33", "mps2-an505"},
                                           CoreOnBoard{"cortex-m55", "mps3-an547"},
                                           CoreOnBoard{"cortex-m85", "mps3-an547"},
                                           CoreOnBoard{"rv32imc", "virt"}),
                         [](const auto& board) {
                           std::string name = board.param.core + "_on_" + board.param.machine;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Qemu, MeasuresStack) {
  const auto runs = run({{.function = "use_stack"}, {.function = "count_down"}});
  EXPECT_EQ(runs[0].stack_bytes, 208);
  EXPECT_EQ(runs[1].stack_bytes, 0);
}

TEST(Qemu, UsesPsramForArenasThatSramCannotHold) {
  const auto runs = run({{.function = "add_one",
                          .arena_bytes = 6000000,
                          .input_bytes = 500,
                          .output_at = 5999000,
                          .output_bytes = 1000}});
  EXPECT_TRUE(runs[0].guards_intact());
  EXPECT_THAT(runs[0].outputs[0], Each(0xA5));
}

TEST(Qemu, ReadsWeightsThatCodeMemoryCannotHold) {
  const TemporaryFolder folder;
  CrossBuild build = tiny_build(
      {{.function = "add_last_huge_weight", .input_bytes = 1, .output_bytes = 1}}, folder.path());
  build.weight_sources.push_back(models_folder() / "huge_weights.cc");
  const Measured measured = run_on_qemu(build, {{{Bytes{10}}}}, {.timeout_seconds = kSeconds});
  EXPECT_EQ(measured.size.weight_bytes, 5000000);
  EXPECT_EQ(measured.sets[0][0].outputs[0], Bytes{17});
}

std::string failure_of(const std::vector<TinyModel>& models,
                       const std::string& core = "cortex-m4") {
  try {
    run(models, core);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no failure";
}

TEST(Qemu, ReportsAFault) {
  EXPECT_THAT(failure_of({{.function = "add_one"}, {.function = "fault"}}),
              HasSubstr("fault model=0x1 pc="));
  EXPECT_THAT(failure_of({{.function = "unaligned"}}, "cortex-m0"), HasSubstr("fault model=0x0"));
  EXPECT_THAT(failure_of({{.function = "fault"}}, "rv32imc"), HasSubstr("fault model=0x0 pc="));
}

TEST(Qemu, ReportsAStackOverflow) {
  EXPECT_THAT(failure_of({{.function = "overflow_stack"}}),
              HasSubstr("stack overflow in overflow_stack model"));
  EXPECT_THAT(failure_of({{.function = "overflow_stack"}}, "rv32imc"),
              HasSubstr("stack overflow in overflow_stack model"));
}

TEST(Qemu, RejectsAnArenaThatNoMemoryHolds) {
  EXPECT_THAT(failure_of({{.function = "add_one", .arena_bytes = 17 << 20}}),
              HasSubstr("no memory for the arena of add_one model"));
}

TEST(Qemu, RejectsInputsOfTheWrongSize) {
  const TemporaryFolder folder;
  const CrossBuild build = tiny_build({{.function = "add_one", .input_bytes = 500}}, folder.path());
  EXPECT_THROW((void)run_on_qemu(build, {{{Bytes(499)}}}), InternalError);
}

TEST(Qemu, StopsWhenTheTimeIsOver) {
  const TemporaryFolder folder;
  const CrossBuild build = tiny_build({{.function = "count_down"}}, folder.path());
  EXPECT_THROW((void)run_on_qemu(build, {{{Bytes{}}}}, {.timeout_seconds = 0.001}), CompileError);
}

}  // namespace
}  // namespace thimble
