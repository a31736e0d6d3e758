// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/compile_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "thimble/operators/operators.h"
#include "thimble/report/accumulator_notes.h"
#include "thimble/report/buffers_json.h"
#include "thimble/report/channels_json.h"
#include "thimble/report/estimate_words.h"
#include "thimble/report/front_words.h"
#include "thimble/report/json_text.h"
#include "thimble/report/kernels_report.h"
#include "thimble/report/memories_json.h"
#include "thimble/report/peak.h"
#include "thimble/report/port_bytes.h"
#include "thimble/report/quantising.h"
#include "thimble/report/schedule_words.h"
#include "thimble/report/tensor_text.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

std::optional<Peak> peak_of(const CompileReport& report) {
  return peak_of(report.graph, report.plan, report.live_bytes);
}

// What lives at the peak, and, without a limit, which of that could lie elsewhere.
std::string peak_text(const CompileReport& report) {
  const std::optional<Peak> peak = peak_of(report);
  if (!peak) return "";
  std::string text = "  peak" + peak_text(report.graph, report.plan, *peak);
  if (report.sram_limit_bytes) return text;
  for (const PortAtPeak& at : ports_at(report.graph, report.plan, *peak)) {
    const std::string line = hint(report.graph, report.plan, at);
    const bool warned = dominates(report.graph.tensor(at.port.tensor).size_bytes(),
                                  report.plan.placement.arena().peak_bytes);
    if (!line.empty() && !warned) text += "  hint     " + line + "\n";
  }
  return text;
}

std::string ports_text(const CompileReport& report) {
  std::string text;
  for (const auto& [ports, name] :
       {std::pair{&report.program.inputs, "input "}, {&report.program.outputs, "output"}}) {
    const PortBytes bytes = port_bytes(report.graph, report.program, *ports);
    if (bytes.place == Place::kUser) {
      text += fmt::format("  {}   {} in memory of the caller's, beside the SRAM above\n", name,
                          human_size(bytes.bytes));
    } else if (bytes.place == Place::kStreamed) {
      text += fmt::format(
          "  {}   streamed, rows of {}; {}\n", name, human_size(bytes.bytes),
          is_whole(report.program, ports->front()) ? "whole in the SRAM above" : "never whole");
    }
  }
  return text;
}

// Kernels are never chosen in silence.
std::string core_text(const CompileReport& report) {
  if (!report.core.empty()) return "";
  if (!report.unnamed_core)
    return "  core     none is named: kernels for any core were taken (--core, or --device)\n";
  const UnnamedCore& other = *report.unnamed_core;
  return fmt::format(
      "  core     none is named: kernels for any core were taken. With its own, {} takes {:.3f} M "
      "instructions\n           for this plan (estimated, {} of SRAM): --core {}, or --device\n",
      other.core, other.instructions / 1e6, human_size(other.arena_bytes), other.core);
}

std::string time_text(const CompileReport& report) {
  if (report.estimate) return "\n  time     " + estimate_text(*report.estimate);
  return fmt::format("\n  time     not estimated: there is no latency model of {}", report.core);
}

Json unnamed_core_json(const CompileReport& report) {
  if (!report.unnamed_core) return nullptr;
  return {{"core", report.unnamed_core->core},
          {"estimated_instructions", std::llround(report.unnamed_core->instructions)},
          {"arena_bytes", report.unnamed_core->arena_bytes}};
}

std::string fit_text(const CompileReport& report) {
  std::string text = verdict_text(report.verdict);
  if (report.verdict.code && report.core.empty())
    text += "  (code and stack as on cortex-m4: no core is named)\n";
  if (!report.fits_sram())
    text += fmt::format("most SRAM is needed at {}\n", peak_of(report)->label);
  return text + advice({.fits_sram = report.fits_sram(), .fits_flash = report.fits_flash()},
                       report.alternatives);
}

}  // namespace

