// SPDX-License-Identifier: Apache-2.0
#include "thimble/output/emitted_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <system_error>

#include "thimble/emit/folder_readme.h"
#include "thimble/emit/runtime_copy.h"
#include "thimble/emit/uses.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/sha256.h"
#include "thimble/model/error.h"

namespace thimble {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostFileBytes = int64_t{1} << 32;

[[noreturn]] void fail(const fs::path& target, const std::string& reason) {
  throw CompileError(target.string(), fmt::format("the folder cannot be written: {}", reason));
}

// Each model's own files first.
ProjectFacts project_of(const Manifest& manifest, const Ecosystem& ecosystem) {
  ProjectFacts project{.version = THIMBLE_VERSION, .models = {}};
  for (const auto& [name, from] : manifest.models) {
    ProjectModel model{.name = name, .sources = {}, .readme = from.readme};
    if (!from.runtime.empty())
      project.runtimes.insert(
          fs::path(ecosystem.placed(from.runtime + "/LICENSE")).parent_path().generic_string());
    const auto has = [&, &its = name](const std::string& path) {
      const auto file = manifest.files.find(path);
      return file != manifest.files.end() && file->second.models.contains(its);
    };
    for (const auto& [path, file] : manifest.files) {
      if (!has(path) || !ecosystem.emitted(path).value_or("").ends_with(".cc")) continue;
      model.sources.push_back(path);
      if (has(path + ".bin")) model.with_bytes.push_back(path);
    }
    if (has(ecosystem.placed(name + "_weights.bin")))
      model.at_address = ecosystem.placed(name + "_weights.cc");
    const auto is_own = [&](const std::string& source) {
      return ecosystem.emitted(source)->find('/') == std::string::npos;
    };
    std::stable_partition(model.sources.begin(), model.sources.end(), is_own);
    project.models.push_back(std::move(model));
  }
  return project;
}

std::set<std::string> project_paths(const NamedModels& models, const Ecosystem& ecosystem) {
  const auto names = std::views::keys(models);
  return ecosystem.paths({names.begin(), names.end()});
}

// Other models would be left in a layout that the folder no longer has.
void check_layout(const fs::path& asked, const NamedModels& models, const Ecosystem& ecosystem) {
  const Manifest manifest = read_manifest(asked).value_or(Manifest{});
  if (manifest.ecosystem == ecosystem.name) return;
  for (const auto& [name, from] : manifest.models) {
    if (models.contains(name)) continue;
    throw CompileError(
        asked.string(),
        fmt::format("is laid out for {0}, and has the code of {1}: give --export {0}, -o another "
                    "folder, or compile {1} together with the others",
                    manifest.ecosystem, name));
  }
}

// Whether there is a link, or a file, in place of a folder on the way.
bool leads_elsewhere(const fs::path& folder, const fs::path& path) {
  for (fs::path above = path.parent_path(); !above.empty(); above = above.parent_path()) {
    const fs::file_status status = fs::symlink_status(folder / above);
    if (fs::exists(status) && !fs::is_directory(status)) return true;
  }
  return false;
}

// Whether a file may be replaced or removed: it is not there, or is as Thimble wrote it.
bool is_free(const fs::path& folder, const std::string& path, const Manifest& manifest) {
  if (leads_elsewhere(folder, path)) return false;
  const fs::file_status status = fs::symlink_status(folder / path);
  if (!fs::exists(status)) return true;
  if (!fs::is_regular_file(status)) return false;
  if (path == kManifestName) return true;  // it has been read
  const auto known = manifest.files.find(path);
  return known != manifest.files.end() &&
         known->second.sha256 == sha256(read_file(folder / path, kMostFileBytes));
}

std::string list_text(const std::vector<std::string>& paths) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t k = 0; k < std::min(paths.size(), kShown); ++k)
    text += (k == 0 ? "" : ", ") + paths[k];
  return paths.size() <= kShown ? text : fmt::format("{} and {} more", text, paths.size() - kShown);
}

// Throws CompileError if one of `paths` is the user's, or the name is another model's.
void check_free(const fs::path& asked, const std::string& name, const Manifest::Model& from,
                const std::vector<std::string>& paths) {
  const std::optional<Manifest> manifest = read_manifest(asked);
  std::vector<std::string> taken;
  if (!manifest) taken.emplace_back(kManifestName);
  for (const std::string& path : paths) {
    const bool free = is_free(asked, path, manifest.value_or(Manifest{}));
    if (!free && (manifest || path != kManifestName)) taken.push_back(path);
  }
  if (!taken.empty()) {
    throw CompileError(asked.string(),
                       fmt::format("has files that Thimble did not write, or that were changed "
                                   "since: {}; give -o another folder, or --force to replace them",
                                   list_text(taken)));
  }
  const auto same_name = manifest->models.find(name);
  if (same_name != manifest->models.end() && same_name->second.model != from.model) {
    throw CompileError(asked.string(),
                       fmt::format("has the code of another model, '{}', under the name {}; give "
                                   "--name another, or --force to replace it",
                                   same_name->second.model, name));
  }
}

