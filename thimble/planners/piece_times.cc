// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/piece_times.h"

#include <algorithm>
#include <limits>

namespace thimble {

LatencyModel latency_model_for(const Core& core) {
  return latency_model(core.name).value_or(*latency_model("cortex-m4"));
}

Core without_sets(Core core) {
  core.sets = {InstructionSet::kPortable};
  return core;
}

PieceTimes::PieceTimes(const Dataflow& dataflow, const Core& core)
    : flow_(dataflow),
      core_(core),
      portable_core_(without_sets(core)),
      model_(latency_model_for(core)),
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

double PieceTimes::sum(const std::vector<Member>& members, int64_t room_bytes) {
  double result = 0;
  for (const Member& member : members) {
    if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
      result += whole(*call, room_bytes);
    } else if (const auto derived = derive(flow_, std::get<Group>(member.what), Regions::kNone)) {
      result += group(*derived, room_bytes);
    } else {
      return std::numeric_limits<double>::infinity();
    }
  }
  return result;
}

int64_t PieceTimes::scratch_bytes(const std::vector<Member>& members) const {
  int64_t most = 0;
  for (const InstanceCall& call : calls(members)) most = std::max(most, scratch_bytes(call));
  return most;
}

/// Some kernels do nearly as well with less scratch than they would take, and in parts need less.
int64_t PieceTimes::scratch_bytes(const InstanceCall& call) const {
  const OpId op = flow_.instances.instance(call.instance).op;
  std::optional<int64_t> least;
  for (const KernelUse& use :
       op.valid() ? flow_.axes.uses(op, call.method) : std::vector<KernelUse>{}) {
    for (const Candidate& candidate : candidates(use, core_)) {
      if (candidate.kernel == use.kernel) continue;
      const int64_t bytes = least_scratch_bytes(candidate.kernel, use);
      least = std::min(least.value_or(bytes), bytes);
    }
  }
  return least.value_or(0);
}

LatencyEstimate& PieceTimes::with_room(const InstanceCall& call, int64_t room_bytes) {
  return scratch_bytes(call) <= room_bytes ? fast_ : portable_;
}

}  // namespace thimble
