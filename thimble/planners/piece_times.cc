// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/piece_times.h"

#include <algorithm>

namespace thimble {

Core without_sets(Core core) {
  core.sets = {InstructionSet::kPortable};
  return core;
}

PieceTimes::PieceTimes(const Dataflow& dataflow, const Core& core)
    : flow_(dataflow),
      core_(core),
      portable_core_(without_sets(core)),
      model_(latency_model(core.name).value_or(*latency_model("cortex-m4"))),
      fast_(dataflow, core_, model_),
      portable_(dataflow, portable_core_, model_) {}

double PieceTimes::whole(const InstanceCall& call, int64_t room_bytes) {
  return with_room(call, room_bytes).whole(call, false);
}

double PieceTimes::group(const Derived& derived, int64_t room_bytes) {
  if (derived.flat) return fast_.group(derived);
  double sum = 0;
  for (size_t s = 0; s < derived.steps.size(); ++s)
    sum += with_room(derived.steps[s].call, room_bytes).step(derived, s);
  return sum;
}

/// Some kernels do nearly as well with less scratch than they would take, and in parts need less.
LatencyEstimate& PieceTimes::with_room(const InstanceCall& call, int64_t room_bytes) {
  const OpId op = flow_.instances.instance(call.instance).op;
  if (!op.valid()) return fast_;
  for (const KernelUse& use : flow_.axes.uses(op, call.method)) {
    for (const Candidate& candidate : candidates(use, core_)) {
      if (candidate.kernel == use.kernel) continue;
      if (least_scratch_bytes(candidate.kernel, use) <= room_bytes) return fast_;
    }
  }
  return portable_;
}

}  // namespace thimble
