// SPDX-License-Identifier: Apache-2.0
// The runtime as one program uses it: what none of its calls has use for is not compiled.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "thimble/program/program.h"
#include "thimble/target/kernels/runtime_sources.h"

namespace thimble {

/// What calls of the programs have use for: "RINGS", ... of thimble_runtime/uses.h.
[[nodiscard]] std::set<std::string> used_parts(std::span<const Program* const> programs);

/// What a copy of uses.h leaves in.
[[nodiscard]] std::set<std::string> parts_in(const std::string& uses_h);
/// All that uses.h knows.
[[nodiscard]] std::set<std::string> all_parts();

class UsedRuntime {
 public:
  /// used: what used_parts() gives. runtime: must outlive this.
  UsedRuntime(std::span<const RuntimeFile> runtime, const std::set<std::string>& used);
  UsedRuntime(const UsedRuntime&) = delete;  // files_ point to uses_
  UsedRuntime& operator=(const UsedRuntime&) = delete;

  /// All of the runtime's files; in thimble_runtime/uses.h 0 for what is not used.
  [[nodiscard]] std::span<const RuntimeFile> files() const { return files_; }

 private:
  std::string uses_;  // the file's text
  std::vector<RuntimeFile> files_;
};

}  // namespace thimble
