// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/channel_groups.h"

#include <algorithm>

namespace thimble {

ChannelGroups::ChannelGroups(const Dataflow& dataflow, DType narrowest_sums) : rules_(dataflow) {
  for (const DType sums : {DType::kInt32, DType::kInt16, DType::kInt8}) {
    if (size_bytes(sums) < size_bytes(narrowest_sums)) continue;
    sums_.push_back(sums);
    flows_.push_back(dataflow);
    std::ranges::fill(flows_.back().sums_types, sums);
  }
}

/// Bytes made, with sums as narrow as they may be.
int64_t ChannelGroups::made_bytes(const ChannelGroup& group) const {
  const Dataflow& flow = flows_.back();
  int64_t bytes = 0;
  for (const ValueId v : group.made) bytes += flow.size_bytes(v);
  for (const ValueId v : group.accumulated) bytes += flow.size_bytes(flow.sums_of(v));
  return bytes;
}

const MeasuredGroup* ChannelGroups::group_of(const std::vector<int>& instances, int64_t most_made) {
  const auto within = [&](const std::optional<MeasuredGroup>& known) {
    return known && made_bytes(known->group) < most_made ? &*known : nullptr;
  };
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(instances);
    if (known != known_.end()) return within(known->second);
  }
  std::vector<InstanceId> ids;
  for (const int i : instances) ids.push_back({i});
  std::optional<ChannelGroup> group = rules_.group_of(ids);
  if (!group || made_bytes(*group) >= most_made) return nullptr;
  std::optional<MeasuredGroup> result;
  if (const std::optional<Derived> derived = derive(flows_[0], group->group)) {
    result = {.group = std::move(*group), .bytes = {}};
    for (const Dataflow& flow : flows_) result->bytes.push_back(group_bytes(flow, *derived));
  }
  const std::lock_guard lock(mutex_);
  return within(known_.try_emplace(instances, std::move(result)).first->second);
}

}  // namespace thimble
