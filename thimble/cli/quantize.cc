// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/input_options.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/class_labels.h"
#include "thimble/driver/quantisation.h"
#include "thimble/driver/quantisation_check.h"
#include "thimble/export/tflite.h"
#include "thimble/import/file_bytes.h"
#include "thimble/model/error.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

struct QuantizeOptions {
  RequestOptions request;
  InputOptions inputs;
  std::string data, file, io, dense = "per-channel", format = "int8", ranges = "auto",
                              rounding = "auto";
  std::vector<std::string> layers;
  std::string checked;  ///< somebody's file, that is judged
  bool front = false;
  std::optional<double> accuracy_drop;
  std::string weight_bytes;
  int64_t limit = 0;
  ReportFile json;
  bool force = false;
};

/// A line with how far a stage is, and the time that is left of it.
class Countdown {
 public:
  [[nodiscard]] std::function<void(const char*, size_t, size_t)> shows() {
    return [this](const char* what, size_t done, size_t of) { show(what, done, of); };
  }

 private:
  using Clock = std::chrono::steady_clock;

  void show(const char* what, size_t done, size_t of) {
    const std::lock_guard lock(mutex_);
    if (what != stage_ || done == 1) begin_ = Clock::now();
    stage_ = what;
    const double spent = std::chrono::duration<double>(Clock::now() - begin_).count();
    const double left = spent * static_cast<double>(of - done) / static_cast<double>(done);
    std::string text = fmt::format("{}, {} of {}", what, done, of);
    if (left > 2) text += fmt::format(", {:.0f} s left", left);
    line_.show(std::move(text));
  }

  ProgressLine line_{"reading samples"};
  std::mutex mutex_;
  std::string stage_;
  Clock::time_point begin_;
};

template <class Choice, size_t count>
using Words = std::array<std::pair<const char*, Choice>, count>;
constexpr Words<DType, 4> kPorts = {{{"int8", DType::kInt8},
                                     {"uint8", DType::kUInt8},
                                     {"int16", DType::kInt16},
                                     {"float32", DType::kFloat32}}};
constexpr Words<Format, 4> kFormats = {{{"int8", Format::kInt8},
                                        {"int4", Format::kInt4},
                                        {"int16", Format::kInt16},
                                        {"float32", Format::kFloat32}}};
constexpr Words<RangeChoice, 4> kRanges = {{{"auto", RangeChoice::kAuto},
                                            {"min-max", RangeChoice::kSeen},
                                            {"least-error", RangeChoice::kLeastError},
                                            {"percentile", RangeChoice::kPercentile}}};
constexpr Words<RoundingChoice, 3> kRoundings = {{{"auto", RoundingChoice::kAuto},
                                                  {"nearest", RoundingChoice::kNearest},
                                                  {"by-error", RoundingChoice::kByError}}};

template <class Choice, size_t count>
std::set<std::string> words(const Words<Choice, count>& all) {
  std::set<std::string> result;
  for (const auto& [word, choice] : all) result.insert(word);
  return result;
}

template <class Choice, size_t count>
std::optional<Choice> chosen_word(const Words<Choice, count>& all, const std::string& word) {
  for (const auto& [known, choice] : all)
    if (word == known) return choice;
  return std::nullopt;
}

/// "3=int16": of operator #3.
std::map<int, Format> formats_of(const std::vector<std::string>& layers) {
  std::map<int, Format> result;
  for (const std::string& layer : layers) {
    const size_t equals = layer.find('=');
    int number = 0;
    const char* const end = layer.data() + std::min(equals, layer.size());
    const auto read = std::from_chars(layer.data(), end, number);
    const std::optional<Format> format = equals == std::string::npos
                                             ? std::nullopt
                                             : chosen_word(kFormats, layer.substr(equals + 1));
    if (read.ec != std::errc() || read.ptr != end || !format) {
      throw CompileError("--layer", fmt::format("'{}' is not the number of an operator, = and "
                                                "int8, int4, int16 or float32, as 3=int16",
                                                layer));
    }
    result[number] = *format;
  }
  return result;
}

DType ports_of(const QuantizeOptions& options) {
  if (!options.io.empty()) return chosen_word(kPorts, options.io).value();
  return options.format == "int16" ? DType::kInt16 : DType::kInt8;
}

/// What formats are planned by.
constexpr std::array kPlanFields = {"device", "core", "sram", "flash", "weights", "planner"};

bool is_planned(const RequestOptions& options) {
  return std::ranges::any_of(kPlanFields, [&](const char* name) { return options.has(name); });
}

/// Somebody's quantised model.
int check_quantised(const QuantizeOptions& options) {
  check_outputs(
      {{"MODEL", options.request.model}, {"--check", options.checked}, {"--data", options.data}},
      report_outputs(options.json, "quantize"), options.force);
  const Preprocessing asked = preprocessing(options.inputs);
  const Source real = read_model(options.request.model, import_options(options.request));
  const Source made = read_model(options.checked, import_options(options.request));
  const SampleReader reader(real.graph, real.metadata, asked);
  if (is_planned(options.request)) {
    throw CompileError("--check",
                       "compares numbers; --sram, --device and the like are for what is "
                       "written");
  }
  QuantisationReport report;
  {
    Countdown progress;
    report = quantisation_check({.real = real.graph,
                                 .made = made.graph,
                                 .reader = reader,
                                 .data = options.data,
                                 .class_names = class_labels(real.graph, {}, real.metadata),
                                 .limit = options.limit,
                                 .jobs = all_cores(),
                                 .progress = progress.shows()});
  }
  report.model = real.where;
  report.path = made.where;
  report.data = options.data;
  std::error_code error;  // of a network of the zoo: it has no file
  const auto bytes = std::filesystem::file_size(options.checked, error);
  if (!error) report.file_bytes = static_cast<int64_t>(bytes);
  write_report(options.json, made.sha256, quantisation_json(report));
  print_beside(options.json, quantisation_text(report));
  return kDone;
}

