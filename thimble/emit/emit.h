// SPDX-License-Identifier: Apache-2.0
// Program -> a C++ project that an embedded engineer can read: NAME.h (C API), NAME.cc (one
// function a stage), NAME_weights.{h,cc}, an example in C, a CMake fragment, and the runtime files
// it needs.
#pragma once

#include <string>
#include <vector>

#include "thimble/program/program.h"

namespace thimble {

struct EmitOptions {
  std::string name;     ///< identifier and file name; see identifier()
  std::string command;  ///< that made it, for the banner
  std::string version;
  std::string sha256;  ///< of the model
  std::string planner;
  std::vector<int64_t> live_bytes;  ///< per position of the schedule
  int64_t lower_bound_bytes = 0;
  bool layout_proven_optimal = false;
  int64_t macs = 0;
  std::vector<std::string> remarks;  ///< for the banner, a line each
};

struct EmittedFile {
  std::string path;  ///< relative, with '/'
  std::string text;
};

/// Same program and options, same bytes. The program must have passed verify().
[[nodiscard]] std::vector<EmittedFile> emit(const Graph& graph, const Program& program,
                                            const EmitOptions& options);

/// A C identifier from any text: "my-model (1)" -> "my_model_1".
[[nodiscard]] std::string identifier(const std::string& text);
/// "conv_2d_0" -> "Conv2d0"
[[nodiscard]] std::string pascal(const std::string& snake);

}  // namespace thimble
