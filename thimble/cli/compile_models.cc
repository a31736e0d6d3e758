// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "thimble/cli/answers.h"
#include "thimble/cli/command_text.h"
#include "thimble/cli/commands.h"
#include "thimble/cli/compile_options.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/bundle.h"
#include "thimble/driver/folder_code.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/run.h"
#include "thimble/emit/identifier.h"
#include "thimble/output/emitted_folder.h"
#include "thimble/report/bundle_report.h"

namespace thimble {
namespace {

void refuse_options_of_one(const CompileOptions& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given) {
      throw CompileError(option,
                         "is for one model at a time; several may come to one folder one by one");
    }
  };
  for (const char* field :
       {"name", "until", "shape", "hop", "hop_axis", "pick", "calibration", "labels"})
    refuse(options.request.has(field), request_field(field).option);
  refuse(!options.save_plan.empty(), "--save-plan");
  refuse(!options.json.html.empty(), "--html");
  refuse(options.explain, "--explain");
}

/// A model on the command line.
struct NamedSource {
  std::string name;  ///< of its code
  Source source;
};

std::vector<NamedSource> read_models(const CompileOptions& options) {
  std::vector<NamedSource> models;
  for (const std::string& path : options.models) {
    Source source = read_model(path, {});
    const std::string name = identifier(source.graph.name);
    for (const NamedSource& other : models) {
      if (other.name == name) {
        throw CompileError(path, fmt::format("its code would be called {}, as that of {}: compile "
                                             "one of them by itself, with --name, into the same "
                                             "folder",
                                             name, other.source.where));
      }
    }
    models.push_back({name, std::move(source)});
  }
  return models;
}

void check_targets(const CompileOptions& options, const std::vector<NamedSource>& models,
                   const Ecosystem& ecosystem) {
  std::vector<NamedFile> inputs = input_files(options.request);
  std::vector<OutputFile> outputs = {{{"--json", options.json.path}, FileKind::kReport, "bundle"}};
  for (const std::string& model : options.models) inputs.push_back({"MODEL", model});
  if (options.folder.empty()) return check_outputs(inputs, outputs, options.force);
  outputs.push_back({{"-o", options.folder}, FileKind::kFolder});
  NamedModels named;
  for (const NamedSource& model : models)
    named.emplace(model.name, Manifest::Model{model.source.graph.name, model.source.sha256});
  for (const std::string& file : fixed_names(named, ecosystem)) {
    outputs.push_back(
        {{"-o", (std::filesystem::path(options.folder) / file).string()}, FileKind::kFolder});
  }
  check_outputs(inputs, outputs, options.force);
  check_folder(options.folder, named, ecosystem, options.force);
}

BundleRequest bundle_request(const CompileOptions& options,
                             const std::vector<NamedSource>& models) {
  BundleRequest bundle{.models = {}, .share_arena = options.request.has("share_arena")};
  for (const NamedSource& model : models) {
    Request asked = request(options.request);
    asked.model = model.source;
    asked.emission->name = model.name;
    asked.emission->command = emitting_command_text(*options.json.command) + " -o models";
    bundle.models.push_back(std::move(asked));
  }
  return bundle;
}

BundleAnswer compile_shown(BundleRequest bundle) {
  std::optional<ProgressLine> line;
  std::string shown;
  for (Request& model : bundle.models) {
    const std::string name = model.emission->name;
    model.progress = [&line, &shown, name](Phase phase) {
      const std::string text = fmt::format("{}: {}", name, thimble::name(phase));
      if (text == shown) return true;
      line.reset();
      line.emplace(text);
      shown = text;
      return true;
    };
  }
  return compile(bundle);
}

BundlePart part_of(const Compiled& model) {
  Bundle alone;
  alone.models.push_back(model);
  return {.arena_bytes = alone.arena_bytes(),
          .kept_bytes = alone.state_bytes(),
          .weight_bytes = model.cost.weight_bytes,
          .sram_bytes = model.verdict.sram_bytes(),
          .flash_bytes = model.verdict.flash_bytes()};
}

