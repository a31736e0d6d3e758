// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/reports.h"

#include "thimble/report/accumulator_notes.h"

namespace thimble {

std::vector<std::string> note_lines(const Compiled& compiled) {
  std::vector<std::string> lines = sentences(compiled.notes, compiled.graph);
  for (std::string& line : accumulator_notes(compiled.graph, compiled.plan.scale_source))
    lines.push_back(std::move(line));
  return lines;
}

std::optional<CoreEstimate> estimate_of(const Compiled& compiled) {
  const std::string& core = compiled.target.core.name;
  return estimate_on(compiled.program, core.empty() ? "cortex-m4" : core, compiled.target.clock_hz);
}

CompileReport compile_report(const Compiled& compiled) {
  return {
      .graph = compiled.graph,
      .plan = compiled.plan,
      .program = compiled.program,
      .model = compiled.where,
      .device = compiled.target.memories.empty() ? std::nullopt : std::optional(compiled.target),
      .sram_limit_bytes = compiled.sram_limit_bytes,
      .flash_limit_bytes = compiled.flash_limit_bytes,
      .live_bytes = compiled.cost.live_bytes,
      .notes = note_lines(compiled),
      .macs = compiled.cost.macs,
      .recomputed_macs = compiled.cost.recomputed_macs,
      .weight_bytes = compiled.cost.weight_bytes,
      .verified = compiled.verification.ok(),
      .measured = {},
      .estimate = estimate_of(compiled)};
}

PlanReport plan_report(const Compiled& compiled) {
  return {.graph = compiled.graph,
          .plan = compiled.plan,
          .model = compiled.where,
          .live_bytes = compiled.cost.live_bytes,
          .notes = note_lines(compiled),
          .macs = compiled.cost.macs,
          .recomputed_macs = compiled.cost.recomputed_macs,
          .weight_bytes = compiled.cost.weight_bytes,
          .sram_limit_bytes = compiled.sram_limit_bytes,
          .flash_limit_bytes = compiled.flash_limit_bytes,
          .estimate = estimate_of(compiled)};
}

}  // namespace thimble
