// SPDX-License-Identifier: Apache-2.0
// Emitted code and runtime compile without a warning, by GCC and clang, with more of them than most
// projects ask for; callers are C99.
#include <fmt/format.h>

#include <filesystem>

#include "tests/cli/command_line.h"
#include "tests/support/shared.h"

namespace thimble::testing {
namespace {

constexpr const char* kWarnings =
    "-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -pedantic -Werror";
constexpr const char* kHost[] = {"g++", "clang++"};
constexpr const char* kM4[] = {
    "arm-none-eabi-g++ -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
    "clang++ --target=armv7em-none-eabi -mcpu=cortex-m4 -mthumb -mfloat-abi=hard"};
constexpr const char* kM55[] = {
    "arm-none-eabi-g++ -mcpu=cortex-m55 -mthumb -mfloat-abi=hard",
    "clang++ --target=armv8.1m.main-none-eabi -mcpu=cortex-m55 -mthumb -mfloat-abi=hard"};

class Warnings : public CommandLine {
 protected:
  void is_clean(const std::vector<std::string>& arguments, std::span<const char* const> compilers) {
    std::vector<std::string> command = {"compile"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.insert(command.end(), {"-o", "model"});
    const ProcessResult made = thimble(command);
    ASSERT_EQ(made.exit_status, 0) << made.err;
    std::string script;
    for (const char* compiler : compilers)
      script += fmt::format(
          "for hooks in '' -DTHIMBLE_HOOKS; do\n"
          "find . -name '*.cc' | xargs -n 1 {} -std=c++17 {} $hooks -ffreestanding "
          "-fno-exceptions -fno-rtti -fsyntax-only || exit 1\ndone\n",
          compiler, kWarnings);
    for (const char* compiler : {"gcc", "gcc -DTHIMBLE_HOOKS", "clang"})
      script +=
          fmt::format("{} -std=c99 {} -fsyntax-only *_example.c || exit 1\n", compiler, kWarnings);
    const ProcessResult compiled = run_process({.arguments = {"sh", "-c", script},
                                                .working_folder = folder() / "model",
                                                .timeout_seconds = 300});
    EXPECT_EQ(compiled.exit_status, 0) << compiled.out << compiled.err;
  }
};

TEST_F(Warnings, ThereAreNoneInSeveralModels) {
  is_clean({"zoo:demo", "zoo:pex_figure1", "--planner", "original"}, kHost);
}

TEST_F(Warnings, ThereAreNoneInCodeOfThePlanner) { is_clean({"zoo:demo"}, kHost); }

TEST_F(Warnings, ThereAreNoneInTraces) {
  is_clean({"zoo:demo", "--trace"}, kHost);
  is_clean({"zoo:demo", "--trace", "--core", "cortex-m4"}, kM4);
}

TEST_F(Warnings, ThereAreNoneInInt8OnTheM4) {
  THIMBLE_NEEDS_SHARED();
  is_clean({shared_model("kws_ref_model"), "--core", "cortex-m4"}, kM4);
}

TEST_F(Warnings, ThereAreNoneInInt8OnTheM55) {
  THIMBLE_NEEDS_SHARED();
  is_clean({shared_model("person_detect"), "--core", "cortex-m55", "--planner", "original"}, kM55);
}

TEST_F(Warnings, ThereAreNoneInRowsOnTheM4) {
  THIMBLE_NEEDS_SHARED();
  is_clean({shared_model("person_detect"), "--core", "cortex-m4", "--input", "streamed"}, kM4);
}

TEST_F(Warnings, ThereAreNoneInInt16) {
  THIMBLE_NEEDS_SHARED();
  is_clean({shared_model("seanet_conv0"), "--planner", "original"}, kHost);
}

TEST_F(Warnings, ThereAreNoneInFloat32) {
  THIMBLE_NEEDS_SHARED();
  is_clean({shared_model("kws_ref_model_float32"), "--planner", "original"}, kHost);
}

TEST_F(Warnings, ThereAreNoneWithStorage) {
  THIMBLE_NEEDS_SHARED();
  is_clean({shared_model("vww_96_int8"), "--sram", "40K", "--storage",
            "card:write=512,size=4M,compress"},
           kHost);
}

}  // namespace
}  // namespace thimble::testing
