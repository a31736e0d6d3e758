// SPDX-License-Identifier: Apache-2.0
// Program -> a C++ project that an embedded engineer can read: NAME.h (C API), NAME.cc (one
// function a stage), NAME_weights.{h,cc}, NAME_example.c, and the runtime files it needs.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "thimble/emit/uses.h"
#include "thimble/program/estimate.h"
#include "thimble/program/program.h"
#include "thimble/target/kernels/runtime_sources.h"

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
  std::string time;                  ///< estimated, a line for the banner; empty: not known
  Estimate estimate;                 ///< unless `time` is empty
  std::vector<std::string> remarks;  ///< for the banner, a line each
  std::span<const RuntimeFile> runtime = runtime_files();
  /// Parts of its kernels that other programs use which share it (emit/uses.h).
  std::set<std::string> also_used = all_parts();
};

struct EmittedFile {
  std::string path;  ///< relative, with '/'
  std::string text;
};

/// Same program and options, same bytes. The program must have passed verify().
[[nodiscard]] std::vector<EmittedFile> emit(const Graph& graph, const Program& program,
                                            const EmitOptions& options);

/// Without the calls that do nothing (reshape in place): what is emitted.
[[nodiscard]] Program working_program(const Program& program);

/// A name for files, functions and a CMake target from any text, in at most some 60 letters, digits
/// and single underscores: "my-model (1)" -> "my_model_1", "stdint" -> "stdint_model" (a name that
/// is taken), "Größe" -> "groesse", "模型" -> "u6a21_u578b". What is cut has a hash behind it.
[[nodiscard]] std::string identifier(const std::string& text);
/// "conv_2d_0" -> "Conv2d0", "add_1_2" -> "Add1_2"
[[nodiscard]] std::string pascal(const std::string& snake);

}  // namespace thimble
