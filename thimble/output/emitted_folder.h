// SPDX-License-Identifier: Apache-2.0
// An emitted folder on disk. Several models share one, whether they come at once or one by one:
// each has files of its own, all have one build file, and each version of the runtime is there
// once, with what any of them uses.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "thimble/emit/project.h"
#include "thimble/import/temporary.h"
#include "thimble/output/folder_lock.h"
#include "thimble/output/manifest.h"
#include "thimble/projects/ecosystem.h"

namespace thimble {

struct ModelCode {
  std::string name;  ///< of files and functions
  Manifest::Model from;
  std::vector<EmittedFile> files;  ///< see emit()
  /// What it uses of the runtime (emit/uses.h); nothing: all that its copy has.
  std::optional<std::set<std::string>> uses = {};
};

/// A folder after code has come to it.
struct FolderContent {
  Manifest manifest;
  std::map<std::string, std::string>
      written;                     ///< path -> text, with the project's files and manifest
  std::vector<std::string> stale;  ///< paths of files that no model of the folder needs any more
};
/// The models' own copies of this Thimble's runtime become one with what any of the folder uses.
/// Takes their files: weights may be many. If the folder has another ecosystem's layout, `models`
/// must be all of its models.
[[nodiscard]] FolderContent with_models(const Manifest& before, std::vector<ModelCode>& models,
                                        const Ecosystem& ecosystem);

/// Models that come together, by the names of their code.
using NamedModels = std::map<std::string, Manifest::Model>;

/// The files that a folder has for models of these names whatever they are, relative to it.
[[nodiscard]] std::set<std::string> fixed_names(const NamedModels& models,
                                                const Ecosystem& ecosystem);

/// Throws CompileError if writing the models' code would replace what is not Thimble's, as far as
/// that is known before the code is there, or if the folder has other models in another layout.
/// force: whatever is in the way may go, other models may not.
void check_folder(const std::filesystem::path& target, const NamedModels& models,
                  const Ecosystem& ecosystem, bool force);

/// What is no longer as it was, a line each: files of one name may be different models, and a
/// folder may be laid out anew.
[[nodiscard]] std::string replacements(const std::filesystem::path& target,
                                       const std::vector<ModelCode>& models,
                                       const Ecosystem& ecosystem);

/// Folders made on the way, which go again if they stay empty: the innermost first.
class MadeFolders {
 public:
  MadeFolders() = default;
  ~MadeFolders();
  MadeFolders(const MadeFolders&) = delete;
  MadeFolders& operator=(const MadeFolders&) = delete;

  /// Makes the folders above `path` that do not exist. Throws std::filesystem::filesystem_error.
  void make_above(const std::filesystem::path& path);
  void keep();

 private:
  std::vector<std::unique_ptr<Temporary>> folders_;
};

/// Models' files beside those that they replace, until commit() exchanges them. Without it, on
/// failure (files of the user's in the way, no permission, disk full: CompileError says why) and
/// when a signal ends the process, the target is as it was and nothing is left beside it.
class StagedFolder {
 public:
  /// Makes the folders above `target` if they do not exist. Until it is destroyed, others that
  /// write there wait.
  StagedFolder(const std::filesystem::path& target, std::vector<ModelCode> models, bool force,
               const Ecosystem& ecosystem = ecosystems().front());
  /// Everything or nothing: what fails half-way is undone.
  void commit();

 private:
  void stage(std::vector<ModelCode> models, bool force, const Ecosystem& ecosystem);
  void exchange();

  std::filesystem::path asked_;  ///< as the user wrote it
  std::filesystem::path target_;
  FolderContent content_;
  MadeFolders made_;
  /// Another thimble may be adding a model to the same folder, or making it.
  std::optional<FolderLock> above_, lock_;
  std::optional<Temporary> staging_;  ///< new files in new/, those that they replace in old/
};

/// Both at once.
void write_folder(const std::filesystem::path& target, const ModelCode& code, bool force = false);

}  // namespace thimble
