// SPDX-License-Identifier: Apache-2.0
// Sizes of a cross-compiled firmware.
#include "thimble/toolchain/cross_build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

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
     [](void* arena, void* const*) { run(arena); }}};
extern "C" const size_t thimble_model_count = 1;
)";

class CrossBuilt : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
    return folder_.path() / name;
  }
  FirmwareSize measure(const std::string& code, const std::string& weights = "") const {
    return measure_firmware({.sources = {write("code.cc", code)},
                             .weight_sources = {write("weights.cc", weights)},
                             .table_sources = {write("table.cc", kTable)}});
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

TEST_F(CrossBuilt, RejectsCoresThatAreNotEmulated) {
  try {
    (void)board_for("cortex-m99");
    FAIL() << "accepted";
  } catch (const CompileError& error) {
    EXPECT_STREQ(error.what(), "core 'cortex-m99': cannot be emulated; there is cortex-m4");
  }
}

}  // namespace
}  // namespace thimble
