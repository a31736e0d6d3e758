// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/packed_bytes.h"

#include <set>

namespace thimble {

int64_t PackedBytes::bytes_of(OpId op, const std::vector<std::pair<Method, KernelId>>& steps) {
  std::set<Pack> counted;
  int64_t sum = 0;
  for (const auto& [method, kernel] : steps) {
    for (const KernelUse& use : uses_.uses_of(op, method)) {
      const KernelId taken = chosen(kernel, use);
      const Pack form = info(taken).pack;
      if (form == nullptr || !counted.insert(form).second) continue;
      const auto [known, added] = known_.try_emplace({op, form}, 0);
      if (added) {
        for (const PackedConstant& constant : pack(graph_, graph_.op(op), taken))
          known->second += static_cast<int64_t>(constant.data.size());
      }
      sum += known->second;
    }
  }
  return sum;
}

int64_t PackedBytes::bytes_of(const Schedule& schedule) {
  std::map<OpId, std::vector<std::pair<Method, KernelId>>> steps;
  for_each_step(schedule, [&](const Step& step, Position) {
    if (step.op.valid() && !step.constants.valid())
      steps[step.op].emplace_back(step.method, step.kernel);
  });
  int64_t sum = 0;
  for (const auto& [op, its] : steps) sum += bytes_of(op, its);
  return sum;
}

}  // namespace thimble
