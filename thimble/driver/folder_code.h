// SPDX-License-Identifier: Apache-2.0
// Code in a folder, traced back to the model: its plan is checked, and emitted again.
#pragma once

#include <string>

#include "thimble/driver/compiled.h"
#include "thimble/output/manifest.h"

namespace thimble {

/// What a folder's manifest says of the model.
[[nodiscard]] Manifest::Model manifest_entry(const Compiled& compiled, const Emission& emission);

struct FolderCode {
  std::string name;   ///< of the code
  Compiled compiled;  ///< from the folder's plan; its verification may have a fault
  /// Files that are not what the plan gives: "kws.cc has changed"; empty if all are, or if the plan
  /// is wrong.
  std::string fault;
};

/// The code that a folder has of the model. Throws CompileError if it has none, or no plan of it.
[[nodiscard]] FolderCode check_folder_code(const Source& source, const std::string& folder,
                                           int64_t max_bytes);

}  // namespace thimble
