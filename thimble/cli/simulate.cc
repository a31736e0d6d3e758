// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/simulation.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

struct SimulateOptions {
  RequestOptions request;
  std::string svg;
  ReportFile json;
  bool polled = false, erase_ahead = false, erase_beside = false, force = false;
  double compressed = 1, ns_per_mac = 0, per_day = 0;  ///< 0: not given
  int inferences = 0;                                  ///< 0: as many as it takes
};

// What CLI11 takes for a number, and lies in no range.
void check_numbers(const SimulateOptions& options) {
  const std::pair<const char*, double> numbers[] = {{"--compressed", options.compressed},
                                                    {"--ns-per-mac", options.ns_per_mac},
                                                    {"--per-day", options.per_day}};
  for (const auto& [option, number] : numbers) {
    if (!std::isfinite(number)) throw CompileError(option, "is not a number");
  }
}

SimulationRequest wanted_of(const SimulateOptions& options) {
  constexpr int kMostDrawn = 10;
  check_numbers(options);
  if (!options.svg.empty() && options.inferences > kMostDrawn) {
    throw CompileError("--svg", fmt::format("draws {} inferences at most, not {}", kMostDrawn,
                                            options.inferences));
  }
  constexpr double kNano = 1e-9;
  // The second inference waits for what the first one erases.
  const int usual = options.erase_ahead ? 2 : 1;
  return {.driver = {.polled = options.polled,
                     .erases_ahead = options.erase_ahead,
                     .erases_beside = options.erase_beside,
                     .stored_share = options.compressed},
          .options = {.inferences = options.inferences > 0 ? options.inferences : usual,
                      .keeps_spans = !options.svg.empty()},
          .seconds_per_mac =
              options.ns_per_mac > 0 ? std::optional(kNano * options.ns_per_mac) : std::nullopt,
          .inferences_per_day = options.per_day > 0 ? std::optional(options.per_day) : std::nullopt,
          .storage = {}};
}

int simulate_model(const SimulateOptions& options) {
  check_outputs(input_files(options.request),
                {{{"--svg", options.svg}, FileKind::kSvg},
                 {{"--json", options.json.path}, FileKind::kReport, "simulate"}},
                options.force);
  Request asked = request(options.request);
  asked.model = read_model(options.request.model, asked.import);
  const SimulationRequest wanted = wanted_of(options);
  check_speed(asked.target, wanted);
  const auto compiled = compile_shown(asked, options.json);
  if (!compiled) return kDoesNotFit;
  if (!compiled->fits()) {
    print_no(options.json, compiled->sha256,
             {.model = compiled->where,
              .planner = compiled->plan.planner,
              .reason = shortage(*compiled)});
    return kDoesNotFit;
  }
  std::string json, svg, text;
  {
    const ProgressLine progress("simulating");
    const SimulationReport report = simulation_report(asked, *compiled, wanted);
    const Origin origin = origin_of(*options.json.command, compiled->sha256);
    if (!options.svg.empty()) svg = svg_with(origin, simulation_svg(report));
    json = simulation_json(report);
    text = simulation_text(report);
  }
  write_text(options.svg, svg);
  write_report(options.json, compiled->sha256, json);
  if (options.svg != kStandardOutput) print_beside(options.json, text);
  return kDone;
}

}  // namespace

void add_simulate(CLI::App& app, int& status) {
  auto options = std::make_shared<SimulateOptions>();
  CLI::App* command = app.add_subcommand(
      "simulate", "A plan in time on a device: what it computes, moves, erases and waits for");
  add_model_options(*command, options->request);
  add_plan_options(*command, options->request);
  command->add_flag("--polled", options->polled,
                    "The core moves the bytes of storage itself, and waits for erases (default: a "
                    "DMA does, and storage erases by itself)");
  command->add_flag("--erase-ahead", options->erase_ahead,
                    "Storage has a second area, which is erased for the next inference meanwhile");
  command->add_flag("--erase-beside", options->erase_beside,
                    "Erases hold up no reads and writes, as another bank or core does them");
  command
      ->add_option("--compressed", options->compressed,
                   "Of the bytes of a record, those that are moved (1): a ratio to be assumed")
      ->type_name("RATIO")
      ->check(CLI::Range(0.001, 2.0));
  command
      ->add_option("--ns-per-mac", options->ns_per_mac,
                   "Time of the core by MACs, in place of its instructions and clock")
      ->type_name("NUMBER")
      ->check(CLI::Range(1e-6, 1e9));
  command
      ->add_option("--inferences", options->inferences,
                   "So many behind one another; figures are the last one's (1; with --erase-ahead "
                   "2)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1, 1000));
  command
      ->add_option("--per-day", options->per_day,
                   "Inferences a day, for years of wear (as many as there is time for)")
      ->type_name("NUMBER")
      ->check(CLI::Range(1e-3, 1e9));
  add_json(*command, options->json);
  as_output(add_text(*command, "--svg", options->svg, "FILE",
                     "Draw it: time to the right, a lane for the core and each storage"));
  add_force(*command, options->force);
  command->footer(
      "Examples:\n"
      "  thimble simulate model.tflite --device nucleo-f446re\n"
      "  thimble simulate zoo:tiny_unet --planner tinyseg --device nucleo-h743zi "
      "--storage flash_bank2\n"
      "  thimble simulate zoo:tiny_unet --planner tinyseg --ns-per-mac 15.7 --svg time.svg \\\n"
      "    --storage card:write=512,read_speed=10M,write_speed=2M");
  command->callback([options, &status] { status = simulate_model(*options); });
}

}  // namespace thimble
