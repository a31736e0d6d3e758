// SPDX-License-Identifier: Apache-2.0
// What each kernel call of whole operators, or of another planner's plan, costs on an emulated
// core, as CSV: instructions, on a Cortex-M4 an estimate of cycles (bench/call_counter.cc), and the
// bytes of the kernel's code.
//   kernel_bench --output bench/results/kernels_cortex-m4.csv ../shared/models/ad01_int8.tflite ...
//   kernel_bench --output rows.csv --planner stream:granularity=row --sram 22K person_detect.tflite
// A line for each call, and one for the model ("total").
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/command_line.h"
#include "bench/planned.h"
#include "thimble/driver/driver.h"
#include "thimble/driver/inference_io.h"
#include "thimble/driver/measure.h"
#include "thimble/driver/source.h"
#include "thimble/emit/identifier.h"
#include "thimble/model/error.h"
#include "thimble/operators/operators.h"
#include "thimble/target/kernels/kernel.h"
#include "thimble/target/size.h"

namespace {

using namespace thimble;

constexpr const char* kColumns =
    "model,step,operator,input,output,kernel,macs,instructions,cycles,instructions_per_mac,code_"
    "bytes";

struct Options {
  std::vector<std::string> models;
  std::string core = "cortex-m4", output, planner = "reorder";
  std::string sram = "4M";
  bool compact = false, keep_channels = false;
};

// A line of what the plugin writes.
struct Counted {
  int64_t calls = 0, instructions = 0, cycles = 0;
  std::string symbol;
};

std::vector<Counted> parse_counts(const std::string& text) {
  std::vector<Counted> counts;
  std::istringstream lines(text);
  Counted c;
  while (lines >> c.calls >> c.instructions >> c.cycles >> c.symbol) counts.push_back(c);
  check(!counts.empty(), "the plugin counted nothing");
  return counts;
}

// The calls in the emitted code, in the order in which they are first made.
std::vector<const Call*> calls_of(const Program& program) {
  std::vector<const Call*> calls;
  execute_calls(program, [&](const Call& call, const Counters&) {
    if (!copies_onto_itself(program, call) && std::ranges::find(calls, &call) == calls.end())
      calls.push_back(&call);
  });
  return calls;
}

std::string shape_text(const Shape& shape) { return fmt::format("{}", fmt::join(shape, "x")); }

// Bytes linked from the file that defines the symbol, in .text or .text.unlikely (cold).
int64_t code_bytes(const std::string& symbol, const std::vector<LinkedSection>& sections) {
  const LinkedSection* own = nullptr;
  for (const LinkedSection& section : sections) {
    if (section.section.starts_with(".text.") && section.section.ends_with('.' + symbol))
      own = &section;
  }
  if (own == nullptr) return 0;
  int64_t bytes = 0;
  for (const LinkedSection& section : sections)
    bytes += section.object == own->object ? section.size_bytes : 0;
  return bytes;
}

// What was measured, as a line has it: MACs, instructions, cycles (where timings are published),
// instructions of a MAC.
std::string costs(const Options& options, int64_t macs, const Counted& counted) {
  const double each = static_cast<double>(counted.instructions) / static_cast<double>(macs);
  return fmt::format("{},{},{},{}", macs, counted.instructions,
                     options.core == "cortex-m4" ? fmt::format("{}", counted.cycles) : "",
                     macs > 0 ? fmt::format("{:.3f}", each) : "");
}

// What a call computes: operator, shapes, kernel, and its MACs.
std::pair<std::string, int64_t> work(const Graph& graph, const Call& call) {
  const char* const kernel = info(call.kernel).name;
  if (!call.op.valid()) return {fmt::format("COPY,,,{}", kernel), 0};
  const Op& op = graph.op(call.op);
  return {
      fmt::format("{},{},{},{}", name(op.attributes), shape_text(graph.tensor(op.inputs[0]).shape),
                  shape_text(graph.tensor(op.outputs[0]).shape), kernel),
      macs(graph, op)};
}

void measure_model(const std::string& name, const Options& options, std::FILE* file) {
  const Source source = load(name);
  // Not within the braces: GCC 12 destroys members twice where an initialiser behind them throws.
  const int64_t sram = parse_size(options.sram);
  Request request{.model = source,
                  .graph = {.keep_channels = options.keep_channels},
                  .sram_bytes = sram,
                  .weights = options.compact ? Weights::kCompact : Weights::kFast,
                  .planner = options.planner};
  request.target.core = core_named(options.core);
  const Answer answer = compile(request);
  const auto* compiled = std::get_if<Compiled>(&answer);
  if (compiled == nullptr) throw CompileError(name, "does not fit");
  const InputCase input = seeded_case(prepare(source.graph, {.rewrite = false}), 1);
  const std::string function = identifier(compiled->graph.name);
  const Measured measured =
      measure({{function, emitted_files(*compiled, {.name = function, .command = "kernel_bench"}),
                &compiled->program}},
              options.core, {{input.inputs}}, {.plugin = THIMBLE_CALL_COUNTER});
  const std::vector<Counted> counts = parse_counts(measured.plugin_output);
  // The board's counter is read between polls of it (firmware/harness.cc), at the run's end and in
  // the run of nothing that is taken off.
  constexpr int64_t kTwoPolls = 12;  // of at most six instructions
  const int64_t plugin = counts.back().instructions, board = measured.sets[0][0].instructions;
  if (std::abs(plugin - board) > kTwoPolls) {
    throw InternalError(
        fmt::format("{}: the plugin counts {}, the board's counter {}", name, plugin, board));
  }
  const std::vector<const Call*> calls = calls_of(compiled->program);
  check(counts.size() == calls.size() + 1, "calls of kernels are not those of the program");
  const std::string model = short_name(name);
  for (size_t k = 0; k < calls.size(); ++k) {
    const auto [what, products] = work(compiled->graph, *calls[k]);
    fmt::print(file, "{},{},{},{},{}\n", model, calls[k]->position, what,
               costs(options, products, counts[k]),
               code_bytes(counts[k].symbol, measured.sections));
  }
  fmt::print(file, "{},,total,,,,{},{}\n", model,
             costs(options, compiled->cost.macs, counts.back()), measured.size.code_bytes);
  std::fflush(file);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CommandLine line{"kernel_bench", "Kernel calls on an emulated core, as CSV"};
  line.add("MODEL", &options.models, "zoo:NAME or .tflite files", {.required = true});
  line.add("--core", &options.core, "Core that is emulated (cortex-m4)");
  line.add("--planner", &options.planner, "NAME or NAME:key=value,... (reorder)");
  line.add("--sram", &options.sram, "Most SRAM for the arena (4M)");
  line.add("--compact", &options.compact, "Weights in 8 bits");
  line.add("--keep-channels", &options.keep_channels, "Also those that are constant");
  line.add("--output", &options.output, "File to write", {.required = true});
  return line.run(argc, argv, [&] {
    std::FILE* const file = std::fopen(options.output.c_str(), "w");
    if (file == nullptr) throw CompileError(options.output, "cannot be written");
    fmt::print(file, "# {}\n{}\n", line.command(), kColumns);
    for (const std::string& model : options.models) measure_model(model, options, file);
    std::fclose(file);
    return 0;
  });
}
