// SPDX-License-Identifier: Apache-2.0
// The part of a network that can be executed in patches, and what a patch needs of each tensor.
//
//   x 24x24 -> conv 3x3/2 -> t -> depthwise 3x3 -> split 12x12       in 2 x 2 patches
//     split   rows [6 i, 6 i + 6)            written into the whole tensor
//     t       rows [6 i - 1, 6 i + 7)        a slice: the halo is computed by both neighbours
//     x       rows [12 i - 2, 12 i + 15)     read from the whole input
//
// Columns likewise. Regions are cut to the tensor wherever they are evaluated.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "thimble/schedule/reads.h"

namespace thimble {

/// Everything that the split tensor needs. It is the only tensor made here that is used outside.
struct PatchStage {
  TensorId split;
  std::vector<OpId> ops;     ///< in the order of the file; the last makes the split tensor
  std::vector<bool> inside;  ///< per operator
  bool operator==(const PatchStage&) const = default;
};

/// Patches of the split tensor: all of `rows` x `columns`, the last ones smaller.
struct PatchGrid {
  int64_t rows = 0, columns = 0;
  int64_t down = 1, across = 1;  ///< how many
  bool operator==(const PatchGrid&) const = default;
};
/// `patches` along each axis, or as many as are not empty.
[[nodiscard]] PatchGrid patch_grid(const Shape& split, int64_t patches);

/// Rows follow kPatchRow, columns kPatchColumn; a loop that would run once follows neither.
constexpr LoopId kPatchRow{0}, kPatchColumn{1};

struct PatchRegions {
  std::vector<RegionExpr> of;  ///< per tensor that the stage makes; empty for all others
};

/// What is needed of the operators, found once per graph. The graph must outlive it.
class PatchAnalysis {
 public:
  explicit PatchAnalysis(const Graph& graph);

  /// The stage that ends with this operator, or why there is none.
  [[nodiscard]] std::variant<PatchStage, std::string> stage_up_to(OpId last) const;
  /// What a patch needs of each tensor, or why the stage cannot be executed in patches.
  [[nodiscard]] std::variant<PatchRegions, std::string> regions(const PatchStage& stage,
                                                                const PatchGrid& grid);
  /// Whether patches share any of it.
  [[nodiscard]] bool recomputed(TensorId tensor, const RegionExpr& region,
                                const PatchGrid& grid) const;
  /// The buffer that holds such a region, whatever patch it is of.
  [[nodiscard]] Buffer slice(TensorId tensor, const RegionExpr& region,
                             const PatchGrid& grid) const;

 private:
  struct Walk {
    std::vector<int> inputs;
    std::vector<OperandAxes> in;
    OperandAxes out;
  };
  [[nodiscard]] const std::vector<Walk>& walks(OpId op);
  [[nodiscard]] std::string demand(OpId op, const PatchGrid& grid, PatchRegions& regions) const;
  [[nodiscard]] std::string kernel_fault(OpId op, const PatchRegions& regions);

  const Graph& graph_;
  std::vector<AccessMap> maps_;
  std::vector<OpId> producer_;
  std::vector<std::vector<OpId>> consumers_;
  std::vector<std::optional<std::vector<Walk>>> walks_;  // per operator, when asked for
};

}  // namespace thimble
