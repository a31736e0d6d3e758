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

/// What a core waits for a memory during an inference.
struct MemoryWaits {
  MemoryId memory;
  int64_t touched_bytes = 0;  ///< of buffers that lie there, read and written
  double cycles = 0;          ///< for these
  double cycles_if_all = 0;   ///< if all that is laid out anywhere lay there
  bool operator==(const MemoryWaits&) const = default;
};
/// The waits for each memory that makes the core wait and that buffers lie in.
[[nodiscard]] std::vector<MemoryWaits> memory_waits(const Graph& graph, const Schedule& schedule);
/// The waits for all of them, in sum.
[[nodiscard]] double wait_cycles(const Graph& graph, const Schedule& schedule);

}  // namespace thimble
