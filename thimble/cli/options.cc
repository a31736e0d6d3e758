// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "thimble/cli/command_text.h"
#include "thimble/driver/inference_io.h"
#include "thimble/model/error.h"
#include "thimble/report/cores_report.h"
#include "thimble/report/weight_formats_text.h"
#include "thimble/target/device.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr const char* kModelHelp = "A .tflite file, or zoo:NAME (see `thimble zoo`)";
constexpr std::array kWeights = {Weights::kWide, Weights::kFast, Weights::kCompact,
                                 Weights::kLeast};

/// "1x96x96x3", or a name, "=" and that.
NamedShape named_shape(const std::string& text) {
  const size_t equals = text.rfind('=');
  NamedShape result;
  if (equals != std::string::npos) result.input = text.substr(0, equals);
  const char* at = text.data() + (equals == std::string::npos ? 0 : equals + 1);
  const char* const end = text.data() + text.size();
  while (true) {
    int32_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    const bool ends = next == end;
    if (error != std::errc() || extent < 1 || (!ends && *next != 'x') || equals == 0) {
      throw CompileError("--shape", fmt::format("'{}' is no shape; one is 1x96x96x3 or "
                                                "NAME=1x96x96x3, each extent at least 1",
                                                text));
    }
    result.shape.push_back(extent);
    if (ends) return result;
    at = next + 1;
  }
}

// CLI::Range takes "nan", which is on neither side.
CLI::Validator between(double least, double most) {
  const auto fault = [least, most](const std::string& text) {
    double value = 0;
    const bool inside = CLI::detail::lexical_cast(text, value) && value >= least && value <= most;
    return inside ? std::string()
                  : fmt::format("'{}' is no number from {} to {}", text, least, most);
  };
  return {fault, fmt::format("[{} - {}]", least, most), "between"};
}

CLI::Validator not_empty() {
  const auto fault = [](const std::string& text) {
    return text.empty() ? std::string("is empty") : std::string();
  };
  return {fault, "", "not_empty"};
}

void add_place(CLI::App& app, const std::string& option, Place& place, const std::string& help) {
  const std::string name = "--" + option;
  // What these options mean elsewhere, for those who type them here.
  const std::string hint = app.get_name() == "run"
                               ? fmt::format("; a file is --{}-file", option)
                               : std::string(option == "output" ? "; a folder is -o" : "");
  app.add_option_function<std::string>(
         name,
         [&place, name, hint](const std::string& text) {
           for (const Place known : {Place::kResident, Place::kUser, Place::kStreamed}) {
             if (text != thimble::name(known)) continue;
             place = known;
             return;
           }
           throw CompileError(
               name, fmt::format("'{}' is none of resident, user, streamed{}", text, hint));
         },
         help)
      ->type_name("PLACE");
}

}  // namespace

std::vector<NamedFile> input_files(const ModelOptions& model, const PlanOptions& plan) {
  return {{"MODEL", model.model}, {"--calibration", plan.calibration}, {"--device", plan.device}};
}

CLI::Option* add_text(CLI::App& app, const std::string& names, std::string& value, const char* type,
                      const std::string& help) {
  return app.add_option(names, value, help)->type_name(type)->check(not_empty());
}

void add_model_options(CLI::App& app, ModelOptions& options) {
  add_text(app, "MODEL", options.model, "", kModelHelp)->required();
  add_import_options(app, options);
  add_graph_options(app, options);
}

void add_model_options(CLI::App& app, std::vector<std::string>& models, ModelOptions& options) {
  app.add_option("MODEL", models,
                 std::string(kModelHelp) + "; several make one firmware, with one budget")
      ->type_name("")
      ->check(not_empty())
      ->required();
  add_import_options(app, options);
  add_graph_options(app, options);
}

void add_force(CLI::App& app, bool& force) {
  as_output(app.add_flag("--force", force, "Replace existing files, whatever they hold"));
}

