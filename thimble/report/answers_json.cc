// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/answers_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/target/size.h"

namespace thimble {

using Json = nlohmann::ordered_json;

std::string infeasible_text(const InfeasibleReport& report) {
  const std::string text = fmt::format(
      "does not fit: {}{}\n", report.reason,
      report.lower_bound_bytes ? "; no plan is below " + human_size(*report.lower_bound_bytes)
                               : std::string());
  return text + advice({.fits_sram = true}, report.alternatives);
}

std::string infeasible_json(const InfeasibleReport& report) {
  return json_text(
      "infeasible",
      {{"model", report.model},
       {"planner", report.planner},
       {"fits", false},
       {"reason", report.reason},
       {"lower_bound_bytes", report.lower_bound_bytes ? Json(*report.lower_bound_bytes) : Json()},
       {"alternatives", alternatives_json(report.alternatives)}});
}

std::string verification_text(const VerificationReport& report) {
  const Verification& v = report.verification;
  if (!v.ok()) return fmt::format("{}: WRONG: {}\n", report.plan, v.fault);
  std::string text =
      fmt::format("{}: right{}: {} calls, {} elements checked, {} of SRAM\n", report.plan,
                  report.lossy.empty() ? "" : ", with lossy sums", with_separators(v.calls),
                  with_separators(v.checked_elements), human_size(report.arena_bytes));
  const Certification& rewrites = report.rewrites;
  text += fmt::format(
      "  its network is the file's: {} operators the same, {} executed beside those of the "
      "file{}\n",
      with_separators(rewrites.same_ops), with_separators(rewrites.checked_ops),
      rewrites.inferences > 0 ? fmt::format(", {} inferences of both", rewrites.inferences)
                              : std::string(" (too large for inferences of both as a whole)"));
  for (const std::string& note : report.lossy) text += fmt::format("  {}\n", note);
  return text;
}

std::string verification_json(const VerificationReport& report) {
  const Verification& v = report.verification;
  return json_text("verify", {{"model", report.model},
                              {"plan", report.plan},
                              {"right", v.ok()},
                              {"fault", v.ok() ? Json() : Json(v.fault)},
                              {"calls", v.calls},
                              {"checked_elements", v.checked_elements},
                              {"recomputed_elements", v.recomputed_elements},
                              {"same_ops", report.rewrites.same_ops},
                              {"rewritten_ops", report.rewrites.checked_ops},
                              {"inferences", report.rewrites.inferences},
                              {"arena_bytes", report.arena_bytes},
                              {"lossy", report.lossy}});
}

}  // namespace thimble
