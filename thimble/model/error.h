// SPDX-License-Identifier: Apache-2.0
// The two ways in which the host code fails; "does not fit" is neither, it is a returned value.
#pragma once

#include <stdexcept>
#include <string>

namespace thimble {

/// The input's or the command line's fault. Says what is wrong, where, and what would work.
/// Only main() catches it (exit status 1).
struct CompileError : std::runtime_error {
  /// where: "file.tflite", "file.tflite: CONV_2D #3", "--sram"; message: what is wrong and what is
  /// supported.
  CompileError(const std::string& where, const std::string& message)
      : std::runtime_error(where.empty() ? message : where + ": " + message) {}
};

/// A bug in Thimble (exit status 3).
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

/// A check that is always on; a failure is a bug in Thimble, never the user's.
inline void check(bool condition, const char* what) {
  if (!condition) throw InternalError(what);
}

}  // namespace thimble