int quantize(const QuantizeOptions& options) {
  if (!options.checked.empty()) return check_quantised(options);
  if (options.file.empty())
    throw CompileError("-o", "says what to write; --check FILE judges a model that is there");
  std::vector<OutputFile> outputs = report_outputs(options.json, "quantize");
  outputs.push_back({{"-o", options.file}, FileKind::kTflite});
  check_outputs({{"MODEL", options.request.model}, {"--data", options.data}}, outputs,
                options.force);
  const Preprocessing asked = preprocessing(options.inputs);
  const Source source = read_model(options.request.model, import_options(options.request));
  const SampleReader reader(source.graph, source.metadata, asked);
  std::optional<int64_t> weight_bytes;
  if (!options.weight_bytes.empty())
    weight_bytes = size_option("--weight-bytes", options.weight_bytes);
  std::optional<Request> plan;
  if (is_planned(options.request)) {
    plan = request(options.request);
    plan->jobs = all_cores();
  }
  Quantisation result;
  {
    Countdown progress;
    result = quantisation_of({.graph = source.graph,
                              .reader = reader,
                              .data = options.data,
                              .class_names = class_labels(source.graph, {}, source.metadata),
                              .ports = ports_of(options),
                              .dense_per_channel = options.dense == "per-channel",
                              .format = chosen_word(kFormats, options.format).value(),
                              .formats = formats_of(options.layers),
                              .ranges = chosen_word(kRanges, options.ranges).value(),
                              .rounding = chosen_word(kRoundings, options.rounding).value(),
                              .budget = {.front = options.front,
                                         .accuracy_drop = options.accuracy_drop,
                                         .weight_bytes = weight_bytes,
                                         .plan = plan ? &*plan : nullptr},
                              .limit = options.limit,
                              .jobs = all_cores(),
                              .progress = progress.shows()});
  }
  const Bytes bytes = export_tflite(result.graph, {.offsets = {}, .four_bits = result.four_bits});
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
                     "What to write: a .tflite in int8, by TensorFlow Lite's specification"));
  add_text(*command, "--check", options->checked, "FILE",
           "Write nothing: judge this quantised .tflite or .onnx of the same network");
  command
      ->add_option("--format", options->format,
                   "Numbers of the operators: int8; int4: int8 with weights of 4 bits; int16: "
                   "activations of 16 bits, weights of 8 (int8)")
      ->check(CLI::IsMember(words(kFormats)));
  command
      ->add_option("--layer", options->layers,
                   "Those of one operator by its number, as 3=int16, 7=float32; can be repeated")
      ->type_name("N=FORMAT");
  command
      ->add_option(
          "--io", options->io,
          "Inputs and outputs: int8, uint8, int16, or float32 as the model has them (int8; "
          "with --format int16 int16)")
      ->check(CLI::IsMember(words(kPorts)));
  command
      ->add_option(
          "--ranges", options->ranges,
          "Of activations: min-max as seen, least-error or percentile without outliers, or "
          "auto, by the noise of the network's outputs (auto)")
      ->check(CLI::IsMember(words(kRanges)));
  command
      ->add_option("--rounding", options->rounding,
                   "Of weights: nearest, by-error of their layer's output, or auto (auto)")
      ->check(CLI::IsMember(words(kRoundings)));
  command
      ->add_option("--fc", options->dense,
                   "Weights of FULLY_CONNECTED: a scale for each output, or one, for interpreters "
                   "before 2024 (per-channel)")
      ->check(CLI::IsMember({"per-channel", "per-tensor"}));
  command->add_flag("--front", options->front,
                    "Compare formats of layers: weights of 4 bits in more and more of them");
  command
      ->add_option("--accuracy-drop", options->accuracy_drop,
                   "Choose formats: the smallest weights that get so many percent fewer samples "
                   "right, or without\nlabels give so many another class than float32")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0));
  command
      ->add_option("--weight-bytes", options->weight_bytes,
                   "Choose formats: the least noise within so many bytes of constants, as 60K")
      ->type_name("BYTES");
  for (const char* field : kPlanFields) add_field(*command, request_field(field), options->request);
  command->add_option("--limit", options->limit, "Most samples, from all over the set (1000)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1'000'000'000));
  add_input_options(*command, options->inputs);
  add_json(*command, options->json);
  add_html(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble quantize model.tflite --data photos -o model_int8.tflite\n"
      "  thimble quantize model.tflite --data samples.npy --scale 1 -o model_int8.tflite\n"
      "  thimble quantize model.tflite --data photos --check somebodys_int8.tflite");
  command->callback([options, &status] { status = quantize(*options); });
}

}  // namespace thimble
