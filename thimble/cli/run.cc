// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "thimble/cli/commands.h"
#include "thimble/cli/emission.h"
#include "thimble/cli/inference_io.h"
#include "thimble/cli/measure.h"
#include "thimble/cli/output_files.h"
#include "thimble/cli/pipeline.h"
#include "thimble/cli/progress_line.h"
#include "thimble/model/error.h"
#include "thimble/program/host.h"
#include "thimble/reference/interpreter.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

struct RunOptions {
  ModelOptions model;
  PlanOptions plan;
  std::string on = "host", core, input_file, output_file, check;
  uint64_t seed = 1;
  bool force = false;
};

// What an execution gave, case by case.
struct Results {
  std::vector<std::vector<Bytes>> outputs;
  std::string where;        ///< it was executed
  std::string facts;        ///< lines for the report
  std::string differences;  ///< of operators (reference) or guards; empty if all is well
  size_t compared_ops = 0;
};

std::vector<InputCase> cases_of(const Graph& graph, const RunOptions& options) {
  const ProgressLine progress("reading inputs");
  if (!options.check.empty()) {
    if (!options.input_file.empty())
      throw CompileError("--input-file",
                         "the inputs of --check come from the golden file; leave one out");
    return golden_cases(graph, options.check);
  }
  return {options.input_file.empty() ? seeded_case(graph, options.seed)
                                     : file_case(graph, options.input_file)};
}

std::vector<Bytes> outputs_of(const Graph& graph, const TensorValues& values) {
  std::vector<Bytes> outputs;
  for (const Port& port : graph.outputs)
    outputs.push_back(to_port(graph, port, values[port.tensor.index()]));
  return outputs;
}

std::vector<Bytes> reference_outputs(const Graph& graph, const std::vector<Bytes>& inputs) {
  return outputs_of(graph, interpret(graph, inputs));
}

// With sums of less than 32 bits an inference is right if it gives what the reference gives with
// the same accumulators: that becomes what is expected. Returns what the exact arithmetic gives.
std::vector<std::vector<Bytes>> expect_lossy(const Graph& graph, std::vector<InputCase>& cases) {
  std::vector<std::vector<Bytes>> result;
  if (graph.accumulators.empty()) return result;
  const ProgressLine progress("interpreting");
  for (InputCase& c : cases) {
    result.push_back(c.outputs.empty() ? reference_outputs(with_accumulators(graph, {}), c.inputs)
                                       : c.outputs);
    c.outputs = reference_outputs(graph, c.inputs);
  }
  return result;
}

std::string deviation_text(const Graph& graph, const std::vector<std::vector<Bytes>>& exact,
                           const Results& results) {
  std::string text;
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    const Tensor& t = graph.tensor(graph.outputs[k].tensor);
    Deviation total;
    for (size_t c = 0; c < exact.size(); ++c)
      add_deviation(total, exact[c][k], results.outputs[c][k], t.type);
    text += fmt::format(
        "  LOSSY         output {} differs from the exact arithmetic by at most "
        "{:.4g}, {:.4g} on average{}\n",
        k, total.most, total.mean(), t.type == DType::kFloat32 ? "" : " (steps of its type)");
  }
  return text;
}

// Every operator's outputs against the golden's, on the graph as imported.
void compare_ops(const Graph& graph, const InputCase& expected, const TensorValues& values,
                 Results& results) {
  for (const Op& op : graph.ops) {
    for (size_t j = 0; j < op.outputs.size(); ++j) {
      const auto it = expected.ops.find({op.file_index, static_cast<int>(j)});
      if (it == expected.ops.end()) continue;
      ++results.compared_ops;
      const Tensor& t = graph.tensor(op.outputs[j]);
      const std::string difference =
          first_difference(it->second.data, values[op.outputs[j].index()], t.type, t.shape);
      if (!difference.empty() && results.differences.empty()) {
        results.differences =
            fmt::format("{}, tensor '{}': {}\n", label(op), display_name(t.name), difference);
      }
    }
  }
}

Results run_reference(const Graph& graph, const std::vector<InputCase>& cases) {
  const ProgressLine progress("interpreting");
  Results results;
  for (const InputCase& c : cases) {
    const TensorValues values = interpret(graph, c.inputs);
    compare_ops(graph, c, values, results);
    results.outputs.push_back(outputs_of(graph, values));
  }
  return results;
}

Results run_host(const Compiled& compiled, const std::vector<InputCase>& cases) {
  const ProgressLine progress("executing");
  Results results{.where = "host", .facts = {}, .differences = {}};
  for (const InputCase& c : cases) results.outputs.push_back(execute(compiled.program, c.inputs));
  return results;
}