// In place of what the folder has of it.
void add(ModelCode& code, FolderContent& content, const Ecosystem& ecosystem) {
  Manifest& manifest = content.manifest;
  for (auto& [path, file] : manifest.files) file.models.erase(code.name);
  Manifest::Model& model = manifest.models[code.name] = code.from;
  for (EmittedFile& file : code.files) {
    if (file.path == kReadme) {
      model.readme = std::move(file.text);
      continue;
    }
    const std::string placed = ecosystem.placed(file.path);
    Manifest::File& entry = manifest.files[placed];
    entry.sha256 = sha256(file.text);
    entry.models.insert(code.name);
    const fs::path path = file.path;
    if (path.filename() == "uses.h") {
      model.runtime = path.parent_path().generic_string();
      model.uses = code.uses.value_or(parts_in(file.text));
    }
    content.written[placed] = std::move(file.text);
  }
  code.files.clear();
}

// Copies of other versions stay as they are.
void merge_runtimes(FolderContent& content, const Ecosystem& ecosystem) {
  const std::string folder = runtime_folder(runtime_files());
  std::set<std::string> used;
  for (const auto& [name, model] : content.manifest.models) {
    if (model.runtime == folder) used.insert(model.uses.begin(), model.uses.end());
  }
  for (const EmittedFile& copy : runtime_copies(runtime_files(), used)) {
    const std::string placed = ecosystem.placed(copy.path);
    const auto file = content.manifest.files.find(placed);
    if (file == content.manifest.files.end() || file->second.models.empty()) continue;
    file->second.sha256 = sha256(copy.text);
    content.written[placed] = copy.text;
  }
}

// Files moved, so that a failure can be undone.
class Moves {
 public:
  void move(const fs::path& from, const fs::path& to) {
    fs::rename(from, to);
    done_.emplace_back(from, to);
  }
  void undo() {
    std::error_code ignored;  // as much as can be
    for (auto it = done_.rbegin(); it != done_.rend(); ++it)
      fs::rename(it->second, it->first, ignored);
  }

 private:
  std::vector<std::pair<fs::path, fs::path>> done_;
};

}  // namespace

FolderContent with_models(const Manifest& before, std::vector<ModelCode>& models,
                          const Ecosystem& ecosystem) {
  FolderContent content{.manifest = before, .written = {}, .stale = {}};
  Manifest& manifest = content.manifest;
  manifest.ecosystem = ecosystem.name;
  const std::set<std::string> project = project_paths(before.models, ecosystem);
  for (auto& [path, file] : manifest.files) {
    if (before.ecosystem != ecosystem.name || project.contains(path)) file.models.clear();
  }
  for (ModelCode& code : models) add(code, content, ecosystem);
  merge_runtimes(content, ecosystem);
  for (EmittedFile& file : ecosystem.all_files(project_of(manifest, ecosystem))) {
    Manifest::File& entry = manifest.files[file.path];
    entry.sha256 = sha256(file.text);
    for (const auto& [name, from] : manifest.models) entry.models.insert(name);
    content.written[file.path] = std::move(file.text);
  }
  for (const auto& [path, file] : manifest.files) {
    if (file.models.empty()) content.stale.push_back(path);
  }
  for (const std::string& path : content.stale) manifest.files.erase(path);
  content.written[kManifestName] = to_json(manifest);
  return content;
}

std::set<std::string> fixed_names(const NamedModels& models, const Ecosystem& ecosystem) {
  std::set<std::string> names = project_paths(models, ecosystem);
  names.insert(kManifestName);
  for (const auto& [name, from] : models) {
    for (const char* end : kModelFiles) names.insert(ecosystem.placed(name + end));
  }
  return names;
}

void check_folder(const fs::path& target, const NamedModels& models, const Ecosystem& ecosystem,
                  bool force) {
  check_layout(target, models, ecosystem);
  if (force) return;
  const std::set<std::string> names = fixed_names(models, ecosystem);
  for (const auto& [name, from] : models)
    check_free(target, name, from, {names.begin(), names.end()});
}

MadeFolders::~MadeFolders() {
  while (!folders_.empty()) folders_.pop_back();
}

