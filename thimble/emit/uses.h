// SPDX-License-Identifier: Apache-2.0
// The runtime as one program uses it: what none of its calls has use for is not compiled.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "thimble/program/program.h"
#include "thimble/target/kernels/runtime_sources.h"

namespace thimble {

class UsedRuntime {
 public:
  /// runtime: must outlive this.
  UsedRuntime(std::span<const RuntimeFile> runtime, const Program& program);
  UsedRuntime(const UsedRuntime&) = delete;  // files_ point to uses_
  UsedRuntime& operator=(const UsedRuntime&) = delete;

  /// All of the runtime's files; in thimble_runtime/uses.h 0 for what is not used.
  [[nodiscard]] std::span<const RuntimeFile> files() const { return files_; }

 private:
  std::string uses_;  // the file's text
  std::vector<RuntimeFile> files_;
};

}  // namespace thimble
