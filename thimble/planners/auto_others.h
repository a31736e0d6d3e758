// SPDX-License-Identifier: Apache-2.0
// What planners with other searches answer, for `auto` to start from.
#pragma once

#include "thimble/planners/auto_drafts.h"

namespace thimble {

/// Answers of planners for which that is little work; of all, if there are no drafts.
[[nodiscard]] std::vector<Decision> other_answers(const Graph& graph, const Limits& limits,
                                                  AutoDrafts& drafts);

}  // namespace thimble
