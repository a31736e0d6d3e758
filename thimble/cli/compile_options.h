// SPDX-License-Identifier: Apache-2.0
// What `thimble compile` was asked for, of one model or of several.
#pragma once

#include <string>
#include <vector>

#include "thimble/cli/options.h"

namespace thimble {

struct CompileOptions {
  std::vector<std::string> models;
  RequestOptions request;  ///< of which `model` is the first
  std::string folder, save_plan;
  ReportFile json;
  bool measure = false, explain = false, force = false;
};

/// Whose layout the folder gets.
[[nodiscard]] const Ecosystem& ecosystem_of(const CompileOptions& options);

/// One firmware of several models. Returns the exit status. Throws CompileError for options that
/// are of one model.
int compile_models(const CompileOptions& options);

}  // namespace thimble
