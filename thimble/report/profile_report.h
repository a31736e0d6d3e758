// SPDX-License-Identifier: Apache-2.0
// Cycles that a board measured of an inference's stages, beside estimates: `thimble profile`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thimble {

struct MeasuredStage {
  int stage = 0;
  std::string function;             ///< of the emitted code
  std::vector<std::string> layers;  ///< "CONV_2D #3", in order
  std::vector<std::string> kernels;
  double cycles = 0;  ///< of an inference
  std::optional<double> estimated_instructions;
};

/// Cycles that an estimated instruction took, by kernel: the estimates of the core's latency model
/// times these are the board's cycles, as nearly as the stages tell.
struct CycleFit {
  std::map<std::string, double> kernels;  ///< by measured_as()
  double rest = 1;                        ///< of kernels that the model does not have
  double median_error = 0;                ///< relative, of the stages' cycles, with the fit
  double worst_error = 0;
};

struct ProfileReport {
  std::string model, log, code;  ///< files
  std::string code_fault;        ///< what of the code is not as it was written; empty: nothing
  std::string core;              ///< empty: any
  int64_t clock_hz = 0;          ///< 0: not known
  int inferences = 0;
  double whole_cycles = 0;  ///< of an inference, with what is between stages
  std::vector<MeasuredStage> stages;
  std::optional<CycleFit> fit;  ///< nothing: the core has no latency model
  std::string fit_file;         ///< that it was written to; empty: to none
  size_t damaged_lines = 0;

  [[nodiscard]] double stage_cycles() const;  ///< summed
};

[[nodiscard]] std::string profile_text(const ProfileReport& report);
[[nodiscard]] std::string profile_json(const ProfileReport& report);

}  // namespace thimble