void add_import_options(CLI::App& app, ModelOptions& options) {
  app.add_option("--until", options.until,
                 "Cut the network off behind this tensor, which becomes its output (its name, as "
                 "`inspect` shows it and whole with --format csv, or its number in the file; may "
                 "be given several times)")
      ->type_name("TENSOR")
      ->allow_extra_args(false);
  app.add_option("--shape", options.shapes,
                 "Shape of an input, where the file leaves it open or has another: 1x96x96x3, or "
                 "NAME=1x96x96x3 (may be given several times)")
      ->type_name("[INPUT=]SHAPE")
      ->allow_extra_args(false);
}

void add_graph_options(CLI::App& app, ModelOptions& options) {
  app.add_flag_callback(
      "--no-rewrite", [&options] { options.rewrite = false; }, "Keep the graph as the file has it");
  app.add_flag("--keep-channels", options.keep_channels,
               "Compute channels that are the same for every input, too");
  app.add_option("--io-type", options.io_type,
                 "int8: drop a quantize or dequantize at the edge; the API then takes integers")
      ->check(CLI::IsMember({"model", "int8"}));
  add_max_bytes(app, options.max_bytes);
}

void add_max_bytes(CLI::App& app, std::string& size) {
  add_text(app, "--max-bytes", size, "SIZE",
           "Refuse a model or a plan with more bytes of activations than this (128M): checking it "
           "takes memory and time in proportion");
}

void add_plan_options(CLI::App& app, PlanOptions& options) {
  add_text(app, "--planner", options.planner, "NAME",
           "NAME or NAME:key=value,... (see `thimble planners`)");
  add_text(app, "--calibration", options.calibration, "FILE",
           "Typical inputs (.npy or .safetensors) to measure the scales of lossy accumulators on "
           "(default: a bound from the weights)");
  app.add_option("--pick", options.pick, "The plan of this number in `thimble plan --pareto`")
      ->type_name("NUMBER");
  add_limit_options(app, options);
}

void add_target_options(CLI::App& app, std::string& device, std::string& core) {
  add_text(app, "--device", device, "NAME",
           "Board or chip whose memory is the limit (see `thimble devices`), or your own as "
           "FILE.json")
      ->transform([](const std::string& name) {
        // By its own name from here on, so that what is written does not depend on spelling.
        return name.ends_with(".json") ? name : find_device(name).target.name;
      });
  add_text(app, "--core", core, "CORE",
           "Core whose instructions kernels may use: cortex-m4, M0+, rv32imc, cortex-m4+nofp, ...; "
           "list: all (default: the device's; without one, kernels for any core)")
      ->transform([](const std::string& name) {
        if (name == "list") throw CLI::CallForVersion(cores_text(), 0);
        return core_named(name).name;
      });
}

