// SPDX-License-Identifier: Apache-2.0
// What there is to say of a plan whose packed constants come from block storage.
#pragma once

#include <optional>

#include "thimble/plan/note.h"
#include "thimble/plan/realise.h"

namespace thimble {

/// Nothing if it brings none.
[[nodiscard]] std::optional<note::BroughtConstants> brought_constants(const Graph& graph,
                                                                      const RealisedPlan& plan);

}  // namespace thimble
