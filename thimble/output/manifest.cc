// SPDX-License-Identifier: Apache-2.0
#include "thimble/output/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>
#include <string_view>

#include "thimble/emit/folder_readme.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/sha256.h"
#include "thimble/projects/ecosystem.h"

namespace thimble {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr int kFormat = 1;
constexpr int64_t kMostBytes = int64_t{4} << 20;
constexpr int kDeepest = 5;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_letter_or_digit);
}

// "kws.cc", "thimble_runtime_1a2b3c4d/portable/conv_2d.cc"; nothing that leads elsewhere.
bool is_path(std::string_view text) {
  for (;;) {
    const std::string_view part = text.substr(0, text.find('/'));
    const bool plain =
        std::ranges::all_of(part, [](char c) { return is_letter_or_digit(c) || c == '.'; });
    if (part.empty() || part[0] == '.' || !plain) return false;
    if (part.size() == text.size()) return true;
    text.remove_prefix(part.size() + 1);
  }
}

// Whether emit() writes such files: for a model, or of the runtime.
bool is_emitted(const std::string& path, const std::set<std::string>& models) {
  if (path.starts_with("thimble_micro_interpreter/"))
    return path.ends_with(".h") || path.ends_with(".def");
  if (path.starts_with("thimble_runtime_"))
    return path.find('/') != std::string::npos &&
           (path.ends_with(".h") || path.ends_with(".cc") || path.ends_with("/LICENSE"));
  return std::ranges::any_of(models, [&](const std::string& name) {
    for (const char* end : kModelFiles) {
      if (path == name + end) return true;
    }
    return path.starts_with(name + "_") && path.ends_with(".img") &&
           path.find('/') == std::string::npos;
  });
}

Json json_of(const Manifest::Made& made) {
  Json json = {{"version", made.version}, {"command", made.command}, {"core", made.core}};
  if (made.clock_hz != 0) json["clock_hz"] = made.clock_hz;
  if (made.time_limit_seconds != 0) json["time_limit_seconds"] = made.time_limit_seconds;
  if (made.trace) json["trace"] = true;
  if (!made.weights_form.empty()) json["weights_form"] = made.weights_form;
  if (!made.labels.empty()) json["labels"] = made.labels;
  return json;
}

Manifest::Made made_from(const Json& json) {
  return {.version = json.at("version"),
          .command = json.at("command"),
          .core = json.at("core"),
          .clock_hz = json.value("clock_hz", int64_t{0}),
          .time_limit_seconds = json.value("time_limit_seconds", 0.0),
          .trace = json.value("trace", false),
          .weights_form = json.value("weights_form", ""),
          .labels = json.value("labels", std::vector<std::string>())};
}

// Throws Json::exception if anything is missing or of another type.
std::optional<Manifest> read(const Json& json) {
  if (json.at("format").get<int>() != kFormat) return std::nullopt;
  Manifest manifest;
  manifest.ecosystem = json.value("export", "cmake");  // an earlier Thimble's: nothing is said
  const Ecosystem* const ecosystem = find_ecosystem(manifest.ecosystem);
  if (ecosystem == nullptr) return std::nullopt;
  for (const auto& [name, model] : json.at("models").items()) {
    if (!is_name(name)) return std::nullopt;
    Manifest::Model& entry = manifest.models[name];
    entry = {.model = model.at("model"), .sha256 = model.at("sha256")};
    if (!model.contains("runtime")) continue;  // an earlier Thimble's
    entry.runtime = model.at("runtime");
    entry.uses = model.at("uses").get<std::set<std::string>>();
    if (model.contains("made")) entry.made = made_from(model.at("made"));
    entry.readme = model.value("readme", "");
  }
  const auto names = std::views::keys(manifest.models);
  const std::set<std::string> project = ecosystem->paths({names.begin(), names.end()});
  for (const auto& [path, file] : json.at("files").items()) {
    if (!is_path(path)) return std::nullopt;
    Manifest::File& entry = manifest.files[path];
    entry.sha256 = file.at("sha256");
    for (const Json& name : file.at("models")) {
      if (!manifest.models.contains(name.get<std::string>())) return std::nullopt;
      entry.models.insert(name);
    }
    const std::optional<std::string> emitted = ecosystem->emitted(path);
    if (project.contains(path) || path == kManifestName) continue;
    if (!emitted || !is_emitted(*emitted, entry.models)) return std::nullopt;
  }
  return manifest;
}

}  // namespace

std::string to_json(const Manifest& manifest) {
  Json models = Json::object(), files = Json::object();
  for (const auto& [name, model] : manifest.models) {
    models[name] = {{"model", model.model},
                    {"sha256", model.sha256},
                    {"runtime", model.runtime},
                    {"uses", model.uses}};
    if (!model.made.version.empty()) models[name]["made"] = json_of(model.made);
    if (!model.readme.empty()) models[name]["readme"] = model.readme;
  }
  for (const auto& [path, file] : manifest.files)
    files[path] = {{"sha256", file.sha256}, {"models", file.models}};
  const Json json = {{"about", "What Thimble wrote here. It replaces and removes nothing else."},
                     {"format", kFormat},
                     {"export", manifest.ecosystem},
                     {"models", models},
                     {"files", files}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Manifest> manifest_from_json(const std::string& text) {
  const auto not_too_deep = [](int depth, Json::parse_event_t, Json&) { return depth <= kDeepest; };
  try {
    return read(Json::parse(text, not_too_deep));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

std::optional<Manifest> read_manifest(const fs::path& folder) {
  const fs::path file = folder / kManifestName;
  std::error_code error;
  const fs::file_status status = fs::symlink_status(file, error);
  if (!fs::exists(status)) return Manifest{};
  if (!fs::is_regular_file(status) || fs::file_size(file, error) > size_t{kMostBytes} || error)
    return std::nullopt;
  const Bytes bytes = read_file(file, kMostBytes);
  return manifest_from_json(std::string(bytes.begin(), bytes.end()));
}

}  // namespace thimble
