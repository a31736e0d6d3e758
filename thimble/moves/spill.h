// SPDX-License-Identifier: Apache-2.0
// Values that lie in block storage while nothing reads them (TinySeg, section 4.2).
//
//   conv -> x1;  x1 -> pool;  ...;  x1, up -> concat
//   conv -> x1;  x1 -> pool;  x1 -> store -> s;  ...;  s -> fetch -> f;  f, up -> concat
//
// Fused groups make of this what they make of every copy: a line at a time where rows roll, so that
// neither x1 nor f is whole in memory.
#pragma once

#include <vector>

#include "thimble/plan/instances.h"
#include "thimble/plan/note.h"

namespace thimble {

/// A value that is stored once, and fetched once for each list of its readers.
struct Spill {
  ValueId value;
  /// Ascending, each list before the next; who is in none reads the value itself.
  std::vector<std::vector<InstanceId>> fetched_for;
  /// In storage and as it is fetched; empty: row-major. That of the value where both are whole.
  std::vector<int> axis_order;
  int64_t chunk_bytes = 0;  ///< as Value has it: 0: it is not compressed
  bool operator==(const Spill&) const = default;
};

/// storage: a memory that plans of these instances have. A value is stored behind its last reader
/// before the first that reads what was fetched.
[[nodiscard]] Instances spill(const Instances& instances, const std::vector<Spill>& spills,
                              MemoryId storage);

/// The chunk for Spill::chunk_bytes where about so many bytes are taken for it; 0: none.
[[nodiscard]] int64_t chunk_of(const Graph& graph, const Instances& instances, const Spill& spill,
                               int64_t write_bytes, int64_t about_bytes);

/// What goes to storage and comes from there; no tensors: nothing does.
[[nodiscard]] note::Spilled spilled(const Graph& graph, const Instances& instances,
                                    const std::string& storage);

}  // namespace thimble
