// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/first_kernels.h"

#include <algorithm>

#include "thimble/schedule/kernel_fit.h"

namespace thimble {
namespace {

// A portable one if there is no other.
KernelId first_kernel(KernelFits& fits, Step step, const Core& core) {
  KernelId portable;
  for (const KernelUse& use : fits.uses_of(step.op, step.method)) {
    for (const Candidate& candidate : candidates(use, core)) {
      step.kernel = candidate.kernel;
      if (candidate.kernel == use.kernel || !fits.fault(step).empty()) continue;
      if (info(candidate.kernel).set != InstructionSet::kPortable) return candidate.kernel;
      portable = candidate.kernel;
    }
  }
  return portable;
}

}  // namespace

Schedule with_first_kernels(const Graph& graph, Schedule schedule, const Core& core,
                            const ScratchDraw& draw) {
  const KernelUses uses(graph);
  std::vector<KernelId> kernels;
  {
    KernelFits fits(graph, schedule, uses);
    for_each_step(schedule, [&](const Step& step, Position) {
      kernels.push_back(step.op.valid() ? first_kernel(fits, step, core) : KernelId{});
    });
  }
  size_t position = 0;
  const auto visit = [&](const auto& self, std::vector<Node>& nodes) -> void {
    const auto name = [&](Step& step) {
      const KernelId kernel = kernels[position++];
      if (!kernel.valid()) return;
      Scratch given = scratch(uses.uses_of(step.op, step.method), kernel);
      int64_t least = 0;
      for (const KernelUse& use : uses.uses_of(step.op, step.method)) {
        const KernelId taken = chosen(kernel, use);
        least = std::max(least, least_scratch_bytes(taken, use));
        given.size_bytes = std::max(given.size_bytes, scratch_bytes(taken, use));
      }
      if (draw && least < given.size_bytes) given.size_bytes = draw(least, given.size_bytes);
      set_kernel(schedule, step, kernel, given);
    };
    for (Node& node : nodes) visit_node(node, name, [&](Loop& loop) { self(self, loop.body); });
  };
  visit(visit, schedule.nodes);
  return schedule;
}

}  // namespace thimble
