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

/// That bound for one section, of whichever of its buffers, every one at a multiple of `alignment`.
class SectionBound {
 public:
  /// The problem must outlive it.
  SectionBound(const Problem& problem, int64_t alignment);
  /// Buffers of a smaller alignment are left out. Sections that cannot have more than `at_least`
  /// bytes are not looked at any closer: it is the answer.
  [[nodiscard]] int64_t operator()(const std::vector<int>& section, int64_t at_least);

 private:
  [[nodiscard]] const Buffer& buffer(int b) const { return problem_.buffers[index(b)]; }
  [[nodiscard]] int64_t padded(int b) const { return align_up(buffer(b).size_bytes, alignment_); }
  /// The bound of the group of buffer b; its members leave the section, so that each counts once.
  int64_t group_of(int b);

  const Problem& problem_;
  const int64_t alignment_;
  std::vector<std::vector<Saving>> pairs_;  ///< per buffer
  std::vector<int> number_;                 ///< of a buffer in its group
  std::vector<bool> in_section_;            ///< and not counted yet
};

/// A number that divides every address that a smallest layout needs, and every size.
[[nodiscard]] int64_t quantum_bytes(const Problem& problem);

}  // namespace thimble::layout
