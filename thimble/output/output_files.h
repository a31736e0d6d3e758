// SPDX-License-Identifier: Apache-2.0
// What a command may write to: nothing that it reads, nothing twice, and no file of another kind.
#pragma once

#include <string>
#include <vector>

namespace thimble {

/// What a file holds. An existing one is replaced by one of its own kind only.
enum class FileKind {
  kFolder,  ///< of emitted sources: emitted_folder.h says what may be replaced there
  kSvg,
  kPng,
  kReport,  ///< of `--json`: one of the same command's
  kPage,    ///< of `--html`
  kPlan,    ///< of `compile --save-plan`
  kCycles,  ///< of `profile --fit`
  kLayout,  ///< of `layout --out`
  kNpy,
  kSafetensors,
  kTflite,  ///< never replaced
};

/// A file that a command line names.
struct NamedFile {
  std::string option;  ///< "MODEL", "--json"
  std::string path;    ///< empty: the option is not given
};
struct OutputFile {
  NamedFile file;
  FileKind kind;
  std::string report = {};  ///< kReport: "compile", the command
};

/// To be called before any work is done. Throws CompileError if an output is one of the inputs or
/// another output, under this or another name (links), or if it would replace a file of another
/// kind. Empty files, and streams (see is_stream), may always be written to. force: files of
/// another kind are replaced, inputs are not.
void check_outputs(const std::vector<NamedFile>& inputs, const std::vector<OutputFile>& outputs,
                   bool force);

}  // namespace thimble
