// SPDX-License-Identifier: Apache-2.0
// Flash and stack that emitted code takes, before it is compiled (target/code_model.h).
#pragma once

#include <set>
#include <span>
#include <string>

#include "thimble/emit/stages.h"
#include "thimble/target/code_model.h"

namespace thimble {

/// What emitted programs hold, as far as it decides their size.
struct ProgramCode {
  CodeCounts counts = {};                  ///< of all that is written
  std::vector<CodeCounts> frames;          ///< of each stage; of stages that are rows none
  std::vector<std::set<KernelId>> called;  ///< by these
  std::vector<std::string> stage_names;    ///< functions
  std::set<KernelId> tabled;               ///< by the table
  int64_t transfer_bytes = 0;  ///< of stack: what is in flight to storages and from them
  [[nodiscard]] std::set<KernelId> kernels() const;
};
[[nodiscard]] ProgramCode program_code(const Graph& graph, const Program& program);

/// Bytes, and how much more it can be.
struct EstimatedBytes {
  int64_t bytes = 0, margin_bytes = 0;
  [[nodiscard]] int64_t most() const { return bytes + margin_bytes; }
  bool operator==(const EstimatedBytes&) const = default;
};

struct CodeEstimate {
  EstimatedBytes code;             ///< of flash, without the packed constants
  EstimatedBytes stack;            ///< of the deepest call
  std::set<std::string> left_out;  ///< kernels that the model does not know: they count nothing
};

/// Flash and stack of programs that share a runtime with the parts `used` of it (emit/uses.h).
[[nodiscard]] CodeEstimate estimate_code(std::span<const ProgramCode> programs,
                                         const std::set<std::string>& used, const CodeModel& model);

}  // namespace thimble
