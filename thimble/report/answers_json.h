// SPDX-License-Identifier: Apache-2.0
// Short answers as JSON: "no", and what a verification found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thimble/program/verify.h"

namespace thimble {

/// A planner's "no".
struct InfeasibleReport {
  std::string model, planner;  ///< as the user named them; no planner: the default
  std::string reason;
  int64_t lower_bound_bytes = 0;
};
[[nodiscard]] std::string infeasible_json(const InfeasibleReport& report);

/// A saved plan, checked.
struct VerificationReport {
  std::string model, plan;  ///< files
  Verification verification;
  int64_t arena_bytes = 0;
  std::vector<std::string> lossy;  ///< see lossiness_notes()
};
[[nodiscard]] std::string verification_text(const VerificationReport& report);
[[nodiscard]] std::string verification_json(const VerificationReport& report);

}  // namespace thimble
