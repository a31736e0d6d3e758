// SPDX-License-Identifier: Apache-2.0
#include "zoo/zoo.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "thimble/cli/commands.h"
#include "thimble/cli/options.h"
#include "thimble/cli/output_files.h"
#include "thimble/cli/progress_line.h"
#include "thimble/export/tflite.h"
#include "thimble/operators/operators.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

int list_zoo() {
  size_t width = 0;
  for (const ZooEntry& entry : zoo_entries()) width = std::max(width, entry.name.size());
  for (const ZooEntry& entry : zoo_entries()) {
    fmt::print("zoo:{:<{}}  {}\n", entry.name, width, entry.about);
    for (const ZooEntry::Parameter& p : entry.parameters) {
      fmt::print("    {}={}  {}\n", p.key, p.initial, p.meaning);
    }
  }
  return kDone;
}

int build(const std::string& spec, const std::string& file, bool force) {
  check_outputs({}, {{{"-o", file}, FileKind::kTflite}}, force);
  // "zoo:NAME" is what the other commands take.
  const std::string name = spec.starts_with("zoo:") ? spec.substr(4) : spec;
  std::optional<ProgressLine> progress("building the network");
  const Graph graph = build_zoo(name);
  write_tflite(graph, file);
  progress.reset();
  fmt::print("{}: {} operators, {} MACs, {}\n", file, graph.ops.size(),
             with_separators(macs(graph)),
             human_size(static_cast<int64_t>(std::filesystem::file_size(file))));
  return kDone;
}

}  // namespace

void add_zoo(CLI::App& app, int& status) {
  struct Options {
    std::string spec, file;
    bool force = false;
  };
  CLI::App* zoo = app.add_subcommand("zoo", "Networks of the papers, built by Thimble");
  zoo->require_subcommand(0, 1);
  zoo->footer(
      "Examples:\n"
      "  thimble zoo list\n"
      "  thimble zoo build mobilenet_v2:width=0.35,resolution=144 -o mobilenet.tflite\n"
      "  thimble inspect zoo:ds_cnn_s");
  CLI::App* list = zoo->add_subcommand("list", "The networks and their parameters");
  CLI::App* make = zoo->add_subcommand("build", "Write a network as a .tflite file");
  auto options = std::make_shared<Options>();
  add_text(*make, "NAME", options->spec, "", "NAME or NAME:key=value,...")->required();
  add_text(*make, "-o,--output", options->file, "FILE", "The .tflite file to write")->required();
  add_force(*make, options->force);
  zoo->callback([zoo, list, make, options, &status] {
    if (zoo->get_subcommands().empty() || list->parsed()) status = list_zoo();
    if (make->parsed()) status = build(options->spec, options->file, options->force);
  });
}

}  // namespace thimble