void MadeFolders::make_above(const fs::path& path) {
  fs::path above = path.root_path();
  for (const fs::path& part : path.relative_path().parent_path()) {
    above /= part;
    if (!fs::exists(above)) folders_.push_back(std::make_unique<Temporary>(above));
  }
}

void MadeFolders::keep() {
  for (const std::unique_ptr<Temporary>& folder : folders_) folder->keep();
}

StagedFolder::StagedFolder(const fs::path& target, std::vector<ModelCode> models, bool force,
                           const Ecosystem& ecosystem)
    : asked_(target) {
  try {
    std::error_code none;
    target_ = fs::weakly_canonical(fs::absolute(target), none);
    if (none) target_ = fs::absolute(target).lexically_normal();
    if (!target_.has_filename()) target_ = target_.parent_path();
    stage(std::move(models), force, ecosystem);
  } catch (const fs::filesystem_error& error) {
    fail(target, error.code().message());
  }
}

void StagedFolder::stage(std::vector<ModelCode> models, bool force, const Ecosystem& ecosystem) {
  if (fs::exists(target_) && !fs::is_directory(target_)) {
    throw CompileError(asked_.string(),
                       "exists and is no folder; give -o a new or an existing folder");
  }
  made_.make_above(target_);
  if (!fs::exists(target_)) above_.emplace(target_.parent_path());
  const bool exists = fs::exists(target_);
  if (exists) lock_.emplace(target_);
  NamedModels named;
  for (const ModelCode& code : models) named.emplace(code.name, code.from);
  check_layout(asked_, named, ecosystem);
  content_ = with_models(read_manifest(target_).value_or(Manifest{}), models, ecosystem);
  if (!force && exists) {
    std::vector<std::string> paths = content_.stale;
    for (const auto& [path, text] : content_.written) paths.push_back(path);
    for (const auto& [name, from] : named) check_free(asked_, name, from, paths);
  }
  // In the folder itself: that is the same file system, and can be written if the folder can.
  staging_.emplace(Temporary::Kind::kFolder, exists ? target_ : target_.parent_path());
  for (const auto& [path, text] : content_.written) {
    const fs::path file = staging_->path() / "new" / path;
    fs::create_directories(file.parent_path());
    write_new_file(file, text);
  }
}

void StagedFolder::exchange() {
  const fs::path fresh = staging_->path() / "new", old = staging_->path() / "old";
  std::vector<std::string> replaced = content_.stale;
  for (const auto& [path, text] : content_.written) replaced.push_back(path);
  Moves moves;
  MadeFolders folders;
  try {
    for (const std::string& path : replaced) {
      if (leads_elsewhere(target_, path)) fail(asked_, path + " would lie outside of it");
      if (!fs::exists(fs::symlink_status(target_ / path))) continue;
      if (fs::is_directory(fs::symlink_status(target_ / path))) fail(asked_, path + " is a folder");
      fs::create_directories((old / path).parent_path());
      moves.move(target_ / path, old / path);
    }
    for (const auto& [path, text] : content_.written) {
      folders.make_above(target_ / path);
      moves.move(fresh / path, target_ / path);
    }
  } catch (...) {
    moves.undo();
    throw;
  }
  folders.keep();
  std::error_code not_empty;
  for (const std::string& path : content_.stale) {
    for (fs::path above = fs::path(path).parent_path(); !above.empty(); above = above.parent_path())
      fs::remove(target_ / above, not_empty);
  }
}

void StagedFolder::commit() {
  const Uninterrupted whole;
  try {
    if (fs::exists(target_)) {
      exchange();
    } else {
      fs::rename(staging_->path() / "new", target_);
    }
    made_.keep();
  } catch (const fs::filesystem_error& error) {
    fail(asked_, error.code().message());
  }
}

void write_folder(const fs::path& target, const ModelCode& code, bool force) {
  StagedFolder(target, {code}, force).commit();
}

std::string replacements(const fs::path& target, const std::vector<ModelCode>& models,
                         const Ecosystem& ecosystem) {
  const Manifest manifest = read_manifest(target).value_or(Manifest{});
  std::string text;
  if (!manifest.models.empty() && manifest.ecosystem != ecosystem.name)
    text =
        fmt::format("the folder was laid out for {}, whose files are gone\n", manifest.ecosystem);
  for (const ModelCode& code : models) {
    const auto before = manifest.models.find(code.name);
    if (before == manifest.models.end() || before->second.sha256 == code.from.sha256) continue;
    text += fmt::format("replaced the code of another {} (sha256 {})\n", before->second.model,
                        before->second.sha256.substr(0, 12));
  }
  return text;
}

}  // namespace thimble
