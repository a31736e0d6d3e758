// SPDX-License-Identifier: Apache-2.0
#include "thimble/projects/ecosystem.h"

#include <algorithm>

#include "thimble/emit/folder_readme.h"
#include "thimble/projects/filled.h"

namespace thimble {
namespace {

constexpr std::string_view kEmittedEnd = ".cc";
constexpr std::string_view kBytesEnd = ".bin";
constexpr std::string_view kExampleEnd = "_example.c";
/// What no compiler reads: what is flashed apart, and the plan.
constexpr std::string_view kRootEnds[] = {".img", "_weights.bin", "_plan.json"};

// With another end, also before that of bytes: "kws_weights.cc.bin".
std::string with_end(std::string path, std::string_view from, std::string_view to) {
  std::string behind;
  if (path.ends_with(kBytesEnd)) {
    behind = kBytesEnd;
    path.resize(path.size() - kBytesEnd.size());
  }
  if (path.ends_with(from)) path = path.substr(0, path.size() - from.size()).append(to);
  return path + behind;
}

bool is_public_header(const std::string& emitted) {
  return emitted.find('/') == std::string::npos && emitted.ends_with(".h") &&
         !emitted.ends_with("_weights.h");
}

// What stands for "@NAME@" in a path: letters, digits and underscores.
std::optional<std::string> name_in(const std::string& path, const std::string& pattern) {
  constexpr std::string_view kName = "@NAME@";
  const size_t begin = pattern.find(kName);
  const size_t behind = begin + kName.size();
  const std::string end = pattern.substr(behind, pattern.find_first_of("/.", behind) - behind);
  std::string name = path.substr(std::min(begin, path.size()));
  name = name.substr(0, name.find_first_of("/."));
  if (!name.ends_with(end)) return std::nullopt;
  name.resize(name.size() - end.size());
  return filled(pattern, {{"NAME", name}}) == path ? std::optional(name) : std::nullopt;
}

}  // namespace

bool ProjectModel::needs(std::string_view instructions) const {
  const std::string folder = "/" + std::string(instructions) + "/";
  return std::ranges::any_of(
      sources, [&](const std::string& source) { return source.find(folder) != std::string::npos; });
}

std::string ProjectFacts::name() const {
  return models.size() == 1 ? models.front().name : "thimble_models";
}

std::vector<EmittedFile> Ecosystem::all_files(const ProjectFacts& project) const {
  std::vector<std::string> sections;
  for (const ProjectModel& model : project.models) {
    if (!model.readme.empty()) sections.push_back(model.readme);
  }
  std::vector<EmittedFile> all = files(project);
  all.push_back(
      {kReadme, folder_readme(sections, {project.runtimes.begin(), project.runtimes.end()},
                              project.version, building(project))});
  return all;
}

std::set<std::string> Ecosystem::paths(const std::vector<std::string>& names) const {
  std::set<std::string> all;
  if (names.empty()) return all;
  ProjectFacts project;
  for (const std::string& model : names) project.models.push_back({model, {}});
  for (const EmittedFile& file : all_files(project)) all.insert(file.path);
  return all;
}

std::string Ecosystem::placed(const std::string& emitted) const {
  if (emitted.ends_with(kExampleEnd) && emitted.find('/') == std::string::npos) {
    return filled(places.example,
                  {{"NAME", emitted.substr(0, emitted.size() - kExampleEnd.size())}});
  }
  for (const std::string_view end : kRootEnds) {
    if (emitted.ends_with(end)) return emitted;
  }
  if (is_public_header(emitted)) return places.headers + emitted;
  return places.sources + with_end(emitted, kEmittedEnd, places.source_end);
}

std::optional<std::string> Ecosystem::emitted(const std::string& path) const {
  std::vector<std::string> possible;
  if (const auto model = name_in(path, places.example))
    possible.push_back(*model + std::string(kExampleEnd));
  for (const std::string& folder : {places.headers, places.sources, std::string()}) {
    if (path.starts_with(folder))
      possible.push_back(with_end(path.substr(folder.size()), places.source_end, kEmittedEnd));
  }
  for (const std::string& candidate : possible) {
    if (placed(candidate) == path) return candidate;
  }
  return std::nullopt;
}

}  // namespace thimble
