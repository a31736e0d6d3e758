// SPDX-License-Identifier: Apache-2.0
// Which units of a step decide how far its writes run ahead of its reads.
//
// Where a unit is written is linear in its indices; where it first reads is linear between bends
// (the padding of a window, the end of the input) and never falls. Then the lead is largest next to
// the first index, the last, or a bend of each axis, and all other units can be left out:
//
//   rows of an image of 4096, padding 1:   0 1 2 | 4094 4095      instead of 4096
#pragma once

#include <functional>
#include <vector>

#include "thimble/analysis/progress.h"
#include "thimble/regions/access_map.h"

namespace thimble {

/// How one operand that is held whole and row-major is read: its map and its shape.
struct WholeRead {
  const InputMap& map;
  const Shape& shape;
};

/// Calls visit(unit) in the kernel's order (progress.h), for those units of `region` that decide
/// the lead over `reads`. All of them where a map bends everywhere (a resize, a reversed slice).
/// Work in proportion to the bends, not to the region.
void for_each_extremal_unit(Progress progress, const Region& region,
                            const std::vector<WholeRead>& reads,
                            const std::function<void(const Region&)>& visit);

}  // namespace thimble
