// SPDX-License-Identifier: Apache-2.0
// What a call of a kernel does in all tiles of the loops around it, counted without executing them.
// Each axis follows one loop; so the tiles of each loop fall into few classes of equal work
// (inside, at the borders, nothing to do), and only combinations of classes are counted one by one.
//
//   depthwise 3x3 of 56 x 56, a row a tile, 58 tiles     2 with nothing, 2 that read padding, 54
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "thimble/plan/clock.h"
#include "thimble/target/kernels/call_features.h"

namespace thimble {

/// What a loop has a call do.
struct LoopAround {
  TiledCall tile;  ///< axis, beat and whether it reduces; the rest does not matter
  int64_t tiles = 1;
  bool flat = false;  ///< no loop, but one of its tiles, written down
};

/// A call, the loops around it, and buffers as its kernel sees them. What is pointed to must
/// outlive it.
struct LoopedCall {
  const Shape* shape = nullptr;        ///< of what it makes
  int64_t chunk_extent = 1;            ///< of the axis that it reduces
  std::vector<LoopAround> loops;       ///< outermost first; no two along one axis, but as `outer`
  std::vector<const Buffer*> operand;  ///< per operand; a constant's is row-major
  const Buffer* out = nullptr;
  bool over_input = false;  ///< CallShape's
};

class LoopedFeatures;

/// One call of one use, counted for one kernel after the other. Both must outlive it.
class CountedCall {
 public:
  CountedCall(LoopedFeatures& features, const LoopedCall& call, const KernelUse& use);
  ~CountedCall();
  CountedCall(CountedCall&&) noexcept;

  /// Extents of the output that tiles compute at the most; none if there is nothing to do.
  [[nodiscard]] CallExtents most() const;
  /// Sums over all tiles: what features() (call_features.h) comes to for each. Where the ends of
  /// rings fall is taken as on average over the image. `kernel`: one that does() the use.
  /// scratch_bytes: that it has; by default all that it can use.
  [[nodiscard]] Features features_with(KernelId kernel,
                                       std::optional<int64_t> scratch_bytes = std::nullopt);

 private:
  class Counting;
  LoopedFeatures* features_;
  const KernelUse* use_;
  std::unique_ptr<Counting> counting_;  ///< null: there is nothing to do
};

/// What counted calls have in common, on any thread. Uses must outlive it.
class LoopedFeatures {
 public:
  [[nodiscard]] Features features_of(const LoopedCall& call, const KernelUse& use,
                                     KernelId kernel) {
    return CountedCall(*this, call, use).features_with(kernel);
  }

 private:
  friend class CountedCall;
  std::mutex mutex_;
  /// CallShape::cut of a call of all of the output: by use, kernel, and how operand 0 lies.
  std::map<std::tuple<const KernelUse*, KernelId, int32_t, int32_t, int32_t>, double> cuts_;
  [[nodiscard]] double cut(const CallShape& shape, const KernelUse& use);
};

/// Whether the kernel takes the call as it is cut and as its buffers lie, and gains from it: what
/// kernel_fit.h asks of schedules. `constant`: operand 0 is one.
[[nodiscard]] bool suits(const LoopedCall& call, const KernelUse& use, KernelId kernel);

}  // namespace thimble
