// SPDX-License-Identifier: Apache-2.0
// The memories of a device beside the arena: other banks on chip, external RAM on request.
#pragma once

#include "thimble/driver/request.h"
#include "thimble/plan/reside.h"

namespace thimble {

/// The arena alone, and what is kept between inferences apart if the request says so.
[[nodiscard]] UsableMemories usable_arena(const Request& request);
/// With all that a plan may use. What the request leaves beside the arena is taken off the smallest
/// bank that has room for it, or else off the arena. A limit of the user's is one for the arena,
/// and for all that is on chip. Throws CompileError where external RAM is asked for and the device
/// has none.
[[nodiscard]] UsableMemories usable_memories(const Request& request);
/// Bytes as if all memories that have a limit were one.
[[nodiscard]] int64_t usable_bytes(const UsableMemories& usable);

}  // namespace thimble
