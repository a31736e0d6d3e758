// SPDX-License-Identifier: Apache-2.0
// How low a layout can possibly be: per section, the bytes that its buffers cover at the least.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/layout/layout.h"
#include "thimble/layout/sweep.h"

namespace thimble::layout {

/// Two buffers of one section and the most bytes that they can share.
struct Saving {
  int a = 0, b = 0;
  int64_t bytes = 0;
  bool operator==(const Saving&) const = default;
};

/// Pairs that can share bytes although live together (if ever they are), with addresses (and so the
/// sizes) rounded up to `alignment`, a power of two that divides both addresses.
[[nodiscard]] std::vector<Saving> savings(const Problem& problem, int64_t alignment);

/// Per section, what its buffers need at the least.
///
/// Any three sets obey |A + B + C| >= |A| + |B| + |C| - |AB| - |AC| - |BC| (Bonferroni), so the sum
/// of sizes minus each pair's saving is a bound, and so is that of any subset: the best subset is
/// taken within each group of buffers that overlaps connect (they may share bytes with no other
/// group). Alignment: buffers at multiples of A own the bytes up to the next multiple, except the
/// topmost.
[[nodiscard]] std::vector<int64_t> section_bounds(const Problem& problem, const Sweep& sweep);

/// A number that divides every address that a smallest layout needs, and every size.
[[nodiscard]] int64_t quantum_bytes(const Problem& problem);

}  // namespace thimble::layout
