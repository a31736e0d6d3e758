// SPDX-License-Identifier: Apache-2.0
// Sizes of a cross-compiled firmware.
#include "thimble/toolchain/cross_build.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>

#include "thimble/model/error.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTable = R"(
#include "harness.h"
extern void run(void*);
extern "C" const thimble_model thimble_models[] = {
    {"m", 16, 4, 0, nullptr, nullptr, 0, nullptr, nullptr,
     [](void* arena, void* const*) { run(arena); }, nullptr}};
extern "C" const size_t thimble_model_count = 1;
)";

class CrossBuilt : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  FirmwareSize measure(const std::string& code, const std::string& weights = "") const {
    return firmware(code, weights).size;
  }
  Firmware firmware(const std::string& code, const std::string& weights = "",
                    const std::string& core = "cortex-m4", int64_t ram_bytes = 16) const {
    return build_firmware(build(code, weights, core, ram_bytes), folder_.path());
  }
  CrossBuild build(const std::string& code, const std::string& weights, const std::string& core,
                   int64_t ram_bytes = 16) const {
    return {.sources = {write("code.cc", code)},
            .weight_sources = {write("weights.cc", weights)},
            .table_sources = {write("table.cc", kTable)},
            .include_folders = {},
            .core = core,
            .ram_bytes = ram_bytes};
  }
  TemporaryFolder folder_;
};

TEST_F(CrossBuilt, CountsWhatIsKept) {
  // A return, padded to a word; the function that nothing calls is dropped.
  const FirmwareSize size = measure(
      "void run(void*); void run(void*) {}\n"
      "int unused(int x); int unused(int x) { return x * 3; }\n");
  EXPECT_EQ(size, (FirmwareSize{.code_bytes = 4, .weight_bytes = 0, .static_ram_bytes = 0}));
}

TEST_F(CrossBuilt, TellsWeightsFromCode) {
  const FirmwareSize size = measure(
      "extern const signed char weights[640]; void run(void*);\n"
      "void run(void* arena) { *static_cast<signed char*>(arena) = weights[3]; }\n",
      "extern const signed char weights[640]; const signed char weights[640] = "
      "{1};\n");
  EXPECT_EQ(size.weight_bytes, 640);
  EXPECT_GT(size.code_bytes, 4);
  EXPECT_LT(size.code_bytes, 20);
}

TEST_F(CrossBuilt, CountsLibrariesThatTheModelPullsIn) {
  const FirmwareSize size = measure(
      "void run(void*); void run(void* arena) {\n"
      "  auto* x = static_cast<volatile long long*>(arena); x[0] = x[0] / x[1]; }\n");
  EXPECT_GT(size.code_bytes, 100);
}

TEST_F(CrossBuilt, FindsStaticRam) {
  const FirmwareSize size = measure(
      "void run(void*); static volatile int zero[5]; static volatile int one = 1;\n"
      "void run(void*) { zero[one] = zero[0]; }\n");
  EXPECT_EQ(size.static_ram_bytes, 24);
}

TEST_F(CrossBuilt, PutsLargeWeightsIntoPsram) {
  const FirmwareSize size = measure(
      "extern const signed char weights[5000000]; void run(void*);\n"
      "void run(void* arena) { *static_cast<signed char*>(arena) = weights[3]; }\n",
      "extern const signed char weights[5000000];\n"
      "const signed char weights[5000000] = {1};\n");
  EXPECT_EQ(size.weight_bytes, 5000000);
}

TEST_F(CrossBuilt, RejectsMoreWeightsThanTheBoardHolds) {
  EXPECT_THROW(
      (void)measure("extern const signed char weights[20000000]; void run(void*);\n"
                    "void run(void* arena) { *static_cast<signed char*>(arena) = weights[3]; }\n",
                    "extern const signed char weights[20000000];\n"
                    "const signed char weights[20000000] = {1};\n"),
      CompileError);
}

TEST_F(CrossBuilt, RejectsGlobalConstructors) {
  EXPECT_THROW((void)measure("void run(void*); int f(); static int x = f(); int f() { return "
                             "*reinterpret_cast<volatile int*>(0x20000000); }\n"
                             "void run(void* arena) { *static_cast<int*>(arena) = x; }\n"),
               InternalError);
}

TEST_F(CrossBuilt, ShowsTheCompilersMessage) {
  try {
    (void)measure("void run(void*) { unknown(); }\n");
    FAIL() << "compiled";
  } catch (const InternalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'unknown' was not declared"));
  }
}

constexpr const char* kReturn = "void run(void*); void run(void*) {}\n";

std::string message_of(const std::function<void()>& fails) {
  try {
    fails();
  } catch (const CompileError& error) {
    return error.what();
  }
  return "no failure";
}

TEST_F(CrossBuilt, RejectsCoresThatAreNotEmulated) {
  EXPECT_EQ(message_of([&] { (void)firmware(kReturn, "", "cortex-m23"); }),
            "core 'cortex-m23': cannot be emulated; there are cortex-m0, cortex-m0plus, cortex-m3, "
            "cortex-m4, cortex-m7, cortex-m33, cortex-m55, cortex-m85, rv32imc, rv32imac");
}

TEST_F(CrossBuilt, TakesTheSmallBoardWhereAllFits) {
  constexpr const char* kWeigh =
      "extern const signed char weights[]; void run(void*);\n"
      "void run(void* arena) { *static_cast<signed char*>(arena) = weights[3]; }\n";
  const auto machine = [&](int weight_bytes, int64_t ram_bytes) {
    const std::string weights = fmt::format(
        "extern const signed char weights[{0}]; const signed char weights[{0}] = {{1}};\n",
        weight_bytes);
    return firmware(kWeigh, weights, "cortex-m0", ram_bytes).board.machine;
  };
  EXPECT_EQ(machine(200'000, 13'000), "microbit");
  EXPECT_EQ(machine(200'000, 14'000), "mps2-an385") << "RAM";
  EXPECT_EQ(machine(260'000, 13'000), "mps2-an385") << "flash";
  EXPECT_EQ(machine(5'000'000, 13'000), "mps2-an385") << "code memory";
}

// Harness and start-up code call nothing in libraries: what comes from there is the models'.
TEST_F(CrossBuilt, CountsNothingOfTheFirmwareOnAnyCore) {
  for (const std::string& core : emulated_cores()) {
    const Firmware built = firmware(kReturn, "", core);
    EXPECT_LE(built.size.code_bytes, 4) << core;
    EXPECT_EQ(built.size.static_ram_bytes, 0) << core;
  }
}

TEST_F(CrossBuilt, GivesSizesForCoresWithoutABoard) {
  const char* divide =
      "void run(void*); void run(void* arena) {\n"
      "  auto* x = static_cast<volatile int*>(arena); x[0] = x[0] / x[1]; }\n";
  const FirmwareSize small = measure_sizes(build(divide, "", "cortex-m23")).size;
  EXPECT_EQ(measure_sizes(build(divide, "", "cortex-m4")).size, firmware(divide).size);
  EXPECT_GT(small.code_bytes, 0);
  EXPECT_LT(measure_sizes(build(kReturn, "", "cortex-m35p")).size.code_bytes, 5);
  EXPECT_THAT(message_of([&] { (void)measure_sizes(build(divide, "", "z80")); }),
              HasSubstr("core 'z80': is not known; the nearest are "));
}

}  // namespace
}  // namespace thimble