std::string report_text(const CompileReport& report) {
  const Placement& placement = report.plan.placement;
  std::string text = fmt::format("{} (planner {}{})\n", report.model, report.plan.planner,
                                 report.device ? ", " + report.device->name : "");
  text += warnings_text(report.warnings);
  text += core_text(report);
  for (const MemoryId id : placement.in_use()) {
    text += fmt::format("  {:<8} {}\n", id == kArena ? "SRAM" : report.program.memory(id).name,
                        memory_text(report.plan.schedule, placement, id));
    if (id == kArena) text += peak_text(report);
  }
  text += ports_text(report);
  text += fmt::format("  weights  {}\n", human_size(report.weight_bytes));
  if (const std::string formats = weight_formats_text(report.formats); !formats.empty())
    text += "  formats  " + formats + "\n";
  if (report.measured) {
    text += fmt::format("  code     {} on {}; stack {}; static RAM {}\n",
                        human_size(report.measured->code_bytes), report.measured->core,
                        report.measured->stack_bytes ? human_size(*report.measured->stack_bytes)
                                                     : "not measured (no board is emulated)",
                        human_size(report.measured->static_ram_bytes));
  }
  text += fmt::format("  work     {:.3f} M MAC", static_cast<double>(report.macs) / 1e6);
  if (report.recomputed_macs > 0)
    text += fmt::format(", {:.3f} M of them recomputed",
                        static_cast<double>(report.recomputed_macs) / 1e6);
  if (report.recomputed_macs < 0)
    text += fmt::format(", {:.3f} M fewer than whole operators (nobody reads those elements)",
                        static_cast<double>(-report.recomputed_macs) / 1e6);
  text += time_text(report);
  for (const MemoryWaits& waits : report.waits)
    text += "\n  waits    " + waits_text(report.plan.schedule, waits);
  if (report.front) text += "\n  choice   " + choice_text(*report.front);
  text += fmt::format("\n  verified {}\n", report.verified ? "yes" : "no");
  for (const std::string& note : report.notes) text += "  note     " + note + "\n";
  const std::string quantised =
      quantising_text(report.graph, report.weight_bytes, placement.arena_bytes());
  if (!quantised.empty()) text += "  hint     " + quantised + "\n";
  text += fit_text(report);
  if (!report.kernels.empty())
    text +=
        "\n" + kernels_text(report.graph, report.plan.schedule, report.kernels, report.estimate);
  return text;
}

std::string report_json(const CompileReport& report) {
  const Placement& placement = report.plan.placement;
  const auto measured = [&]<typename T>(T MeasuredCost::*field) {
    const std::optional<int64_t> bytes =
        report.measured ? (*report.measured).*field : std::optional<int64_t>();
    return bytes ? Json(*bytes) : Json();
  };
  Json json = {
      {"model", report.model},
      {"planner", report.plan.planner},
      {"device", report.device ? Json(report.device->name) : Json()},
      {"warnings", warnings_json(report.warnings)},
      {"core", report.core.empty() ? Json() : Json(report.core)},
      {"unnamed_core", unnamed_core_json(report)},
      {"fits", report.fits()},
      {"verdict", verdict_json(report.verdict)},
      {"sram_limit_bytes", report.sram_limit_bytes ? Json(*report.sram_limit_bytes) : Json()},
      {"flash_limit_bytes", report.flash_limit_bytes ? Json(*report.flash_limit_bytes) : Json()},
      {"peak_bytes", placement.arena().peak_bytes},
      {"lower_bound_bytes", placement.arena().lower_bound_bytes},
      {"arena_bytes", placement.arena_bytes()},
      {"layout_proven_optimal", placement.arena().proven_optimal},
      {"memories", memories_json(report.plan, report.waits)},
      {"input", name(port_bytes(report.graph, report.program, report.program.inputs).place)},
      {"output", name(port_bytes(report.graph, report.program, report.program.outputs).place)},
      {"caller_bytes",
       {{"input", port_bytes(report.graph, report.program, report.program.inputs).bytes},
        {"output", port_bytes(report.graph, report.program, report.program.outputs).bytes}}},
      {"stack_bytes", measured(&MeasuredCost::stack_bytes)},
      {"flash",
       {{"code_bytes", measured(&MeasuredCost::code_bytes)},
        {"weight_bytes", report.weight_bytes}}},
      {"weight_formats", weight_formats_json(report.formats)},
      {"macs", report.macs},
      {"recomputed_macs", report.recomputed_macs},
      {"estimate", estimate_json(report.estimate)},
      {"peak", peak_json(report.graph, report.plan, peak_of(report))},
      {"alternatives", alternatives_json(report.alternatives)},
      {"front", front_json(report.front)},
      {"verified", report.verified},
      {"lossy", !report.graph.accumulators.empty()},
      {"accumulators", accumulators_json(report.graph)},
      {"accumulator_scales", report.plan.scale_source},
      {"constant_channels", channels_json(report.constant_channels)},
      {"notes", report.notes},
      {"kernels", kernels_json(report.kernels)},
      {"steps", steps_json(report.graph, report.plan, report.live_bytes, report.estimate)},
      {"buffers", buffers_json(report.graph, report.plan)}};
  json.update(page_json(report.graph, report.plan, report.estimate, report.page));
  return json_text("compile", json);
}

}  // namespace thimble
