// SPDX-License-Identifier: Apache-2.0
// Size and instruction count of each model's firmware on the emulated Cortex-M4, as CSV.
//   firmware_bench [planner=SPEC] MODEL... > bench/results/firmware.csv
// A planner counts for the models behind it.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>

#include "thimble/cli/emission.h"
#include "thimble/cli/inference_io.h"
#include "thimble/cli/measure.h"

namespace {

void print_row(const std::string& model, const std::string& planner) {
  using namespace thimble;
  const Source source = load(model);
  const auto compiled =
      std::get<Compiled>(compile_model(source, {.model = model}, {.planner = planner}));
  const std::string name = identifier(compiled.graph.name);
  const InputCase input = seeded_case(compiled.graph, 1);
  const Measured measured =
      measure({{name, emit_compiled(compiled, source, name, "firmware_bench"), &compiled.program}},
              "cortex-m4", {{input.inputs}});
  const EmulatedRun& run = measured.sets[0][0];
  fmt::print("{},{},{},{},{},{:.2f},{},{},{},{}\n", name, compiled.plan.planner,
             compiled.program.arena_bytes, compiled.macs, run.instructions,
             static_cast<double>(run.instructions) / static_cast<double>(compiled.macs),
             run.stack_bytes, measured.size.code_bytes, measured.size.weight_bytes,
             measured.size.static_ram_bytes);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    fmt::print("# firmware_bench");
    for (int k = 1; k < argc; ++k) {
      fmt::print(" {}", std::filesystem::path(argv[k]).filename().string());
    }
    fmt::print(
        " (QEMU 7.2 mps2-an386, GCC 12.2 -O2)\n"
        "model,planner,arena_bytes,macs,instructions,instructions_per_mac,stack_bytes,"
        "code_bytes,weight_bytes,static_ram_bytes\n");
    std::string planner = "reorder";
    for (int k = 1; k < argc; ++k) {
      const std::string argument = argv[k];
      if (argument.starts_with("planner=")) {
        planner = argument.substr(argument.find('=') + 1);
      } else {
        print_row(argument, planner);
      }
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "firmware_bench: {}\n", error.what());
    return 1;
  }
}
