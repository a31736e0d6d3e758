// SPDX-License-Identifier: Apache-2.0
// Calls as they should not be: where THIMBLE_CHECKS is defined emitted code stops at the call.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "thimble/driver/driver.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/toolchain/process.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

/// A program with a network, which makes call number argv[1].
class Misuse {
 public:
  /// calls: C, in order; the first is right.
  Misuse(const PortPlaces& ports, const std::vector<std::string>& calls,
         const std::string& before = "") {
    const Request request{
        .model = "zoo:pex_figure1", .ports = ports, .emission = Emission{.name = "net"}};
    const Compiled compiled = std::get<Compiled>(compile(request));
    write_folder(folder_.path() / "net", {"net", {"net", ""}, compiled.files});
    std::ofstream(folder_.path() / "asserts.h")
        << "#include <cstdlib>\n#define THIMBLE_ASSERT(condition) ((condition) ? (void)0 : "
           "std::_Exit(77))\n";
    std::ofstream main(folder_.path() / "main.cc");
    main << "#include <cstdlib>\n#include \"net.h\"\n"
            "static THIMBLE_ALIGNED(NET_ARENA_ALIGNMENT) uint8_t arena[NET_ARENA_BYTES + 16];\n"
         << before << "int main(int, char** arguments) {\n  switch (std::atoi(arguments[1])) {\n";
    for (size_t k = 0; k < calls.size(); ++k)
      main << fmt::format("    case {}: {}; break;\n", k, calls[k]);
    main << "  }\n  return 0;\n}\n";
    main.close();
    build("traps", "-DTHIMBLE_CHECKS");
    build("asserts", "-DTHIMBLE_CHECKS -include asserts.h");
  }
  /// Negative: the signal that ended it.
  [[nodiscard]] int run(const std::string& program, size_t call) const {
    return run_process({.arguments = {"sh", "-c", fmt::format("./{} {} 2>&1", program, call)},
                        .working_folder = folder_.path()})
        .exit_status;
  }

 private:
  void build(const std::string& program, const std::string& options) const {
    const ProcessResult result = run_process(
        {.arguments = {"sh", "-c",
                       fmt::format("g++ -std=c++17 -Wall -Wextra -Werror -Inet {} main.cc $(find "
                                   "net -name '*.cc') -o {}",
                                   options, program)},
         .working_folder = folder_.path()});
    EXPECT_EQ(result.exit_status, 0) << result.err;
  }
  TemporaryFolder folder_;
};

void expect_caught(const Misuse& misuse, size_t calls) {
  constexpr int kOwn = 77, kSignals = 128;
  EXPECT_EQ(misuse.run("traps", 0), 0);
  EXPECT_EQ(misuse.run("asserts", 0), 0);
  for (size_t k = 1; k < calls; ++k) {
    EXPECT_GT(misuse.run("traps", k), kSignals) << k;
    EXPECT_EQ(misuse.run("asserts", k), kOwn) << k;
  }
}

TEST(Checks, OfArenasAndTensors) {
  const std::vector<std::string> calls = {
      "net_run(arena, input, output)", "net_run(arena + 1, input, output)",
      "net_run(nullptr, input, output)", "net_run(arena, nullptr, output)",
      "net_run(arena, input, nullptr)"};
  const Misuse misuse({.input = Place::kUser, .output = Place::kUser}, calls,
                      "static int8_t input[NET_INPUT_ELEMENTS], output[NET_OUTPUT_ELEMENTS];\n");
  expect_caught(misuse, calls.size());
}

TEST(Checks, OfRowsAndTheirStates) {
  const std::vector<std::string> calls = {
      "net_run(arena, receive, deliver, nullptr); net_begin(&state, deliver, nullptr);"
      " net_push_rows(arena, &state, row, 1); net_push_rows(arena, &state, nullptr, 0)",
      "net_run(arena, nullptr, deliver, nullptr)",
      "net_run(arena, receive, nullptr, nullptr)",
      "net_begin(nullptr, deliver, nullptr)",
      "net_begin(&state, nullptr, nullptr)",
      "net_push_rows(arena, nullptr, row, 1)",
      "net_begin(&state, deliver, nullptr); net_push_rows(arena, &state, nullptr, 1)",
      "net_begin(&state, deliver, nullptr); net_push_rows(arena + 4, &state, row, 1)"};
  const Misuse misuse({.input = Place::kStreamed, .output = Place::kStreamed}, calls,
                      "static int8_t row[NET_INPUT_ROW_ELEMENTS];\nstatic net_state state;\n"
                      "static void receive(void*, int32_t, int8_t* into) { *into = 1; }\n"
                      "static void deliver(void*, int32_t, const int8_t*) {}\n");
  expect_caught(misuse, calls.size());
}

}  // namespace
}  // namespace thimble
