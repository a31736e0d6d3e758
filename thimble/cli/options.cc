// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/options.h"

#include <fmt/format.h>

#include "thimble/devices/size.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

int64_t size_option(const char* option, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const CompileError& error) {
    throw CompileError(option, error.what());
  }
}

}  // namespace

void add_model_options(CLI::App& app, ModelOptions& options) {
  app.add_option("MODEL", options.model, "A .tflite file, or zoo:NAME (see `thimble zoo`)")
      ->required();
  app.add_flag("--no-rewrite{false}", options.rewrite, "Keep the graph as the file has it");
  app.add_option("--io-type", options.io_type,
                 "int8: drop a quantize or dequantize at the edge; the API then takes integers")
      ->check(CLI::IsMember({"model", "int8"}));
}

void add_plan_options(CLI::App& app, PlanOptions& options) {
  app.add_option("--planner", options.planner,
                 "NAME or NAME:key=value,... (see `thimble planners`)");
  app.add_option("--device", options.device,
                 "Board whose memory is the limit (see `thimble devices`)");
  app.add_option("--sram", options.sram,
                 "Most SRAM for the arena: 65536, 64K (= 65,536), 64kB (= 64,000)");
  app.add_option("--flash", options.flash, "Most flash for code and weights");
  app.add_flag("--no-in-place{false}", options.in_place, "No output over an input");
  app.add_option("--layout", options.layout,
                 "Address assignment: exact, or what the interpreter does")
      ->check(CLI::IsMember({"exact", "greedy_by_size"}));
  app.add_option("--layout-seconds", options.layout_seconds,
                 "Time limit of the exact layout search")
      ->check(CLI::Range(0.001, 86400.0));
}

Budget budget(const PlanOptions& options) {
  Budget result;
  if (!options.device.empty()) {
    result.device = find_device(options.device);
    result.sram_bytes = result.device->largest_sram_run_bytes();
    result.flash_bytes = result.device->flash_bytes;
  }
  if (!options.sram.empty()) result.sram_bytes = size_option("--sram", options.sram);
  if (!options.flash.empty()) result.flash_bytes = size_option("--flash", options.flash);
  return result;
}

}  // namespace thimble
