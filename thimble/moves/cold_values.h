// SPDX-License-Identifier: Apache-2.0
// Values that rest for long between two of their readers: what an encoder hands over to a decoder.
// Meanwhile they are kept, computed again from what there is then, or lie in block storage.
//
//   x -> conv -> t -> conv -> x1;  x1 -> pool -> ... -> up;  x1, up -> concat
//   again:    x -> conv -> t2 -> conv -> x1';  x1', up -> concat     (x is there then, x1 is not)
//   spilled:  x1 -> store -> s;  ...;  s -> fetch -> f;  f, up -> concat
#pragma once

#include <span>
#include <vector>

#include "thimble/plan/instances.h"

namespace thimble {

struct ColdValue {
  ValueId value;
  int64_t bytes = 0;
  std::vector<InstanceId> later;  ///< readers behind the longest rest, ascending
  bool operator==(const ColdValue&) const = default;
};

/// What one value has, where it rests; no readers where it does not for long.
[[nodiscard]] ColdValue cold_value(const Graph& graph, const Instances& instances, ValueId value);

/// Largest first, then those that rest longest.
[[nodiscard]] std::vector<ColdValue> cold_values(const Graph& graph, const Instances& instances);

enum class Rest : uint8_t { kKept, kAgain, kSpilled };

/// Where what is spilled goes, and how it lies there.
struct RestPlace {
  MemoryId memory = kFirstFurtherMemory;
  int64_t write_bytes = 1;      ///< a granule
  int64_t chunk_bytes = 0;      ///< about, of records that are compressed; 0: they are not
  std::vector<int> axis_order;  ///< empty: row-major
};

/// The instances with each of the values resting its own way. What is made last is seen to first,
/// so that what is computed again for it can read others that are. A value that cannot be computed
/// again is kept.
[[nodiscard]] Instances rest(const Graph& graph, const Instances& instances,
                             std::span<const ValueId> values, std::span<const Rest> ways,
                             const RestPlace& place);

}  // namespace thimble
