// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "thimble/cli/answers.h"
#include "thimble/cli/board_code.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/diagnosis.h"
#include "thimble/driver/inference_io.h"
#include "thimble/model/error.h"
#include "thimble/report/tensor_text.h"

namespace thimble {
namespace {

struct DiagnoseOptions {
  BoardCodeOptions board;
  std::string input_file, save_input;
};

void save_inputs(const Compiled& compiled, const std::vector<Bytes>& inputs,
                 const std::string& file) {
  TensorFile content;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Port& port = compiled.graph.inputs[k];
    content.tensors[fmt::format("input.{}", k)] = {.type = compiled.graph.tensor(port.tensor).type,
                                                   .shape = compiled.program.inputs[k].shape,
                                                   .data = inputs[k]};
  }
  if (file.ends_with(".npy")) {
    if (inputs.size() != 1)
      throw CompileError(file, "a .npy file holds one tensor: give a .safetensors file");
    write_npy(file, content.tensors.begin()->second);
  } else {
    write_safetensors(file, content);
  }
}

std::string outputs_text(const Graph& graph, const std::vector<Bytes>& outputs) {
  std::string text;
  for (size_t k = 0; k < outputs.size(); ++k) {
    const Tensor& tensor = graph.tensor(graph.outputs[k].tensor);
    text += fmt::format("  {} '{}' {}\n", k == 0 ? "output  " : "        ",
                        display_name(tensor.name), values_text(outputs[k], tensor.type));
  }
  return text;
}

int run_diagnose(const DiagnoseOptions& options) {
  const BoardCodeOptions& board = options.board;
  const bool npy = options.save_input.ends_with(".npy");
  check_outputs(
      {{"MODEL", board.request.model}, {"LOG", board.log}, {"--input-file", options.input_file}},
      {{{"--save-input", options.save_input}, npy ? FileKind::kNpy : FileKind::kSafetensors},
       {{"--json", board.json.path}, FileKind::kReport, "diagnose"}},
      board.force);
  const BoardCode code = board_code(board);
  const std::vector<const TracedInference*> inferences =
      whole_inferences(code.compiled, code.log, board.log);
  std::vector<std::vector<Bytes>> inputs;
  if (!options.input_file.empty()) {
    for (InputCase& wanted : file_cases(code.compiled.graph, options.input_file))
      inputs.push_back(std::move(wanted.inputs));
  }
  std::vector<Bytes> outputs;
  std::optional<ProgressLine> progress("comparing with the reference");
  const Diagnosis found = diagnose(code.compiled, inferences, inputs, outputs);
  progress.reset();
  const DiagnosisReport report{
      .model = board.request.model,
      .log = board.log,
      .code = board.code,
      .code_fault = code.code_fault,
      .inferences = static_cast<int>(inferences.size()),
      .incomplete = static_cast<int>(code.log.traces.size() - inferences.size()),
      .damaged_lines = code.log.damaged.size(),
      .first = found,
      .outputs = outputs_text(code.compiled.graph, outputs)};
  if (!options.save_input.empty()) {
    const auto told = static_cast<size_t>(found.inference) - 1;
    save_inputs(code.compiled, traced_inputs(code.compiled, *inferences[told]), options.save_input);
  }
  write_report(board.json, code.compiled.sha256, diagnosis_json(report));
  print_beside(board.json, diagnosis_text(report));
  return found.finding == Finding::kNothing ? kDone : kDifference;
}

}  // namespace

void add_diagnose(CLI::App& app, int& status) {
  auto options = std::make_shared<DiagnoseOptions>();
  CLI::App* command = app.add_subcommand(
      "diagnose", "The first layer in which a board computes otherwise, from its log");
  add_board_code_options(*command, options->board);
  add_text(*command, "--input-file", options->input_file, "FILE",
           "What the board should have been given (.npy or .safetensors): once, or each time");
  add_text(*command, "--save-input", options->save_input, "FILE",
           "Write what it was given (.npy or .safetensors)");
  command->footer(
      "Example:\n"
      "  thimble compile model.tflite --device nucleo-f446re --trace -o firmware/model\n"
      "  (call NAME_trace(print) before NAME_run; keep the serial line in board.log)\n"
      "  thimble diagnose model.tflite board.log --code firmware/model");
  command->callback([options, &status] { status = run_diagnose(*options); });
}

}  // namespace thimble
