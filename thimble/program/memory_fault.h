// SPDX-License-Identifier: Apache-2.0
// The part of the proof (verify.h) that is about memories, before any call.
#pragma once

#include <string>

#include "thimble/program/program.h"

namespace thimble {

/// Empty, or what is wrong: a buffer in a memory that does not exist, or that reaches beyond it; a
/// memory that takes more than its capacity; packed constants, and nothing else, are in flash,
/// apart from each other; ports are where the caller can reach them; no two constants or
/// parameters have one name.
[[nodiscard]] std::string memory_fault(const Program& program);

}  // namespace thimble
