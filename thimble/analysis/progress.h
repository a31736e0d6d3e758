// SPDX-License-Identifier: Apache-2.0
// The order in which a step reads and writes, at the grain that its kernel promises.
#pragma once

#include <functional>
#include <map>
#include <utility>

#include "thimble/regions/access_map.h"
#include "thimble/schedule/schedule.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

/// Progress of an operator with that access map. kNone for several calls, and for elementwise
/// kernels whose operands do not lie alike (transpose), where the order of elements says nothing
/// about bytes.
[[nodiscard]] Progress kernel_progress(const Graph& graph, OpId op, const AccessMap& map,
                                       const KernelUses& uses, Method method = Method::kCompute,
                                       KernelId kernel = {});

/// Progress of the steps of one graph; asks each operator's kernel once.
class StepProgress {
 public:
  /// All must outlive this.
  StepProgress(const Graph& graph, const std::vector<AccessMap>& maps, const KernelUses& uses)
      : graph_(graph), maps_(maps), uses_(uses) {}

  [[nodiscard]] Progress progress_of(const Step& step);

 private:
  const Graph& graph_;
  const std::vector<AccessMap>& maps_;
  const KernelUses& uses_;
  std::map<std::tuple<OpId, Method, KernelId>, Progress> known_;
};

/// Calls visit(unit) for the parts of `region`, in the kernel's order: a run along the last axis
/// for kElement, a pixel for kPixel (all axes but the last), a channel of an image for kPlane,
/// everything for kWhole and kNone.
void for_each_unit(Progress progress, const Region& region,
                   const std::function<void(const Region&)>& visit);

}  // namespace thimble
