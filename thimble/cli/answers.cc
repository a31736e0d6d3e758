// SPDX-License-Identifier: Apache-2.0
#include "thimble/cli/answers.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "thimble/cli/command_text.h"
#include "thimble/cli/commit.h"
#include "thimble/cli/progress_line.h"
#include "thimble/driver/alternatives.h"
#include "thimble/driver/page.h"
#include "thimble/driver/reports.h"
#include "thimble/import/file_bytes.h"
#include "thimble/import/model_file.h"
#include "thimble/import/refusal.h"
#include "thimble/report/html_page.h"
#include "thimble/report/survey_report.h"

namespace thimble {
namespace {

constexpr const char* kTrying = "trying what would need less";

/// "; of 12 operators 7 can be compiled: --until 'a'"; nothing if there is no such part.
std::string what_can_be_compiled(const std::string& model, const ImportOptions& options) {
  if (model.starts_with("zoo:")) return "";
  try {
    const Survey survey = survey_model(model, options);
    const std::string part = until_options(survey);
    if (part.empty() || survey.obstacles.empty()) return "";
    return fmt::format("; of {} operators {} can be compiled:{}", survey.ops.size(),
                       survey.free_ops, part);
  } catch (const CompileError&) {
    return "";  // a damaged file, of which nothing is known
  }
}

}  // namespace

Source read_model(const std::string& model, const ImportOptions& options) {
  const ProgressLine progress(name(Phase::kReading));
  try {
    return load(model, options);
  } catch (const Refusal& error) {
    if (const std::string part = what_can_be_compiled(model, options); !part.empty())
      throw CompileError("", error.what() + part);
    throw;
  }
}

std::optional<Compiled> compile_shown(Request request, const ReportFile& json) {
  if (request.planner.empty()) request.planner = planners_for(request.ports).back();
  if (const auto* model = std::get_if<std::string>(&request.model))
    request.model = read_model(std::string(*model), request.import);
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
    InfeasibleReport report{.model = source ? source->where : std::get<std::string>(request.model),
                            .planner = request.planner,
                            .reason = no->reason,
                            .lower_bound_bytes = no->lower_bound_bytes == 0
                                                     ? std::nullopt
                                                     : std::optional(no->lower_bound_bytes),
                            .sram_limit_bytes = request.sram_limit_bytes()};
    print_no(json, source ? source->sha256 : "", report,
             [&] { return alternatives(request, *no); });
    return std::nullopt;
  }
  return std::get<Compiled>(std::move(answer));
}

std::vector<Alternative> alternatives_shown(const Request& request, const Compiled& compiled,
                                            const ReportFile& file) {
  const ProgressLine progress(kTrying);
  if (!compiled.fits()) return alternatives(request, compiled);
  return file.html.empty() ? unasked_alternatives(request, compiled)
                           : smaller_alternatives(request, compiled);
}

PageFigures page_figures_shown(const Request& request, const Compiled& compiled) {
  const ProgressLine progress("planning as the interpreter does, to compare");
  return page_figures(request, compiled);
}

void print_no(const ReportFile& json, const std::string& sha256, InfeasibleReport no,
              const std::function<std::vector<Alternative>()>& what_helps) {
  print_beside(json, infeasible_text(no));  // at once: what would help takes longer
  std::fflush(stdout);
  if (what_helps) {
    const ProgressLine trying(kTrying);
    no.alternatives = what_helps();
  }
  write_report(json, sha256, infeasible_json(no));
  print_beside(json, advice({}, no.alternatives));
}

Origin origin_of(const CLI::App& command, const std::string& sha256) {
  return {.version = THIMBLE_VERSION,
          .commit = commit(),
          .command = command_text(command),
          .sha256 = sha256};
}

void write_report(const ReportFile& json, const std::string& sha256, const std::string& report) {
  if (!json.wanted()) return;
  const std::string text = json_with(origin_of(*json.command, sha256), report);
  write_text(json.path, text);
  if (!json.html.empty()) write_text(json.html, html_page(text));
}

void write_text(const std::string& file, const std::string& text) {
  if (file == kStandardOutput) {  // behind what is there already
    fmt::print("{}", text);
  } else if (!file.empty()) {
    write_file(file, std::array<std::string_view, 1>{text});
  }
}

void print_beside(const ReportFile& json, const std::string& text) {
  if (json.path != kStandardOutput && json.html != kStandardOutput) fmt::print("{}", text);
}

}  // namespace thimble