BundleReport report_of(const Bundle& bundle, const std::vector<NamedSource>& sources) {
  BundleReport report{.models = {},
                      .share_arena = bundle.share_arena,
                      .equal_bytes = bundle.equal_bytes,
                      .together = {.arena_bytes = bundle.arena_bytes(),
                                   .kept_bytes = bundle.state_bytes(),
                                   .weight_bytes = bundle.verdict.weight_bytes,
                                   .sram_bytes = bundle.verdict.sram_bytes(),
                                   .flash_bytes = bundle.verdict.flash_bytes()},
                      .verdict = bundle.verdict};
  for (size_t m = 0; m < bundle.models.size(); ++m) {
    const Compiled& model = bundle.models[m];
    report.models.push_back({bundle.names[m], model.sha256, compile_report(model), part_of(model)});
    report.models.back().report.warnings = warnings_of(sources[m].source.graph, model);
  }
  return report;
}

std::string write_files(const CompileOptions& options, const Bundle& bundle,
                        const BundleRequest& asked, const BundleReport& report,
                        const Ecosystem& ecosystem) {
  std::string said;
  std::optional<StagedFolder> folder;
  if (bundle.fits() && !options.folder.empty()) {
    std::vector<ModelCode> models;
    for (size_t m = 0; m < bundle.models.size(); ++m) {
      models.push_back({bundle.names[m],
                        manifest_entry(bundle.models[m], *asked.models[m].emission),
                        bundle.models[m].files, bundle.uses[m]});
      said += (m == 0 ? "" : ", ") + ecosystem.placed(bundle.names[m] + ".h");
    }
    said = fmt::format("wrote {}: {} and what they need, with one runtime\n", options.folder, said);
    said += replacements(options.folder, models, ecosystem);
    folder.emplace(options.folder, std::move(models), options.force, ecosystem);
  }
  write_report(options.json, "", bundle_json(report));
  if (folder) folder->commit();
  if (!bundle.fits() && !options.folder.empty())
    said = fmt::format("nothing was written to {}\n", options.folder);
  return said;
}

int say_no(const CompileOptions& options, const BundleRequest& asked,
           const BundleInfeasible& infeasible) {
  const Infeasible& no = infeasible.no;
  const Request& first = asked.models.front();
  InfeasibleReport report{
      .model = infeasible.model.empty() ? fmt::format("{} models", options.models.size())
                                        : infeasible.model,
      .planner = first.planner.empty() ? planners_for(first.ports).back() : first.planner,
      .reason = no.reason,
      .lower_bound_bytes =
          no.lower_bound_bytes == 0 ? std::nullopt : std::optional(no.lower_bound_bytes),
      .sram_limit_bytes = first.sram_limit_bytes()};
  print_no(options.json, "", report, [&] { return alternatives(asked, infeasible); });
  return kDoesNotFit;
}

}  // namespace

int compile_models(const CompileOptions& options) {
  refuse_options_of_one(options);
  const std::vector<NamedSource> sources = read_models(options);
  const Ecosystem& ecosystem = ecosystem_of(options);
  check_targets(options, sources, ecosystem);
  const BundleRequest asked = bundle_request(options, sources);
  const BundleAnswer answer = compile_shown(asked);
  if (const auto* no = std::get_if<BundleInfeasible>(&answer)) return say_no(options, asked, *no);
  Bundle bundle = std::get<Bundle>(answer);
  BundleReport report = report_of(bundle, sources);
  if (!bundle.fits()) {
    const ProgressLine progress("trying what would need less");
    report.alternatives = alternatives(asked, bundle);
  }
  if (options.measure) {
    const ProgressLine progress("cross-compiling and running on the emulated board");
    const std::string& core = asked.models.front().target.core.name;
    report.measured = measured_cost(bundle.models, bundle.names, core.empty() ? "cortex-m4" : core);
    bundle.verdict = report.verdict = measured_verdict(report.verdict, *report.measured);
    report.together.sram_bytes = report.verdict.sram_bytes();
    report.together.flash_bytes = report.verdict.flash_bytes();
    report.together.weight_bytes = report.verdict.weight_bytes;
  }
  const std::string said = write_files(options, bundle, asked, report, ecosystem);
  print_beside(options.json, bundle_text(report) + said);
  return bundle.fits() ? kDone : kDoesNotFit;
}

}  // namespace thimble
