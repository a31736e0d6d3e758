// SPDX-License-Identifier: Apache-2.0
// What the commands that read and plan a model have in common: progress, "no", files of JSON.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "thimble/cli/options.h"
#include "thimble/driver/driver.h"
#include "thimble/report/answers_json.h"
#include "thimble/report/origin.h"
#include "thimble/report/page_figures.h"

namespace thimble {

inline constexpr const char* kStandardOutput = "/dev/stdout";

/// Loads as load() does, with a line of progress.
[[nodiscard]] Source read_model(const std::string& model, const ImportOptions& options);

/// As compile(), with lines of progress. A planner's "no" is printed, and written to `json` unless
/// that is empty; then there is nothing.
[[nodiscard]] std::optional<Compiled> compile_shown(Request request, const ReportFile& json);

/// alternatives() of a plan that is too large for the SRAM; else what lowers the peak for a page,
/// or what is tried unasked.
[[nodiscard]] std::vector<Alternative> alternatives_shown(const Request& request,
                                                          const Compiled& compiled,
                                                          const ReportFile& file);
/// page_figures(), with a line of progress.
[[nodiscard]] PageFigures page_figures_shown(const Request& request, const Compiled& compiled);

/// "does not fit: ...", for people and for scripts; then what helps, which is tried behind it.
void print_no(const ReportFile& json, const std::string& sha256, InfeasibleReport no,
              const std::function<std::vector<Alternative>()>& what_helps = {});

/// The origin of a command's figures, of the one model with this hash if there is one.
[[nodiscard]] Origin origin_of(const CLI::App& command, const std::string& sha256 = {});
/// The figures, with their origin, as JSON and as a page. Without a file they go nowhere.
void write_report(const ReportFile& json, const std::string& sha256, const std::string& report);

/// Empty: nowhere.
void write_text(const std::string& file, const std::string& text);
/// The report for people has no place where the one for scripts goes.
void print_beside(const ReportFile& json, const std::string& text);

}  // namespace thimble
