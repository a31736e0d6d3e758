// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/folder_code.h"

#include <fmt/format.h>

#include <filesystem>

#include "thimble/driver/driver.h"
#include "thimble/emit/names.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/file_limits.h"
#include "thimble/import/sha256.h"
#include "thimble/output/emitted_folder.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

Manifest::Made made_of(const Compiled& compiled, const Emission& emission) {
  Manifest::Made made{
      .version = THIMBLE_VERSION,
      .command = emission.command,
      .core = compiled.target.core.name,
      .clock_hz = compiled.target.clock_hz,
      .trace = emission.trace,
      .weights_form = emission.weights == WeightsForm::kAuto ? "" : name(emission.weights),
      .labels = compiled.labels};
  for (const Note& note : compiled.notes) {
    if (const auto* struck = std::get_if<note::TimeLimitStruck>(&note))
      made.time_limit_seconds = struck->seconds;
  }
  return made;
}

// As compile() left it: what the plan does not say.
void complete(const Source& source, const GraphOptions& options, const Manifest::Made& made,
              Compiled& compiled) {
  compiled = described(std::move(compiled));
  compiled.target.core.name = made.core;
  compiled.target.clock_hz = made.clock_hz;
  compiled.labels = made.labels;
  const Graph prepared = prepare(source.graph, options);
  if (const auto channels = constant_channels(source.graph, options, prepared))
    compiled.notes.emplace_back(*channels);
  if (made.time_limit_seconds > 0)
    compiled.notes.emplace_back(note::TimeLimitStruck{made.time_limit_seconds});
}

// What of the content of a folder is not there as this Thimble would write it.
std::string differences(const fs::path& folder, const Manifest& before,
                        const FolderContent& content) {
  std::string text;
  for (const auto& [path, wanted] : content.written) {
    if (path == kManifestName) continue;  // its word was taken for what made the code
    const bool there = fs::is_regular_file(folder / path);
    const Bytes bytes = there ? read_file(folder / path, kMaxFileBytes) : Bytes{};
    if (there && std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) ==
                     std::string_view(wanted))
      continue;
    const auto known = before.files.find(path);
    const bool as_written = known != before.files.end() && known->second.sha256 == sha256(bytes);
    text += fmt::format("{}{} {}", text.empty() ? "" : "; ", path,
                        !there       ? "is gone"
                        : as_written ? "is not what this Thimble emits of the plan"
                                     : "has changed");
  }
  for (const std::string& path : content.stale)
    text += fmt::format("{}{} is not of this plan", text.empty() ? "" : "; ", path);
  return text;
}

std::string code_fault(const std::string& folder, const Manifest& manifest, const std::string& name,
                       const Compiled& compiled) {
  const Manifest::Model& model = manifest.models.at(name);
  const Ecosystem& ecosystem = *find_ecosystem(manifest.ecosystem);
  ModelCode code{.name = name, .from = model, .files = {}, .uses = model.uses};
  Emission emission{
      .name = name,
      .command = model.made.command,
      .also_used = model.uses,
      .micro_interpreter = manifest.files.contains(ecosystem.placed(name + "_micro_interpreter.h")),
      .trace = model.made.trace,
      .ecosystem = ecosystem.name};
  for (const WeightsForm form : {WeightsForm::kText, WeightsForm::kIncbin, WeightsForm::kBinary}) {
    if (model.made.weights_form == thimble::name(form)) emission.weights = form;
  }
  code.files = emitted_files(compiled, emission);
  std::vector<ModelCode> models;
  models.push_back(std::move(code));
  return differences(folder, manifest, with_models(manifest, models, ecosystem));
}

}  // namespace

Manifest::Model manifest_entry(const Compiled& compiled, const Emission& emission) {
  return {.model = compiled.origin.model,
          .sha256 = compiled.sha256,
          .made = made_of(compiled, emission)};
}

FolderCode check_folder_code(const Source& source, const std::string& folder, int64_t max_bytes) {
  const std::optional<Manifest> manifest = read_manifest(folder);
  if (!manifest || manifest->models.empty()) {
    throw CompileError(folder, fmt::format("has no {} of Thimble's: verify takes a folder that "
                                           "`compile -o` wrote, or a plan of `compile --save-plan`",
                                           kManifestName));
  }
  for (const auto& [name, from] : manifest->models) {
    if (from.sha256 != source.sha256) continue;
    const std::string file = (fs::path(folder) / plan_file(name)).string();
    if (from.made.version.empty()) {
      throw CompileError(folder, fmt::format("has no plan of '{}', as an earlier Thimble wrote it: "
                                             "compile the model into it again",
                                             name));
    }
    if (from.made.version != THIMBLE_VERSION || from.runtime != runtime_folder(runtime_files())) {
      throw CompileError(
          folder, fmt::format("was written by another Thimble (version {}, {}; this is {}, {}): "
                              "verify it with that one, or {} with this one",
                              from.made.version, from.runtime, THIMBLE_VERSION,
                              runtime_folder(runtime_files()), "check its " + plan_file(name)));
    }
    const SavedPlan saved = read_plan(file);
    FolderCode code{
        .name = name, .compiled = check_saved_plan(source, saved, max_bytes, file), .fault = {}};
    if (!code.compiled.verification.ok()) return code;
    complete(source, options_of(saved.origin, max_bytes), from.made, code.compiled);
    code.fault = code_fault(folder, *manifest, name, code.compiled);
    return code;
  }
  throw CompileError(folder, fmt::format("has no code of {} (sha256 {}; code of a part needs the "
                                         "--until, --shape and --hop that it was made with)",
                                         source.where, source.sha256));
}

}  // namespace thimble
