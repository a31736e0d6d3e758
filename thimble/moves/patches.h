// SPDX-License-Identifier: Apache-2.0
// Patches (MCUNetV2, Lin et al. 2021): all that a value needs, executed patch by patch of that
// value; what neighbouring patches share is computed by each of them.
//
//   x 24x24 -> conv 3x3/2 -> t -> depthwise 3x3 -> split 12x12          in 2 x 2 patches
//
//   group  loop {paced split, rows, step 6}, t again
//     group  loop {paced split, columns, step 6}, t again
//       compute conv         t rows [6 i - 1, 6 i + 7), columns likewise: a slice of 7 x 7, as what
//                            lies outside of t is cut off
//       compute depthwise    split rows [6 i, 6 i + 6), into the whole value
#pragma once

#include <string>
#include <variant>

#include "thimble/plan/clock.h"

namespace thimble {

/// Everything that the split value needs. It is the only value made here that is used outside.
struct PatchStage {
  ValueId split;
  std::vector<InstanceId> instances;  ///< ascending; the last makes the split value
  std::vector<bool> inside;           ///< per instance
  bool operator==(const PatchStage&) const = default;
};

/// The stage that ends with this instance, or why there is none.
[[nodiscard]] std::variant<PatchStage, std::string> stage_up_to(const Dataflow& dataflow,
                                                                InstanceId last);

/// Patches of the split value: all of `rows` x `columns`, the last ones smaller.
struct PatchGrid {
  int64_t rows = 0, columns = 0;
  int64_t down = 1, across = 1;  ///< how many
  bool operator==(const PatchGrid&) const = default;
};
/// `patches` along each axis, or as many as are not empty.
[[nodiscard]] PatchGrid patch_grid(const Shape& split, int64_t patches);

/// The stage's instances, in this order, in patches. A loop that would run once is left out; there
/// must be several patches.
[[nodiscard]] Group in_patches(const PatchStage& stage, const std::vector<InstanceId>& order,
                               const PatchGrid& grid);

/// Why the stage cannot be executed in these patches, which `derive` has no answer for: the
/// operator that is in the way.
[[nodiscard]] std::string patches_fault(const Dataflow& dataflow, const PatchStage& stage,
                                        const PatchGrid& grid);

}  // namespace thimble
