// SPDX-License-Identifier: Apache-2.0
// Ids without gaps.
#pragma once

#include "thimble/schedule/schedule.h"

namespace thimble {

/// Without buffers that no step uses and that are no ports, and shares of them; loops numbered in
/// the order in which they are written.
[[nodiscard]] Schedule renumbered(Schedule schedule);

}  // namespace thimble
