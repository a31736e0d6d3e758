// SPDX-License-Identifier: Apache-2.0
// How many instructions a call of a kernel takes on a core: a coefficient for each of its loops
// (kernels/feature.h), fitted to instructions counted in QEMU (docs/cost.md). The coefficients are
// data, cores/*.json:
//
//   {"core": "cortex-m4", "counted": "instructions", "command": "fit_latency ...", "program": 22.1,
//    "kernels": {"add": {"call": 61.2, "row": 9.1, "pixel": 20.4, "element": 33.0}, ...},
//    "held_back": {"conv_2d": {"programs": 31, "median": 0.012, "p90": 0.04}, ...}}
//
// What a board measured (`thimble profile --fit`) has the same form: "counted" is "cycles", and
// "floats" has the coefficients of all kernels of float32.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "thimble/target/core.h"
#include "thimble/target/kernels/call_features.h"

namespace thimble {

/// The name of the kernel whose coefficients a kernel takes: most of the time its own.
[[nodiscard]] inline const char* fitted_as(const KernelInfo& kernel) {
  return kernel.fitted_as == nullptr ? kernel.name : kernel.fitted_as;
}
/// The name under which a board's cycles are kept: fitted_as(), or "floats" for all of float32.
[[nodiscard]] std::string measured_as(const KernelInfo& kernel);

struct LatencyModel {
  std::string core;                         ///< that was counted
  bool cycles = false;                      ///< which a board measured; else instructions
  double program = 0;                       ///< of an inference beside its calls
  std::map<std::string, Features> kernels;  ///< coefficients by the kernel's name
  Features floats = {};                     ///< of kernels of float32 that have none of their own

  /// The kernel's coefficients; if it has none, those of the longest name that its own begins with
  /// (a variant's are its portable kernel's until it has some), else those of a kernel with the
  /// same parameters and types (sub: add), of copies and shifts those of bytes. Null: there are
  /// none.
  [[nodiscard]] const Features* coefficients(const std::string& kernel) const;
  /// Instructions; nothing if the kernel has no coefficients.
  [[nodiscard]] std::optional<double> estimate(const CallShape& call) const;
  bool operator==(const LatencyModel&) const = default;
};

/// A model's coefficients, each looked up by its name once.
class KernelCoefficients {
 public:
  /// The model must outlive this.
  explicit KernelCoefficients(const LatencyModel& model);
  /// As LatencyModel::coefficients.
  [[nodiscard]] const Features* coefficients_of(KernelId kernel) const {
    return of_[static_cast<size_t>(kernel.row)];
  }
  /// Whether they tell what it takes. Kernels of an instruction set walk otherwise than the
  /// portable ones: what these take says nothing of them.
  [[nodiscard]] bool knows(KernelId kernel) const {
    return knows_[static_cast<size_t>(kernel.row)];
  }

 private:
  std::vector<const Features*> of_;  ///< by row
  std::vector<bool> knows_;          ///< by row
};

/// `where` names the text in messages. Throws CompileError.
[[nodiscard]] LatencyModel parse_latency(const std::string& json, const std::string& where);
/// The inverse.
[[nodiscard]] std::string latency_json(const LatencyModel& model);
/// A core's model in cycles, from what an estimated instruction took on a board, by measured_as();
/// of all others `rest`.
[[nodiscard]] LatencyModel measured_model(const LatencyModel& counted, const std::string& core,
                                          const std::map<std::string, double>& cycles, double rest);
/// The model of a core whose portable kernels take so many cycles a MAC, and nothing else.
[[nodiscard]] LatencyModel latency_model_of_macs(double cycles);
/// Fitted on the core itself, or on one that the same code is compiled for: cortex-m0 for
/// cortex-m0plus, cortex-m55 for cortex-m85, ... Nothing for others.
[[nodiscard]] std::optional<LatencyModel> latency_model(const std::string& core);
/// What was measured or said of the core; else that of its name.
[[nodiscard]] std::optional<LatencyModel> latency_model(const Core& core);

}  // namespace thimble
