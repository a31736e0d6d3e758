// SPDX-License-Identifier: Apache-2.0
// Emitted code, compiled for the host against recording kernels: its trace is the Program's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "thimble/devices/temporary_folder.h"
#include "thimble/emit/emit.h"

namespace thimble::testing {

/// Compiles in a folder of its own; what several projects share is compiled once.
class TraceBuild {
 public:
  /// Empty if the emitted code executes what the program does, with rows that are asked for and
  /// with rows that are pushed; else the first line that differs, or what the compiler said. name:
  /// of the project. lines: how many were compared, if asked for.
  [[nodiscard]] std::string difference(const Graph& graph, const Program& program,
                                       const std::string& name,
                                       const std::vector<EmittedFile>& files,
                                       size_t* lines = nullptr);

 private:
  [[nodiscard]] std::string compile(const std::vector<std::string>& arguments) const;
  [[nodiscard]] std::string object_of(const std::string& source, const std::string& text,
                                      const std::vector<std::string>& options,
                                      std::string& object);

  TemporaryFolder folder_;
  std::map<std::string, std::string> objects_;  ///< by options and text
};

}  // namespace thimble::testing
