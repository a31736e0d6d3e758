// SPDX-License-Identifier: Apache-2.0
// The memories of a device beside the arena: other banks on chip, external RAM on request.
#pragma once

#include <vector>

#include "thimble/driver/request.h"
#include "thimble/plan/reside.h"

namespace thimble {

/// What a plan may use, each with all that the one before it has: first the arena alone, then all
/// that is on chip, then external RAM, as far as the device has more and the request lets plans use
/// it. Each has what is kept between inferences apart if the request says so. What the request
/// leaves beside the arena is taken off the smallest bank that has room for it, or else off the
/// arena. A limit of the user's is one for the arena, and for all that is on chip. Throws
/// CompileError where external RAM is asked for and the device has none.
[[nodiscard]] std::vector<UsableMemories> usable_memories(const Request& request);
/// Bytes as if all memories that have a limit were one.
[[nodiscard]] int64_t usable_bytes(const UsableMemories& usable);

}  // namespace thimble
