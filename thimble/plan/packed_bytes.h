// SPDX-License-Identifier: Apache-2.0
// What constants take of flash, once they are packed for a kernel.
#pragma once

#include <map>
#include <utility>

#include "thimble/schedule/schedule.h"
#include "thimble/target/kernels/kernel_uses.h"

namespace thimble {

/// Packs each once: that takes a look at every weight.
class PackedBytes {
 public:
  /// Both must outlive it.
  PackedBytes(const Graph& graph, const KernelUses& uses) : graph_(graph), uses_(uses) {}

  /// Constants of steps of one operator, which name these kernels: each form once.
  [[nodiscard]] int64_t bytes_of(OpId op, const std::vector<std::pair<Method, KernelId>>& steps);

  /// Constants of all steps.
  [[nodiscard]] int64_t bytes_of(const Schedule& schedule);

 private:
  using Pack = std::vector<PackedConstant> (*)(const Operands&);

  const Graph& graph_;
  const KernelUses& uses_;
  std::map<std::pair<OpId, Pack>, int64_t> known_;
};

}  // namespace thimble
