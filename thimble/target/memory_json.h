// SPDX-License-Identifier: Apache-2.0
// A memory of a target description (docs/boards.md).
#pragma once

#include <cstddef>

#include "thimble/target/json_object.h"
#include "thimble/target/memory.h"

namespace thimble {

/// The memory that stands as number `number` in its list. Throws CompileError.
[[nodiscard]] Memory read_memory(const JsonObject& object, size_t number);

/// The figures of a block storage. Throws CompileError.
[[nodiscard]] StorageFigures read_storage(const JsonObject& object);

}  // namespace thimble
