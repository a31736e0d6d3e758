// SPDX-License-Identifier: Apache-2.0
// Bytes that go in and out of buffers during an inference.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/schedule/schedule.h"

namespace thimble {

/// Per buffer: what steps read of it as executed, by their access maps, each byte once per step,
/// and what they write; scratch both.
[[nodiscard]] std::vector<int64_t> traffic(const Graph& graph, const Schedule& schedule);

/// For which a core waits during an inference, with buffers where they are.
[[nodiscard]] double wait_cycles(const Graph& graph, const Schedule& schedule);

}  // namespace thimble