Results run_qemu(const Compiled& compiled, const Source& source, const std::string& core,
                 const std::vector<InputCase>& cases) {
  const ProgressLine progress("cross-compiling and running on the emulated board");
  const std::string name = identifier(compiled.graph.name);
  std::vector<InputSet> sets;
  for (const InputCase& c : cases) sets.push_back({c.inputs});
  const Measured measured =
      measure({{name, emit_compiled(compiled, source, name, "thimble run"), &compiled.program}},
              core, sets);
  Results results{.where = fmt::format("qemu ({}, {})", core, measured.machine),
                  .facts = {},
                  .differences = {}};
  for (const std::vector<EmulatedRun>& set : measured.sets) {
    results.outputs.push_back(set[0].outputs);
    if (!set[0].guards_intact())
      results.differences = fmt::format("the firmware wrote {} its arena\n", set[0].guards);
    if (!set[0].inputs_intact) results.differences = "the firmware changed the caller's input\n";
  }
  const EmulatedRun& first = measured.sets[0][0];
  results.facts = fmt::format(
      "  instructions  {} per inference ({}, emulated)\n  stack         {} at the deepest\n"
      "  code          {} of flash\n  weights       {} of flash\n  static RAM    {}\n",
      with_separators(first.instructions), core, human_size(first.stack_bytes),
      human_size(measured.size.code_bytes), human_size(measured.size.weight_bytes),
      human_size(measured.size.static_ram_bytes));
  return results;
}

// Outputs against what is expected; returns the first difference.
std::string compare_outputs(const Graph& graph, const std::vector<InputCase>& cases,
                            const Results& results) {
  for (size_t c = 0; c < cases.size(); ++c) {
    for (size_t k = 0; k < cases[c].outputs.size(); ++k) {
      const Tensor& t = graph.tensor(graph.outputs[k].tensor);
      const std::string difference =
          first_difference(cases[c].outputs[k], results.outputs[c][k], t.type,
                           caller_shape(graph, graph.outputs[k]));
      if (!difference.empty())
        return fmt::format("{}, output {} '{}': {}\n", cases[c].name, k, display_name(t.name),
                           difference);
    }
  }
  return "";
}

int report(const Graph& graph, const RunOptions& options, const std::vector<InputCase>& cases,
           const Results& results) {
  for (size_t k = 0; k < graph.outputs.size(); ++k) {
    const Tensor& t = graph.tensor(graph.outputs[k].tensor);
    fmt::print("  output {:<6} '{}' {} {}: {}\n", k, display_name(t.name), name(t.type),
               to_string(caller_shape(graph, graph.outputs[k])),
               values_text(results.outputs[0][k], t.type));
  }
  fmt::print("{}", results.facts);
  if (!options.output_file.empty()) write_outputs(graph, results.outputs[0], options.output_file);
  std::string difference = results.differences;
  if (difference.empty()) difference = compare_outputs(graph, cases, results);
  if (!difference.empty()) {
    fmt::print("  DIFFERENT: {}", difference);
    return kDifference;
  }
  const bool lossy = !graph.accumulators.empty();
  if (lossy || !options.check.empty()) {
    fmt::print(
        "  identical to {}: outputs of {} {}{}\n",
        lossy ? "the reference with the same accumulators"
              : std::filesystem::path(options.check).filename().string(),
        cases.size(), cases.size() == 1 ? "inference" : "inferences",
        options.on == "reference" ? fmt::format(", {} operators", results.compared_ops) : "");
    if (options.on == "reference" && results.compared_ops == 0) {
      throw CompileError(options.check, "has no operators to compare with (op.N.J)");
    }
  }
  return kDone;
}

// An option without effect would make its user believe something of the run that is not so.
void check_options(const RunOptions& options) {
  if (options.on != "qemu" && !options.core.empty()) {
    throw CompileError("--core",
                       fmt::format("is for --on qemu; --on {} emulates no core", options.on));
  }
  if (options.on != "reference") return;
  const std::pair<const char*, const std::string&> plan_options[] = {
      {"--planner", options.plan.planner},
      {"--calibration", options.plan.calibration},
      {"--device", options.plan.device},
      {"--sram", options.plan.sram},
      {"--flash", options.plan.flash}};
  constexpr const char* kNoPlan = "is for --on host or qemu; the reference has no plan";
  for (const auto& [option, value] : plan_options) {
    if (!value.empty()) throw CompileError(option, kNoPlan);
  }
  if (options.plan.ports.input != Place::kResident) throw CompileError("--input", kNoPlan);
  if (options.plan.ports.output != Place::kResident) throw CompileError("--output", kNoPlan);
}

