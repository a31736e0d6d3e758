// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/plan.h"

#include <algorithm>

namespace thimble {

bool Group::operator==(const Group& other) const {
  return loop == other.loop && members == other.members;
}

Border TileLoop::border_of(ValueId value) const {
  const auto it = std::ranges::find(others, value, &std::pair<ValueId, Border>::first);
  return it == others.end() ? border : it->second;
}

Plan without_kernels(Plan plan) {
  plan.kernels.clear();
  const auto is_storage = [](const ScheduleMemory& memory) { return memory.storage.has_value(); };
  if (std::ranges::none_of(plan.memories, is_storage)) plan.memories = common_memories();
  plan.residences.clear();
  return plan;
}

std::vector<InstanceCall> calls(const std::vector<Member>& members) {
  std::vector<InstanceCall> result;
  for (const Member& member : members) {
    if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
      result.push_back(*call);
      continue;
    }
    for (const InstanceCall& call : calls(std::get<Group>(member.what).members))
      result.push_back(call);
  }
  return result;
}

}  // namespace thimble
