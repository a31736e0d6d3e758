// SPDX-License-Identifier: Apache-2.0
// What operators do, found out once: some of it takes a look at every weight.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "thimble/target/kernels/kernel.h"

namespace thimble {

/// What a step needs that makes these calls (kernel.h).
[[nodiscard]] Scratch scratch(const std::vector<KernelUse>& uses, KernelId wanted = {});

/// For several threads at a time.
class KernelUses {
 public:
  /// The graph must outlive this.
  explicit KernelUses(const Graph& graph) : graph_(graph) {}

  /// As kernel_uses; none where there is no kernel. Valid as long as this.
  [[nodiscard]] const std::vector<KernelUse>& of(OpId op, Method method) const {
    const std::lock_guard lock(mutex_);
    const auto [it, added] = known_.try_emplace({op, method});
    if (added && has_kernel(graph_, graph_.op(op), method))
      it->second = kernel_uses(graph_, graph_.op(op), method);
    return it->second;
  }

 private:
  const Graph& graph_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<OpId, Method>, std::vector<KernelUse>> known_;
};

}  // namespace thimble
