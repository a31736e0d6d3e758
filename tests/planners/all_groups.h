// SPDX-License-Identifier: Apache-2.0
// All fused groups of some instances, in every order that these can have, and what each comes to.
//
//   loops    one along rows, or one along columns within it; tiles of one position of the finest
//            value, and of 1, 2 and 4 rows of any value, or one column of the coarsest
//   borders  roll or again, for each value in each loop
//
// Not looked at, as something else is no worse: what is useless; roll where tiles of a value have
// nothing in common, as it is read where it is made, and again does; a value kept by rows that
// columns compute again; a loop in which no value has fewer positions than in another.
#pragma once

#include <vector>

#include "thimble/plan/derive.h"

namespace thimble::testing {

struct GroupLimits {
  bool may_recompute = false;   ///< execute more MACs than its operators have
  int64_t incumbent_bytes = 0;  ///< so many, what overlaps save aside, are of no use
  /// All borders, slices too, and tiles of 2 columns; nothing is left out.
  bool everything = false;
};

/// A way to execute instances together.
struct PieceExecution {
  struct Saving {
    OverlapChoice over;
    int64_t bytes = 0;
  };
  std::vector<Member> members;
  int64_t bytes = 0;  ///< of what it makes and what lies in it alone
  bool recomputes = false;
  std::vector<Saving> savings;  ///< of any one of these, if it is consumed
  bool must_overlap = false;    ///< one of them is
};

struct AllGroups {
  std::vector<PieceExecution> executions;  ///< the best of those with the same savings
  int64_t asked = 0;                       ///< groups that derive() was asked about
};
[[nodiscard]] AllGroups all_groups(const Dataflow& flow, const std::vector<InstanceId>& instances,
                                   const GroupLimits& limits);

}  // namespace thimble::testing
