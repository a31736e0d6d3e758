// SPDX-License-Identifier: Apache-2.0
// Runs a Program on the host with the very kernels that ship.
#pragma once

#include <vector>

#include "thimble/program/program.h"

namespace thimble {

/// inputs: the bytes of each port, in the caller's order. Returns the outputs likewise. The arena
/// is filled with 0xA5 first, so that a plan that relies on what it did not write gives wrong
/// results. Rows of streamed inputs are taken from the bytes given, as the plan asks for them.
/// Variables start with their initial values.
[[nodiscard]] std::vector<Bytes> execute(const Program& program, const std::vector<Bytes>& inputs);

/// Inferences one after the other. Variables are reset before the first and kept in their memory;
/// all else is filled anew before each. moved: what all of them together have moved is added.
[[nodiscard]] std::vector<std::vector<Bytes>> execute_in_turn(
    const Program& program, const std::vector<std::vector<Bytes>>& inputs,
    MovedBytes* moved = nullptr);

}  // namespace thimble
