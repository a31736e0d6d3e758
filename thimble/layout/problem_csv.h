// SPDX-License-Identifier: Apache-2.0
// Layout problems as text, in google/minimalloc's plain form: "id,lower,upper,size", one buffer a
// line, live in the half-open interval [lower, upper); solutions have a last column "offset".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thimble/layout/layout.h"

namespace thimble::layout {

inline constexpr std::string_view kProblemHeading = "id,lower,upper,size";
inline constexpr std::string_view kSolutionHeading = "id,lower,upper,size,offset";
/// Most bytes of all buffers together: addresses can be added up without a thought.
constexpr int64_t kMostBytes = int64_t{1} << 60;

struct NamedProblem {
  std::vector<std::string> ids;  ///< of the buffers
  Problem problem;
};

/// Throws CompileError, which names `where` and the line, for anything else.
[[nodiscard]] NamedProblem problem_from_csv(std::string_view text, const std::string& where);

/// addresses: one per buffer.
[[nodiscard]] std::string solution_csv(const NamedProblem& named,
                                       const std::vector<int64_t>& addresses);

}  // namespace thimble::layout
