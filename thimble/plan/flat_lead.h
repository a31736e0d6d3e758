// SPDX-License-Identifier: Apache-2.0
// How far the result of a group that is written down tile by tile may lie over a consumed input.
#pragma once

#include "thimble/plan/derived.h"

namespace thimble {

/// As group_lead (group_lead.h); derived: with `flat`. Nothing where `out` is written in a loop
/// inside of the tiles.
[[nodiscard]] std::optional<int64_t> flat_lead(const Dataflow& dataflow, const Derived& derived,
                                               ValueId out, ValueId in);

}  // namespace thimble
