// SPDX-License-Identifier: Apache-2.0
// What a planner is told beside the limits: text, as its kinds of values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace thimble {

/// key=value pairs behind the planner's name.
using PlannerOptions = std::map<std::string, std::string>;

/// A whole number, if it is given. Throws CompileError unless it is at least `least`.
[[nodiscard]] std::optional<int64_t> number_option(const PlannerOptions& options,
                                                   const std::string& key, int64_t least);

/// accounting=paper, not exact or absent. Throws CompileError for anything else.
[[nodiscard]] bool wants_paper_accounting(const PlannerOptions& options);

}  // namespace thimble
