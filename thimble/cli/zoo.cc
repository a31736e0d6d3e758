// SPDX-License-Identifier: Apache-2.0
#include "zoo/zoo.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/zoo_report.h"
#include "thimble/export/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/report/json_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

struct ZooOptions {
  std::string spec, file;
  ReportFile list_json, build_json;
  bool force = false;
};

int list_zoo(const ZooOptions& options) {
  const ReportFile& json = options.list_json;
  check_outputs({}, {{{"--json", json.path}, FileKind::kReport, "zoo list"}}, options.force);
  write_report(json, "", zoo_json());
  print_beside(json, zoo_text());
  return kDone;
}

int build(const ZooOptions& options) {
  const std::string &spec = options.spec, &file = options.file;
  const ReportFile& json = options.build_json;
  check_outputs(
      {},
      {{{"-o", file}, FileKind::kTflite}, {{"--json", json.path}, FileKind::kReport, "zoo build"}},
      options.force);
  // "zoo:NAME" is what the other commands take.
  const std::string name = spec.starts_with("zoo:") ? spec.substr(4) : spec;
  std::optional<ProgressLine> progress("building the network");
  const Graph graph = build_zoo(name);
  write_tflite(graph, file);
  progress.reset();
  const auto file_bytes = static_cast<int64_t>(std::filesystem::file_size(file));
  write_report(json, "",
               json_text("zoo build", {{"network", name},
                                       {"file", file},
                                       {"operators", graph.ops.size()},
                                       {"macs", macs(graph)},
                                       {"file_bytes", file_bytes}}));
  print_beside(json, fmt::format("{}: {} operators, {} MACs, {}\n", file, graph.ops.size(),
                                 with_separators(macs(graph)), human_size(file_bytes)));
  return kDone;
}

}  // namespace

void add_zoo(CLI::App& app, int& status) {
  CLI::App* zoo = app.add_subcommand("zoo", "Networks of the papers, built by Thimble");
  zoo->require_subcommand(0, 1);
  zoo->footer(
      "Examples:\n"
      "  thimble zoo list\n"
      "  thimble zoo build mobilenet_v2:width=0.35,resolution=144 -o mobilenet.tflite\n"
      "  thimble inspect zoo:ds_cnn_s");
  CLI::App* list = zoo->add_subcommand("list", "The networks and their parameters");
  CLI::App* make = zoo->add_subcommand("build", "Write a network as a .tflite file");
  auto options = std::make_shared<ZooOptions>();
  add_text(*make, "NAME", options->spec, "", "NAME or NAME:key=value,...")->required();
  as_output(add_text(*make, "-o,--output", options->file, "FILE", "The .tflite file to write"))
      ->required();
  add_json(*list, options->list_json);
  add_json(*make, options->build_json);
  for (CLI::App* command : {list, make}) add_force(*command, options->force);
  zoo->callback([zoo, list, make, options, &status] {
    if (zoo->get_subcommands().empty() || list->parsed()) status = list_zoo(*options);
    if (make->parsed()) status = build(*options);
  });
}

}  // namespace thimble
