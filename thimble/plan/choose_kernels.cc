// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/choose_kernels.h"

#include <algorithm>

#include "thimble/model/error.h"
#include "thimble/plan/placement.h"
#include "thimble/search/least_time.h"

namespace thimble {

KernelSelection::KernelSelection(const Dataflow& dataflow, const Plan& plan,
                                 const Schedule& schedule, const LatencyEstimate& latency)
    : flow_(dataflow),
      plan_(plan),
      latency_(dataflow, latency, ScratchBudgets::kMany),
      program_(latency.program()),
      fits_(dataflow.graph, schedule, dataflow.axes.kernel_uses()) {
  const std::vector<int64_t> live =
      live_bytes(dataflow.graph, schedule, kArena, &dataflow.axes.kernel_uses());
  portable_.live_bytes = live.empty() ? 0 : std::ranges::max(live);
  portable_.kernels.resize(live.size());
  for_each_step(schedule, [&](const Step& step, Position position) {
    const int64_t scratch = step.scratch.valid() ? schedule.buffer(step.scratch).size_bytes() : 0;
    calls_.push_back({.step = &step,
                      .live_bytes = live[static_cast<size_t>(position)] - scratch,
                      .formats = {}});
  });
  add_times(latency_);
  portable_.instructions = program_;
  for (size_t k = 0; k < calls_.size(); ++k) {
    Call& call = calls_[k];
    if (call.formats.empty()) continue;
    const KernelTime& time = fastest(call, 0, {});
    const KernelTime& least = call.step->constants.valid() ? time : call.formats[0].times->front();
    portable_.instructions += least.instructions;
    if (!least.kernel.valid()) continue;
    portable_.kernels[k] = {least.kernel, least.scratch_bytes};
    portable_.live_bytes = std::max(portable_.live_bytes, call.live_bytes + least.scratch_bytes);
  }
}

void KernelSelection::add_times(LatencyEstimate& latency) {
  const auto calls = latency.calls(plan_.members, plan_.overlaps);
  check(calls.has_value(), "a group of a plan has no tiles");
  size_t position = 0;
  for (const PlannedCall& planned : *calls) {
    if (planned.transfers) continue;
    while (position < calls_.size() && calls_[position].step->transfer != TransferPart::kNone)
      ++position;
    check(position < calls_.size(), "a plan's calls are not those of its schedule");
    Call& call = calls_[position++];
    call.formats.push_back(
        {planned.times, std::vector<std::optional<bool>>(planned.times->size())});
    call.over_input = planned.over_input;
  }
}

void KernelSelection::add_format(const LatencyEstimate& latency, PackedBytes& packed) {
  LatencyEstimate many(flow_, latency, ScratchBudgets::kMany);
  add_times(many);
  packed_ = &packed;
}

double KernelSelection::over_input(Position position, const StepKernel& kernel) {
  const InstanceCall* call = calls_[static_cast<size_t>(position)].over_input;
  return call == nullptr ? 0 : latency_.over_input(*call, kernel);
}

// Constants that are brought are those of one kernel: with as much scratch as helps.
const KernelTime& KernelSelection::of_kernel(Call& call, const KernelTimes& times,
                                             const KernelLimits& limits) const {
  const std::vector<KernelUse>& uses =
      flow_.axes.kernel_uses().uses_of(call.step->op, call.step->method);
  const KernelTime* found = nullptr;
  for (const KernelTime& time : times) {
    if (chosen(time.kernel, uses[0]) != call.step->kernel) continue;
    const int64_t live = call.live_bytes + time.scratch_bytes;
    if (found == nullptr || live <= limits.live_bytes) found = &time;
  }
  if (found != nullptr) return *found;
  if (!call.kernel) {
    call.kernel = times.front();
    call.kernel->kernel = call.step->kernel;
    call.kernel->scratch_bytes = least_scratch_bytes(call.step->kernel, uses[0]);
  }
  return *call.kernel;
}

const KernelTime& KernelSelection::fastest(Call& call, size_t format, const KernelLimits& limits) {
  auto& [times, fit] = call.formats[format];
  if (call.step->constants.valid()) return of_kernel(call, *times, limits);
  for (size_t w = times->size(); w-- > 1;) {
    const KernelTime& with = (*times)[w];
    const int64_t live = call.live_bytes + with.scratch_bytes;
    if (live > limits.live_bytes ||
        (live > limits.free_bytes && with.scratch_bytes > limits.scratch_bytes))
      continue;
    if (!fit[w]) {
      Step changed = *call.step;
      changed.kernel = with.kernel;
      fit[w] = fits_.fault(changed).empty();
    }
    if (*fit[w]) return with;
  }
  return times->front();
}

std::map<OpId, size_t> KernelSelection::formats_within(const KernelLimits& limits) {
  std::map<OpId, std::vector<Call*>> calls;
  for (Call& call : calls_) {
    if (call.step->op.valid()) calls[call.step->op].push_back(&call);
  }
  std::vector<std::vector<TimedBytes>> formats_of;
  for (const auto& [op, its] : calls) {
    std::vector<TimedBytes>& formats = formats_of.emplace_back();
    for (size_t f = 0; f < its.front()->formats.size(); ++f) {
      TimedBytes& each = formats.emplace_back();
      std::vector<std::pair<Method, KernelId>> steps;
      for (Call* call : its) {
        const KernelTime& with = fastest(*call, f, limits);
        each.time += with.instructions;
        if (!call->step->constants.valid()) steps.emplace_back(call->step->method, with.kernel);
      }
      each.bytes = packed_->bytes_of(op, steps);
    }
  }
  const std::vector<size_t> taken = least_time_within(formats_of, *limits.weight_bytes);
  std::map<OpId, size_t> result;
  for (const auto& [op, its] : calls) result.emplace(op, taken[result.size()]);
  return result;
}

KernelSelection::Chosen KernelSelection::within(const KernelLimits& limits) {
  std::map<OpId, size_t> formats;
  if (limits.weight_bytes && packed_ != nullptr) formats = formats_within(limits);
  Chosen result{.instructions = program_};
  for (Call& call : calls_) {
    StepKernel& kernel = result.kernels.emplace_back();
    result.live_bytes = std::max(result.live_bytes, call.live_bytes);
    if (call.formats.empty()) continue;
    const auto format = formats.find(call.step->op);
    const KernelTime& with = fastest(call, format == formats.end() ? 0 : format->second, limits);
    result.instructions += with.instructions;
    result.live_bytes = std::max(result.live_bytes, call.live_bytes + with.scratch_bytes);
    if (with.kernel.valid()) kernel = {with.kernel, with.scratch_bytes};
  }
  return result;
}

}  // namespace thimble
