// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/simulation.h"

#include <fmt/format.h>

#include <utility>

#include "thimble/analysis/traffic.h"
#include "thimble/driver/reports.h"
#include "thimble/driver/storage.h"
#include "thimble/model/error.h"
#include "thimble/report/note_text.h"

namespace thimble {
namespace {

CoreSpeed core_speed(const Compiled& compiled, const SimulationRequest& wanted) {
  if (wanted.seconds_per_mac)
    return {.model = std::nullopt,
            .seconds_per_mac = wanted.seconds_per_mac,
            .pointwise_share = wanted.pointwise_share,
            .fully_connected_share = wanted.fully_connected_share};
  check_speed(compiled.target, wanted);
  return {.model = latency_model(compiled.target.core),
          .seconds_per_mac = std::nullopt,
          .clock_hz = compiled.target.clock_hz,
          .wait_cycles = compiled.target.core.measured
                             ? 0
                             : wait_cycles(compiled.graph, compiled.plan.schedule)};
}

// The traffic of what is addressed, and touched.
std::vector<MemoryTraffic> memory_traffic(const Compiled& compiled) {
  const Schedule& schedule = compiled.plan.schedule;
  const std::vector<int64_t> bytes = traffic(compiled.graph, schedule);
  std::vector<MemoryTraffic> result;
  for (size_t m = 0; m < schedule.memories.size(); ++m) {
    const ScheduleMemory& memory = schedule.memories[m];
    if (memory.kind == MemoryKind::kBlockStorage) continue;
    int64_t sum = 0;
    for (size_t b = 0; b < bytes.size(); ++b)
      sum += schedule.buffers[b].memory.index() == m ? bytes[b] : 0;
    if (sum > 0) result.push_back({.name = memory.name, .kind = memory.kind, .bytes = sum});
  }
  return result;
}

}  // namespace

void check_speed(const Target& target, const SimulationRequest& wanted) {
  if (wanted.seconds_per_mac) return;
  constexpr const char* kByMacs = "--ns-per-mac NUMBER gives the core's speed instead";
  if (target.clock_hz <= 0) {
    throw CompileError(
        "--device", fmt::format("is required: its clock makes time of instructions; {}", kByMacs));
  }
  if (!latency_model(target.core)) {
    throw CompileError(target.name, fmt::format("has the core {}, whose time nobody estimates; {}",
                                                target.core.name, kByMacs));
  }
}

SimulationReport simulation_report(const Request& request, const Compiled& compiled,
                                   const SimulationRequest& wanted) {
  SimulatedDevice device{.core = core_speed(compiled, wanted),
                         .storages = storage_figures(request),
                         .driver = wanted.driver};
  if (wanted.storage)
    device.storages[request.storage.substr(0, request.storage.find(':'))] = *wanted.storage;
  const Target& target = compiled.target;
  Simulation simulation = simulate(compiled.graph, compiled.program, device, wanted.options);
  std::vector<MemoryTraffic> memories = memory_traffic(compiled);
  return {.graph = compiled.graph,
          .plan = compiled.plan,
          .model = compiled.where,
          .device = target.memories.empty() ? "" : target.name,
          .core = device.core.model ? target.core.name : "",
          .measured = target.core.measured != nullptr,
          .clock_hz = target.clock_hz,
          .seconds_per_mac = wanted.seconds_per_mac,
          .driver = wanted.driver,
          .simulation = std::move(simulation),
          .memories = std::move(memories),
          .flash = {.wait_states = target.flash_wait_states,
                    .line_bytes = target.flash_line_bytes,
                    .clock_hz = target.clock_hz},
          .inferences_per_day = wanted.inferences_per_day,
          .notes = sentences(compiled.notes, compiled.graph)};
}

}  // namespace thimble
