// SPDX-License-Identifier: Apache-2.0
// One operand, or the output, of a call at one execution: the bytes that the kernel touches there.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "thimble/program/arguments.h"
#include "thimble/program/shadow.h"

namespace thimble {

struct Side {
  const OperandView* view;
  const OperandAxes* walk;
  runtime::View numbers;  ///< as the kernel is handed them
  int64_t address = 0;    ///< of numbers.data, in `memory`
  ShadowMemory* memory;   ///< null: flash
  Content content;        ///< what an operand must hold, or the output gets

  [[nodiscard]] int64_t element_bytes() const { return size_bytes(view->type); }
};

/// Address of a run's first element, as runtime::pixel() finds it; nothing before the start of a
/// ring.
[[nodiscard]] std::optional<int64_t> address_of(const Side& side, const Run& run);

/// Around all bytes that a box of kernel coordinates touches. A ring: all of it, and what the
/// channels of a pixel reach beyond.
[[nodiscard]] Interval hull_of(const Side& side, const Region& box);

/// Whether the output, element by element in ascending addresses, never passes the operand. Both
/// have no element before their address: the verifier refuses those outside of their buffers.
[[nodiscard]] bool never_ahead(const Side& out, const Side& in);

/// Kernel coordinates of what operand `k` of the call must provide for `region` of its output, from
/// the operator's access map. maps: of the graph's operators.
[[nodiscard]] Region needed_box(const Graph& graph, const std::vector<AccessMap>& maps,
                                const Call& call, const Walk& walk, size_t k, const Region& region,
                                const Interval& chunk);

/// What of `box` no other box of these holds, as boxes apart.
[[nodiscard]] std::vector<Region> without(const Region& box, const std::vector<Region>& others);

/// The parts of `region` that come next after one of each_unit()'s along each axis. All of them
/// come later.
[[nodiscard]] std::vector<Region> units_behind(const Region& unit, const Region& region);

/// Calls visit(unit) for the parts of `region` in the order in which the kernel reads and writes
/// them: single elements for kElement, else as for_each_unit.
void each_unit(Progress progress, const Region& region,
               const std::function<void(const Region&)>& visit);

}  // namespace thimble
