// SPDX-License-Identifier: Apache-2.0
// What `thimble compile` was asked for, of one model or of several.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "thimble/cli/options.h"

namespace thimble {

struct CompileOptions {
  std::vector<std::string> models;
  ModelOptions model;  ///< `model.model` is the first
  PlanOptions plan;
  std::string folder, name, save_plan;
  ReportFile json;
  bool whole_runtime = false, measure = false, explain = false, force = false, share_arena = false;

  /// What the copy of the runtime has beside what the models use.
  [[nodiscard]] std::set<std::string> also_used() const {
    return whole_runtime ? all_parts() : std::set<std::string>();
  }
};

/// One firmware of several models. Returns the exit status. Throws CompileError for options that
/// are of one model.
int compile_models(const CompileOptions& options);

}  // namespace thimble
