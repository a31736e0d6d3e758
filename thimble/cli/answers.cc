// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/answers.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "thimble/cli/progress_line.h"
#include "thimble/driver/alternatives.h"
#include "thimble/driver/reports.h"
#include "thimble/import/file_bytes.h"

namespace thimble {
namespace {

constexpr const char* kTrying = "trying what would need less";

}  // namespace

Source read_model(const std::string& model, const ImportOptions& options) {
  const ProgressLine progress(name(Phase::kReading));
  return load(model, options);
}

std::optional<Compiled> compile_shown(Request request, const std::string& json) {
  if (request.planner.empty()) request.planner = planners_for(request.ports).back();
  std::optional<ProgressLine> line;
  std::optional<Phase> shown;
  request.progress = [&](Phase phase) {
    if (shown == phase) return true;
    line.reset();
    line.emplace(phase == Phase::kPlanning ? fmt::format("planning ({})", request.planner)
                                           : name(phase));
    shown = phase;
    return true;
  };
  Answer answer = compile(request);
  line.reset();
  if (const auto* no = std::get_if<Infeasible>(&answer)) {
    const auto* source = std::get_if<Source>(&request.model);
    const std::vector<Alternative> others = alternatives(request, *no);
    line.reset();
    print_no(json,
             {.model = source ? source->where : std::get<std::string>(request.model),
              .planner = request.planner,
              .reason = no->reason,
              .lower_bound_bytes =
                  no->lower_bound_bytes == 0 ? std::nullopt : std::optional(no->lower_bound_bytes),
              .sram_limit_bytes = request.sram_limit_bytes(),
              .alternatives = others});
    return std::nullopt;
  }
  return std::get<Compiled>(std::move(answer));
}

std::vector<Alternative> alternatives_shown(const Request& request, const Compiled& compiled) {
  const ProgressLine progress(kTrying);
  return compiled.fits() ? unasked_alternatives(request, compiled)
                         : alternatives(request, compiled);
}

void print_no(const std::string& json, const InfeasibleReport& no) {
  write_text(json, infeasible_json(no));
  print_beside(json, infeasible_text(no));
}

void write_text(const std::string& file, const std::string& text) {
  if (file == kStandardOutput) {  // behind what is there already
    fmt::print("{}", text);
  } else if (!file.empty()) {
    write_file(file, std::array<std::string_view, 1>{text});
  }
}

void print_beside(const std::string& json, const std::string& text) {
  if (json != kStandardOutput) fmt::print("{}", text);
}

}  // namespace thimble
