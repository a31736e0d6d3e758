// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/packed_forms.h"

namespace thimble {

const std::vector<PackedSize>& PackedForms::sizes(OpId op, KernelId kernel) {
  const std::lock_guard lock(mutex_);
  const auto [it, added] = known_.try_emplace({op, kernel});
  if (added) it->second = packed_sizes(pack(graph_, graph_.op(op), kernel));
  return it->second;
}

int64_t PackedForms::bytes(OpId op, KernelId kernel) {
  int64_t sum = 0;
  for (const PackedSize& size : sizes(op, kernel)) sum += size.bytes;
  return sum;
}

std::optional<RecordLayout> PackedForms::layout(const PackedRecords& records) {
  return record_layout(sizes(records.op, records.kernel), records.channels,
                       packed_channels(graph_, graph_.op(records.op)));
}

}  // namespace thimble
