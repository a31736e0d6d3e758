// SPDX-License-Identifier: Apache-2.0
// Emitted code, compiled for the host: against recording kernels its trace is the Program's, with
// its own kernels its outputs are the reference's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "thimble/emit/project.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble::testing {

/// What is compiled must outlive the call.
struct EmittedProject {
  const Graph* graph;
  const Program* program;
  std::string name;
  std::vector<EmittedFile> files;
};

/// Compiles in a folder of its own; what several builds share is compiled once.
class HostBuild {
 public:
  /// What differs in each project: empty if the emitted code executes what the program does, with
  /// rows that are asked for and with rows that are pushed; else the first line that differs, or
  /// what the compiler said. Names differ. lines: how many were compared is added to it.
  [[nodiscard]] std::vector<std::string> trace_differences(
      const std::vector<EmittedProject>& projects, size_t& lines);

  /// Outputs of each project, from an arena of exactly its bytes, under AddressSanitizer and
  /// UndefinedBehaviorSanitizer; none where it fails. inputs: per project and input port; or those
  /// of several inferences in turn, one after the other, whose outputs follow one another likewise.
  [[nodiscard]] std::vector<std::vector<Bytes>> outputs(
      const std::vector<EmittedProject>& projects, const std::vector<std::vector<Bytes>>& inputs);
  /// What was said where outputs() failed.
  [[nodiscard]] const std::string& complaint() const { return complaint_; }

 private:
  [[nodiscard]] std::string compile(const std::vector<std::string>& arguments) const;
  [[nodiscard]] std::string object_of(const std::string& source,
                                      const std::vector<std::string>& options, std::string& object);
  [[nodiscard]] std::string build_traced(const std::vector<EmittedProject>& projects);
  [[nodiscard]] std::string build_real(const std::vector<EmittedProject>& projects);
  [[nodiscard]] std::filesystem::path write(const std::vector<EmittedProject>& projects) const;

  TemporaryFolder folder_;
  std::map<std::string, std::string> objects_;  ///< by options and text
  std::string complaint_;
};

}  // namespace thimble::testing
