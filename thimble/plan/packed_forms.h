// SPDX-License-Identifier: Apache-2.0
// Sizes of an operator's constants, packed for a kernel, found out once: that takes a look at every
// weight.
#pragma once

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "thimble/target/kernels/kernel_uses.h"
#include "thimble/target/kernels/packed_records.h"

namespace thimble {

/// For several threads at a time.
class PackedForms {
 public:
  /// The graph must outlive it.
  explicit PackedForms(const Graph& graph) : graph_(graph) {}

  /// None: the kernel takes no constants. Valid as long as this.
  [[nodiscard]] const std::vector<PackedSize>& sizes(OpId op, KernelId kernel);
  [[nodiscard]] int64_t bytes(OpId op, KernelId kernel);
  /// Records of so many channels; nothing if they cannot be cut so.
  [[nodiscard]] std::optional<RecordLayout> layout(const PackedRecords& records);

 private:
  const Graph& graph_;
  std::mutex mutex_;
  std::map<std::pair<OpId, KernelId>, std::vector<PackedSize>> known_;
};

}  // namespace thimble
