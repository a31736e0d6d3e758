// SPDX-License-Identifier: Apache-2.0
// What the commands that read and plan a model have in common: progress, "no", files of JSON.
#pragma once

#include <optional>
#include <string>

#include "thimble/driver/driver.h"
#include "thimble/report/answers_json.h"

namespace thimble {

inline constexpr const char* kStandardOutput = "/dev/stdout";

/// As load(), with a line of progress.
[[nodiscard]] Source read_model(const std::string& model, const ImportOptions& options);

/// As compile(), with lines of progress. A planner's "no" is printed, and written to `json` unless
/// that is empty; then there is nothing.
[[nodiscard]] std::optional<Compiled> compile_shown(Request request, const std::string& json);

/// Of a plan that is too large for the SRAM, alternatives(); else what is tried unasked.
[[nodiscard]] std::vector<Alternative> alternatives_shown(const Request& request,
                                                          const Compiled& compiled);

/// "does not fit: ...", for people and for scripts.
void print_no(const std::string& json, const InfeasibleReport& no);

/// Empty: nowhere.
void write_text(const std::string& file, const std::string& text);
/// The report for people has no place where the one for scripts goes.
void print_beside(const std::string& json, const std::string& text);

}  // namespace thimble
