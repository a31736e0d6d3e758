// SPDX-License-Identifier: Apache-2.0
// Where a board computes otherwise than the reference: `thimble diagnose`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

/// What was found first to be otherwise, in the order of an inference.
enum class Finding : uint8_t {
  kNothing,
  kInput,     ///< the board was given something else than --input-file has
  kState,     ///< a variable is not as the inference before left it
  kConstant,  ///< a constant in flash is not as it was compiled
  kChanged,   ///< a tensor was right when it was written, and is not when it is read
  kComputed,  ///< what it read and its constants are right, what it wrote is not
};

struct Diagnosis {
  Finding finding = Finding::kNothing;
  size_t line = 0;         ///< of the log, where the inference begins
  int inference = 0;       ///< its number in the log, from 1 on
  int stage = -1;          ///< in which it shows first; -1: before all, or nowhere
  std::string function;    ///< of the stage
  std::string layer;       ///< "CONV_2D #3": what reads or writes it; empty: none
  std::string tensor;      ///< its name; or of a constant
  std::string written_by;  ///< kChanged: the stage's function; empty: an input or variable
  std::string detail;      ///< "arena bytes 0 to 9,215", "each value is that of the file less 128"
  size_t compared = 0;     ///< checksums that were right before it
};

struct DiagnosisReport {
  std::string model, log, code;  ///< files
  std::string code_fault;        ///< what of the code is not as it was written; empty: nothing
  int inferences = 0;            ///< in the log, whole
  int incomplete = 0;            ///< that end early or have damaged lines
  size_t damaged_lines = 0;
  Diagnosis first;
  std::string outputs;  ///< of the reference for that inference's input, a line each
};

[[nodiscard]] std::string diagnosis_text(const DiagnosisReport& report);
[[nodiscard]] std::string diagnosis_json(const DiagnosisReport& report);

}  // namespace thimble
