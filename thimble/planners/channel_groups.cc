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

const MeasuredGroup* ChannelGroups::of(const std::vector<int>& instances) {
  const auto known = known_.find(instances);
  if (known != known_.end()) return known->second ? &*known->second : nullptr;
  std::vector<InstanceId> ids;
  for (const int i : instances) ids.push_back({i});
  std::optional<ChannelGroup> group = rules_.group_of(ids);
  if (!group) return nullptr;
  std::optional<MeasuredGroup>& result = known_[instances];
  const std::optional<Derived> derived = derive(flows_[0], group->group);
  if (!derived) return nullptr;
  result = {.group = std::move(*group), .bytes = {}};
  for (const Dataflow& flow : flows_) result->bytes.push_back(group_bytes(flow, *derived));
  return &*result;
}

}  // namespace thimble
