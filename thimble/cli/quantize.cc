// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string_view>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/input_options.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/quantisation.h"
#include "thimble/export/tflite.h"
#include "thimble/import/file_bytes.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

struct QuantizeOptions {
  RequestOptions request;
  InputOptions inputs;
  std::string data, file, io = "int8", dense = "per-channel";
  int64_t limit = 0;
  ReportFile json;
  bool force = false;
};

int quantize(const QuantizeOptions& options) {
  check_outputs({{"MODEL", options.request.model}, {"--data", options.data}},
                {{{"-o", options.file}, FileKind::kTflite},
                 {{"--json", options.json.path}, FileKind::kReport, "quantize"}},
                options.force);
  const Preprocessing asked = preprocessing(options.inputs);
  const Source source = read_model(options.request.model, import_options(options.request));
  const SampleReader reader(source.graph, source.metadata, asked);
  Quantisation result;
  {
    ProgressLine progress("reading samples");
    result = quantisation_of(
        {.graph = source.graph,
         .reader = reader,
         .data = options.data,
         .options = {.ports = options.io == "int8" ? PortType::kInt8 : PortType::kFloat32,
                     .dense_per_channel = options.dense == "per-channel"},
         .limit = options.limit,
         .jobs = all_cores(),
         .progress = [&](const char* what, size_t done, size_t of) {
           progress.show(fmt::format("{}, {} of {} samples", what, done, of));
         }});
  }
  const Bytes bytes = export_tflite(result.graph);
  const std::string_view piece(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  write_file(options.file, {&piece, 1});
  result.report.model = source.where;
  result.report.path = options.file;
  result.report.data = options.data;
  result.report.file_bytes = std::ssize(bytes);
  write_report(options.json, source.sha256, quantisation_json(result.report));
  print_beside(options.json, quantisation_text(result.report));
  return kDone;
}

}  // namespace

void add_quantize(CLI::App& app, int& status) {
  auto options = std::make_shared<QuantizeOptions>();
  CLI::App* command =
      app.add_subcommand("quantize", "A float model in int8, by samples of its inputs");
  add_model_options(*command, options->request);
  add_text(*command, "--data", options->data, "DATA",
           "Samples of the inputs, without labels: a folder of files, or one file (.npy, "
           ".safetensors, .csv, a picture, sound)")
      ->required();
  as_output(add_text(*command, "-o,--output", options->file, "FILE",
                     "What to write: a .tflite in int8, by TensorFlow Lite's specification"))
      ->required();
  command
      ->add_option("--io", options->io,
                   "Inputs and outputs: int8, or float32 as the model has them (int8)")
      ->check(CLI::IsMember({"int8", "float32"}));
  command
      ->add_option("--fc", options->dense,
                   "Weights of FULLY_CONNECTED: a scale for each output, or one, for interpreters "
                   "before 2024 (per-channel)")
      ->check(CLI::IsMember({"per-channel", "per-tensor"}));
  command->add_option("--limit", options->limit, "Most samples, from all over the set (all)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1'000'000'000));
  add_input_options(*command, options->inputs);
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble quantize model.tflite --data photos -o model_int8.tflite\n"
      "  thimble quantize model.tflite --data samples.npy --scale 1 -o model_int8.tflite");
  command->callback([options, &status] { status = quantize(*options); });
}

}  // namespace thimble
