// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/report/json_text.h"
#include "thimble/report/simulation_report.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

template <typename Value>
Json known(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

Json storage_json(const SimulatedStorage& storage, double per_day) {
  const auto& requests = storage.work.requests;
  const auto& amounts = storage.work.amounts;
  const auto& seconds = storage.seconds.work;
  return {{"name", storage.name},
          {"reads", requests[0]},
          {"read_bytes", amounts[0]},
          {"read_seconds", seconds[0]},
          {"writes", requests[1]},
          {"written_bytes", amounts[1]},
          {"write_seconds", seconds[1]},
          {"erases", requests[2]},
          {"erased_blocks", amounts[2]},
          {"erased_bytes", storage.work.erased_bytes},
          {"erase_seconds", seconds[2]},
          {"hidden_seconds", storage.seconds.hidden},
          {"cycles_per_inference", storage.cycles},
          {"endurance_cycles", known(storage.figures.endurance_cycles)},
          {"years", known(storage.years(per_day))},
          {"joules", known(storage.joules())}};
}

}  // namespace

std::string simulation_json(const SimulationReport& report) {
  const Simulation& simulation = report.simulation;
  Json waits, memories = Json::array(), storages = Json::array();
  for (size_t k = 0; k < kWaitCauses; ++k)
    waits[name(static_cast<WaitCause>(k))] = simulation.waited_seconds[k];
  for (const MemoryTraffic& memory : report.memories) {
    memories.push_back(
        {{"name", memory.name}, {"kind", name(memory.kind)}, {"touched_bytes", memory.bytes}});
  }
  for (const SimulatedStorage& storage : simulation.storages)
    storages.push_back(storage_json(storage, report.per_day()));
  const double constant_bytes = simulation.constant_bytes_read;
  return json_text("simulate",
                   {{"model", report.model},
                    {"planner", report.plan.planner},
                    {"device", report.device.empty() ? Json() : Json(report.device)},
                    {"core", report.core.empty() ? Json() : Json(report.core)},
                    {"clock_hz", report.clock_hz > 0 ? Json(report.clock_hz) : Json()},
                    {"seconds_per_mac", known(report.seconds_per_mac)},
                    {"driver",
                     {{"polled", report.driver.polled},
                      {"erases_ahead", report.driver.erases_ahead},
                      {"erases_beside", report.driver.erases_beside},
                      {"stored_share", report.driver.stored_share}}},
                    {"arena_bytes", report.plan.placement.arena_bytes()},
                    {"inferences", simulation.inferences},
                    {"inference_seconds", simulation.seconds},
                    {"first_inference_seconds", simulation.first_seconds},
                    {"computed_seconds", simulation.computed_seconds},
                    {"waited_seconds", waits},
                    {"hidden_share", known(simulation.hidden_share())},
                    {"inferences_per_day", report.per_day()},
                    {"flash",
                     {{"wait_states", known(report.flash.wait_states)},
                      {"line_bytes", known(report.flash.line_bytes)},
                      {"constant_bytes_read", std::llround(constant_bytes)},
                      {"most_seconds", known(report.flash.most_seconds(constant_bytes))}}},
                    {"left_out", simulation.left_out},
                    {"notes", report.notes},
                    {"memories", memories},
                    {"storages", storages}});
}

}  // namespace thimble
