// SPDX-License-Identifier: Apache-2.0
// The comment at the head of the emitted code: how it was made, what it needs, what it does when.
#pragma once

#include <set>
#include <string>

#include "thimble/emit/project.h"
#include "thimble/emit/view_constants.h"

namespace thimble {

[[nodiscard]] std::string banner(const Graph& graph, const Program& program,
                                 const EmitOptions& options, const std::string& file);
/// "constexpr int32_t kT3 = 0;" per buffer, with shape and life, and behind it the numbers of views
/// of it. used: the identifiers of the code behind it; others are marked as unused.
[[nodiscard]] std::string arena_map(const Graph& graph, const Program& program,
                                    const ViewConstants& constants,
                                    const std::set<std::string>& used);

}  // namespace thimble
