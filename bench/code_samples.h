// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of kernels and of emitted code, section by section: what a code model
// (target/code_model.h) is fitted to.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/emit/code_estimate.h"
#include "thimble/toolchain/temporary_folder.h"

namespace thimble {

/// Bytes of the sections that one object brings along, libraries included, by name.
using Sections = std::map<std::string, int64_t>;

/// One kernel, compiled with some parts of thimble_runtime/uses.h.
struct KernelSample {
  std::string kernel;
  std::set<std::string> uses;  ///< of those that its source looks at
  Sections sections;
  int64_t stack_bytes = 0;  ///< callees included
};

/// The source around the calls of one program.
struct EmittedSample {
  std::string name;
  ProgramCode code;
  std::set<std::string> uses;
  Sections libraries;
  int64_t own_bytes = 0;
  std::vector<int64_t> frames;    ///< of the stages, as in `code`
  int64_t entry_stack_bytes = 0;  ///< of the functions that call stages
  int64_t table_stack_bytes = 0;  ///< of those of the table of steps
};

/// Compiles for one core, in a folder of its own.
class CodeSampler {
 public:
  explicit CodeSampler(std::string core);

  /// Samples of every kernel of the core: with nothing, with everything, with what programs use of
  /// it, and with `variants` random choices of what its source looks at.
  [[nodiscard]] std::vector<KernelSample> kernel_samples(
      int variants, const std::vector<EmittedSample>& programs);
  [[nodiscard]] EmittedSample emitted_sample(const std::string& name, const Compiled& compiled);
  [[nodiscard]] std::string compiler() const;  ///< "arm-none-eabi-g++ 12.2.1"

 private:
  struct Object {
    Sections own, libraries;
    std::string call_graph;
  };
  [[nodiscard]] Object compiled(const std::string& source, const std::filesystem::path& folder);
  /// What the libraries bring for a function that is called.
  const Sections& library(const std::string& symbol);

  std::string core_;
  TemporaryFolder folder_;
  std::map<std::string, Sections> libraries_;  ///< by symbol
  std::string disassembly_;                    ///< of these
};

}  // namespace thimble
