// SPDX-License-Identifier: Apache-2.0
// A typed index into one of the vectors of a Graph, Schedule or Program.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace thimble {

/// Index with its own type; the default value refers to nothing.
template <class Tag>
struct Id {
  int32_t value = -1;

  [[nodiscard]] constexpr bool valid() const { return value >= 0; }
  [[nodiscard]] constexpr size_t index() const { return static_cast<size_t>(value); }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using TensorId = Id<struct TensorTag>;
using OpId = Id<struct OpTag>;
using BufferId = Id<struct BufferTag>;
using LoopId = Id<struct LoopTag>;
using MemoryId = Id<struct MemoryTag>;
using TokenId = Id<struct TokenTag>;

}  // namespace thimble