void add_limit_options(CLI::App& app, PlanOptions& options) {
  add_target_options(app, options.device, options.core);
  add_text(app, "--sram", options.sram, "SIZE",
           "Most SRAM for the arena: 65536, 64K (= 65,536), 64kB (= 64,000)");
  add_text(app, "--flash", options.flash, "SIZE", "Most flash for code and weights");
  app.add_option(
         "--weights", options.weights,
         "Of a core that has kernels for it: fast, in 16 bits; compact, in 8 but for "
         "depthwise convolutions in place; least, in 8; auto: fast or, where --flash or the device "
         "has no room for that, for each operator the one that is best for all; wide: fast, and "
         "those of 8 bits beside float32 in 32 (auto)")
      ->check(CLI::IsMember({"auto", "wide", "fast", "compact", "least"}));
  app.add_flag("--external-ram", options.external_ram,
               "Buffers that do not fit on chip may lie in the device's external RAM");
  app.add_option("--max-recompute", options.max_recompute,
                 "Most MACs beyond the network's that a plan may execute, as a ratio of them "
                 "(planners that recompute: any)")
      ->type_name("RATIO")
      ->check(between(0.0, 1e6));
  app.add_option(
         "--max-latency", options.max_latency,
         "Most estimated instructions, as a ratio of the fastest plan's; inf: any (1.25; with "
         "a limit on SRAM any)")
      ->type_name("RATIO")
      ->check(between(1.0, std::numeric_limits<double>::infinity()));
  app.add_option("--jobs", options.jobs,
                 "Threads, which make no difference to the plan (all cores)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1024));
  app.add_option("--effort", options.effort, "Work of the search, in multiples of the usual (1)")
      ->type_name("NUMBER")
      ->check(between(1, 1e6));
  app.add_flag_callback(
      "--no-in-place", [&options] { options.in_place = false; }, "No output over an input");
  app.add_option("--layout", options.layout,
                 "Address assignment: exact, or what the interpreter does")
      ->check(CLI::IsMember({"exact", "greedy_by_size"}));
  app.add_option(
         "--time-limit", options.time_limit_seconds,
         "Most time for planning and layout together; past it, the best answer so far (300)")
      ->type_name("SECONDS")
      ->check(between(0.001, 86400.0));
  add_place(app, "input", options.ports.input,
            "Where inputs come from: resident, in the arena (default); user, memory of yours that "
            "is read and left as it is; streamed, row by row, not whole in memory unless that "
            "needs less (planners auto and stream)");
  add_place(app, "output", options.ports.output,
            "Where outputs go: resident, in the arena (default); user, memory of yours; streamed, "
            "row by row");
}

CLI::Option* add_json(CLI::App& app, ReportFile& file) {
  file.command = &app;
  return as_output(add_text(app, "--json", file.path, "FILE",
                            "Write the figures as JSON to a file (docs/json.md)"));
}

int64_t size_option(const char* option, const std::string& text) {
  try {
    return parse_size(text);
  } catch (const CompileError& error) {
    throw CompileError(option, error.what());
  }
}

ImportOptions import_options(const ModelOptions& options) {
  ImportOptions result{.until = options.until};
  for (const std::string& text : options.shapes) {
    const NamedShape shape = named_shape(text);
    if (std::ranges::find(result.shapes, shape.input, &NamedShape::input) != result.shapes.end()) {
      throw CompileError(
          "--shape",
          fmt::format("{} has two shapes; '{}' is the second",
                      shape.input.empty() ? "the input" : fmt::format("'{}'", shape.input), text));
    }
    result.shapes.push_back(shape);
  }
  return result;
}

GraphOptions graph_options(const ModelOptions& options) {
  return {.rewrite = options.rewrite,
          .keep_channels = options.keep_channels,
          .int8_io = options.io_type == "int8",
          .max_bytes = size_option("--max-bytes", options.max_bytes)};
}

Target target_option(const std::string& device, const std::string& core) {
  Target result = device.empty() ? Target{} : find_target(device);
  if (core.empty()) return result;
  if (!is_core_name(core)) {
    throw CompileError("--core",
                       fmt::format("'{}' is not the name of a core, such as cortex-m4", core));
  }
  result.core = core_named(core);
  return result;
}

Request request(const ModelOptions& model, const PlanOptions& plan) {
  Request result{
      .model = model.model,
      .import = import_options(model),
      .graph = graph_options(model),
      .planner = plan.planner,
      .max_recompute = plan.max_recompute,
      .max_latency = plan.max_latency,
      .effort = plan.effort,
      .jobs = plan.jobs,
      .pick = plan.pick,
      .in_place = plan.in_place,
      .ports = plan.ports,
      .layout = plan.layout == "exact" ? LayoutMethod::kExact : LayoutMethod::kGreedyBySize,
      .time_limit_seconds = plan.time_limit_seconds};
  result.target = target_option(plan.device, plan.core);
  for (const Weights weights : kWeights) {
    if (plan.weights == name(weights)) result.weights = weights;
  }
  result.external_ram = plan.external_ram;
  if (!plan.sram.empty()) result.sram_bytes = size_option("--sram", plan.sram);
  if (!plan.flash.empty()) result.flash_bytes = size_option("--flash", plan.flash);
  if (!plan.calibration.empty())
    result.calibration = {plan.calibration, read_inputs(plan.calibration)};
  check_search_options(result);
  return result;
}

}  // namespace thimble
