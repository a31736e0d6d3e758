// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/choose_kernels.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/plan/placement.h"

namespace thimble {

KernelSelection::KernelSelection(const Dataflow& dataflow, const Plan& plan,
                                 const Schedule& schedule, LatencyEstimate& latency)
    : program_(latency.program()), fits_(dataflow.graph, schedule, dataflow.axes.kernel_uses()) {
  const std::vector<int64_t> live =
      live_bytes(dataflow.graph, schedule, kArena, &dataflow.axes.kernel_uses());
  const auto ways = latency.ways(plan.members, plan.overlaps);
  check(ways.has_value(), "a group of a plan has no tiles");
  for_each_step(schedule, [&](const Step& step, Position position) {
    const auto at = static_cast<size_t>(position);
    portable_.kernels.emplace_back();
    Call& call = calls_.emplace_back();
    call.step = &step;
    call.live_bytes = live[at];
    portable_.live_bytes = std::max(portable_.live_bytes, call.live_bytes);
    if (step.scratch.valid()) call.live_bytes -= schedule.buffer(step.scratch).size_bytes();
    if (at >= ways->size()) return;  // a copy that closes a state
    call.ways = (*ways)[at];
    call.fit.resize(call.ways->size());
    portable_.instructions += call.ways->front().instructions;
  });
  portable_.instructions += program_;
}

const KernelWay& KernelSelection::fastest(Call& call, int64_t room_bytes) {
  for (size_t w = call.ways->size(); w-- > 1;) {
    const KernelWay& way = (*call.ways)[w];
    if (way.scratch_bytes > room_bytes) continue;
    if (!call.fit[w]) {
      Step changed = *call.step;
      changed.kernel = way.kernel;
      call.fit[w] = fits_.fault(changed).empty();
    }
    if (*call.fit[w]) return way;
  }
  return call.ways->front();
}

KernelSelection::Chosen KernelSelection::within(int64_t live_bytes) {
  Chosen result{.instructions = program_};
  for (Call& call : calls_) {
    StepKernel& kernel = result.kernels.emplace_back();
    result.live_bytes = std::max(result.live_bytes, call.live_bytes);
    if (call.ways == nullptr) continue;
    const KernelWay& way = fastest(call, live_bytes - call.live_bytes);
    result.instructions += way.instructions;
    result.live_bytes = std::max(result.live_bytes, call.live_bytes + way.scratch_bytes);
    if (way.kernel.valid()) kernel = {way.kernel, way.scratch_bytes};
  }
  return result;
}

}  // namespace thimble