// Which memory is too small, as a line for standard output; empty if all fits.
std::string shortage(const Compiled& compiled, const Budget& limits) {
  const auto line = [](const char* memory, int64_t needed, int64_t limit) {
    return fmt::format(
        "does not fit: needs {} of {}, {} more than there is; `thimble compile` with the same "
        "options says why\n",
        human_size(needed), memory, human_size(needed - limit));
  };
  const int64_t arena = compiled.program.arena_bytes;
  if (limits.sram_bytes && arena > *limits.sram_bytes)
    return line("SRAM", arena, *limits.sram_bytes);
  if (limits.flash_bytes && compiled.weight_bytes > *limits.flash_bytes)
    return line("flash", compiled.weight_bytes, *limits.flash_bytes);
  return "";
}

// Refuses what would be lost, before any work is done.
void check_target(const RunOptions& options) {
  std::vector<NamedFile> inputs = input_files(options.model, options.plan);
  inputs.push_back({"--input-file", options.input_file});
  inputs.push_back({"--check", options.check});
  const bool npy = options.output_file.ends_with(".npy");
  check_outputs(
      inputs,
      {{{"--output-file", options.output_file}, npy ? FileKind::kNpy : FileKind::kSafetensors}},
      options.force);
}

int run(const RunOptions& options) {
  check_options(options);
  check_target(options);
  const Source source = load(options.model.model);
  if (!options.output_file.empty()) check_output_name(source.graph, options.output_file);
  if (options.on == "reference") {
    ModelOptions without_rewrite = options.model;
    without_rewrite.rewrite = false;
    const Graph graph = prepare(source, without_rewrite);
    const std::vector<InputCase> cases = cases_of(graph, options);
    fmt::print("{} on reference\n", source.where);
    return report(graph, options, cases, run_reference(graph, cases));
  }
  const Budget limits = budget(options.plan);
  auto answer = compile_model(source, options.model, options.plan);
  if (const auto* no = std::get_if<Infeasible>(&answer)) {
    fmt::print("{}", infeasible_text(*no));
    return kDoesNotFit;
  }
  const Compiled& compiled = std::get<Compiled>(answer);
  if (const std::string text = shortage(compiled, limits); !text.empty()) {
    fmt::print("{}", text);
    return kDoesNotFit;
  }
  std::vector<InputCase> cases = cases_of(compiled.graph, options);
  const std::vector<std::vector<Bytes>> exact = expect_lossy(compiled.graph, cases);
  const std::string core = !options.core.empty() ? options.core
                           : limits.device       ? limits.device->core.name
                                                 : "cortex-m4";
  Results results =
      options.on == "host" ? run_host(compiled, cases) : run_qemu(compiled, source, core, cases);
  if (!exact.empty()) results.facts += deviation_text(compiled.graph, exact, results);
  fmt::print("{} on {}, planner {}\n  SRAM          {}\n", source.where, results.where,
             compiled.plan.planner, human_size(compiled.program.arena_bytes));
  return report(compiled.graph, options, cases, results);
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand(
      "run", "Run an inference: reference, host, or firmware on an emulated board");
  add_model_options(*command, options->model);
  add_plan_options(*command, options->plan);
  command
      ->add_option("--on", options->on,
                   "reference: the plain interpreter; host (default): the plan with the "
                   "shipping kernels;\nqemu: the emitted firmware on an emulated board")
      ->check(CLI::IsMember({"reference", "host", "qemu"}));
  add_text(*command, "--core", options->core, "CORE",
           "Core to emulate, with --on qemu (cortex-m4)");
  add_text(*command, "--input-file", options->input_file, "FILE",
           "Inputs: .npy or .safetensors (default: seeded noise)");
  command->add_option("--seed", options->seed, "Seed of the noise (1)")->type_name("NUMBER");
  add_text(*command, "--output-file", options->output_file, "FILE",
           "Write the outputs to .npy or .safetensors");
  add_text(*command, "--check", options->check, "FILE",
           "Golden .safetensors: take its inputs, compare outputs (on reference: every operator)");
  add_force(*command, options->force);
  command->footer(
      "Examples:\n  thimble run model.tflite --on reference --check model.golden.safetensors\n"
      "  thimble run model.tflite --on host --input-file photo.npy --output-file scores.npy\n"
      "  thimble run model.tflite --on qemu --input streamed --input-file photo.npy\n"
      "  thimble run zoo:demo --on qemu --core cortex-m0");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace thimble
