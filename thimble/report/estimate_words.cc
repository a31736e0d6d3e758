// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/estimate_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace thimble {

using Json = nlohmann::ordered_json;

const char* unit_of(const CoreEstimate& estimate) {
  return estimate.cycles ? "cycles" : "instructions";
}

std::string estimate_text(const CoreEstimate& e) {
  std::string text =
      fmt::format("{:.3f} M {} on {} ({})", e.estimate.instructions / 1e6, unit_of(e), e.core,
                  e.cycles ? "by a board's profile" : "estimated");
  if (e.estimate.wait_cycles > 0)
    text += fmt::format("; waits {:.3f} M cycles for memories", e.estimate.wait_cycles / 1e6);
  if (const std::optional<double> ms = e.milliseconds())
    text += fmt::format("; {:.1f} ms at {} MHz{}", *ms, e.clock_hz / 1'000'000,
                        e.cycles ? "" : " if each takes a cycle");
  if (!e.estimate.left_out.empty())
    text += fmt::format("; without {}", fmt::join(e.estimate.left_out, ", "));
  return text;
}

std::string waits_text(const Schedule& schedule, const MemoryWaits& waits) {
  return fmt::format(
      "{}: {:.3f} M cycles, for {:.3f} M bytes read and written; {:.3f} M if all buffers lay there",
      schedule.memory(waits.memory).name, waits.cycles / 1e6,
      static_cast<double>(waits.touched_bytes) / 1e6, waits.cycles_if_all / 1e6);
}

Json estimate_json(const std::optional<CoreEstimate>& e) {
  if (!e) return nullptr;
  const std::optional<double> ms = e->milliseconds();
  return {{"core", e->core},
          {"instructions", std::llround(e->estimate.instructions)},
          {"counted", unit_of(*e)},
          {"wait_cycles", std::llround(e->estimate.wait_cycles)},
          {"clock_hz", e->clock_hz > 0 ? Json(e->clock_hz) : Json()},
          {"milliseconds_at_a_cycle_each", ms ? Json(*ms) : Json()},
          {"left_out", e->estimate.left_out}};
}

}  // namespace thimble
