// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/reports.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/analysis/traffic.h"
#include "thimble/driver/chosen_plan.h"
#include "thimble/driver/other_kernels.h"
#include "thimble/program/lower.h"
#include "thimble/report/accumulator_notes.h"
#include "thimble/report/note_text.h"
#include "thimble/report/warnings.h"
#include "thimble/target/size.h"

namespace thimble {

namespace {

// Not in the estimate: what of it a cache or a buffer hides depends on the chip.
std::optional<std::string> wait_states_note(const Target& target) {
  if (target.flash_wait_states.value_or(0) == 0 || target.core.measured) return std::nullopt;
  return fmt::format(
      "flash of {} has {} wait states at {} MHz, which no estimate of time counts: what neither "
      "cache nor prefetch serves takes up to {} times as long",
      target.chip, *target.flash_wait_states, target.clock_hz / 1'000'000,
      *target.flash_wait_states + 1);
}

}  // namespace

std::vector<std::string> note_lines(const Compiled& compiled) {
  std::vector<std::string> lines = sentences(compiled.notes, compiled.graph);
  for (std::string& line : accumulator_notes(compiled.graph, compiled.plan.scale_source))
    lines.push_back(std::move(line));
  if (auto line = wait_states_note(compiled.target)) lines.push_back(std::move(*line));
  return lines;
}

namespace {

constexpr const char* kUnnamedCore = "cortex-m4";  // stands for one that nobody named

// The plan's schedule with the kernels that kUnnamedCore has: a plan of its own may be better.
std::optional<UnnamedCore> unnamed_core(const Compiled& compiled) {
  const bool no_time = std::ranges::any_of(compiled.notes, [](const Note& note) {
    return std::holds_alternative<note::TimeLimitStruck>(note);
  });
  if (!compiled.target.core.name.empty() || no_time) return std::nullopt;
  const int64_t arena = compiled.plan.placement.arena_bytes();
  const auto placed = with_other_kernels(
      compiled, core_named(kUnnamedCore),
      std::max(arena + arena / kScratchShare, compiled.sram_limit_bytes.value_or(0)));
  if (!placed) return std::nullopt;
  const Program program = lower(compiled.graph, placed->schedule, placed->placement);
  return UnnamedCore{
      .core = kUnnamedCore,
      .instructions =
          estimate_on(program, core_named(kUnnamedCore), 0).value().estimate.instructions,
      .arena_bytes = placed->placement.arena_bytes()};
}

std::optional<note::ConstantChannels> channels_of(const Compiled& compiled) {
  for (const Note& note : compiled.notes) {
    if (const auto* channels = std::get_if<note::ConstantChannels>(&note)) return *channels;
  }
  return std::nullopt;
}

std::optional<CoreEstimate> estimate_by(const Compiled& compiled, const Core& core) {
  std::optional<CoreEstimate> found =
      estimate_on(compiled.program, core.name.empty() ? core_named(kUnnamedCore) : core,
                  compiled.target.clock_hz);
  // What a board measured has its waits in it.
  if (found && !found->cycles)
    found->estimate.wait_cycles = wait_cycles(compiled.graph, compiled.plan.schedule);
  return found;
}

}  // namespace

std::optional<CoreEstimate> estimate_of(const Compiled& compiled) {
  return estimate_by(compiled, compiled.target.core);
}

std::optional<CoreEstimate> counted_estimate(const Compiled& compiled) {
  Core core = compiled.target.core;
  core.measured = nullptr;
  return estimate_by(compiled, core);
}

std::vector<KernelChoice> kernel_choices(const Compiled& compiled) {
  const Core core = estimated_core(compiled.target.core);
  const std::optional<LatencyModel> model = latency_model(core);
  return explain(compiled.graph, compiled.plan.schedule, compiled.program, compiled.target.core,
                 model.value_or(LatencyModel{}));
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
      .constant_channels = channels_of(compiled),
      .macs = compiled.cost.macs,
      .recomputed_macs = compiled.cost.recomputed_macs,
      .weight_bytes = compiled.cost.weight_bytes,
      .verified = compiled.verification.ok(),
      .measured = {},
      .core = compiled.target.core.name,
      .unnamed_core = unnamed_core(compiled),
      .estimate = estimate_of(compiled),
      .waits = memory_waits(compiled.graph, compiled.plan.schedule),
      .front = compiled.front,
      .verdict = compiled.verdict};
}

Verdict measured_verdict(Verdict verdict, const MeasuredCost& cost) {
  const int64_t stack = std::max(cost.deepest_stack_bytes, cost.stack_bytes.value_or(0));
  verdict.code =
      CodeBytes{.code = {cost.code_bytes}, .stack = {stack}, .core = cost.core, .measured = true};
  verdict.weight_bytes = cost.weight_bytes;
  verdict.static_bytes = cost.static_ram_bytes;
  return verdict;
}

std::vector<Warning> warnings_of(const Graph& imported, const Compiled& compiled) {
  std::vector<Warning> warnings = network_warnings(imported);
  const std::optional<Peak> peak = peak_of(compiled.graph, compiled.plan, compiled.cost.live_bytes);
  if (!peak) return warnings;
  for (Warning& warning : port_warnings(compiled.graph, compiled.plan, *peak))
    warnings.push_back(std::move(warning));
  return warnings;
}

PlanReport plan_report(const Compiled& compiled) {
  return {.graph = compiled.graph,
          .plan = compiled.plan,
          .model = compiled.where,
          .live_bytes = compiled.cost.live_bytes,
          .notes = note_lines(compiled),
          .constant_channels = channels_of(compiled),
          .macs = compiled.cost.macs,
          .recomputed_macs = compiled.cost.recomputed_macs,
          .weight_bytes = compiled.cost.weight_bytes,
          .sram_limit_bytes = compiled.sram_limit_bytes,
          .flash_limit_bytes = compiled.flash_limit_bytes,
          .estimate = estimate_of(compiled),
          .waits = memory_waits(compiled.graph, compiled.plan.schedule),
          .front = compiled.front,
          .verdict = compiled.verdict,
          .device = compiled.target.name,
          .core = compiled.target.core.name};
}

std::string shortage(const Compiled& compiled) {
  const Verdict& verdict = compiled.verdict;
  const bool sram = !verdict.fits_sram();
  const int64_t needed = sram ? verdict.sram_bytes() : verdict.flash_bytes();
  const int64_t limit = *(sram ? verdict.sram_limit_bytes : verdict.flash_limit_bytes);
  return fmt::format(
      "needs {} of {}, where there are {}; `thimble compile` with the same options says why",
      human_size(needed), sram ? "SRAM" : "flash", human_size(limit));
}

}  // namespace thimble
