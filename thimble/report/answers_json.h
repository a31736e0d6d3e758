// SPDX-License-Identifier: Apache-2.0
// Short answers as JSON: "no", and what a verification found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "thimble/certify/certify.h"
#include "thimble/program/verify.h"
#include "thimble/report/advice.h"

namespace thimble {

/// A planner's "no"; or a plan that is too large to run.
struct InfeasibleReport {
  std::string model, planner;
  std::string reason;
  std::optional<int64_t> lower_bound_bytes = {};  ///< of all plans
  std::optional<int64_t> sram_limit_bytes = {};
  std::vector<Alternative> alternatives = {};  ///< that were tried
};
[[nodiscard]] std::string infeasible_text(const InfeasibleReport& report);
[[nodiscard]] std::string infeasible_json(const InfeasibleReport& report);

/// A saved plan, checked.
struct VerificationReport {
  std::string model, plan;  ///< files
  Certification rewrites;   ///< from the file's network to the one that is planned
  Verification verification;
  int64_t arena_bytes = 0;
  std::vector<std::string> lossy;  ///< see lossiness_notes()
};
[[nodiscard]] std::string verification_text(const VerificationReport& report);
[[nodiscard]] std::string verification_json(const VerificationReport& report);

}  // namespace thimble
