// SPDX-License-Identifier: Apache-2.0
// JSON as every command writes it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace thimble {

inline constexpr const char* kReportField = "thimble_report";
/// The object with a first field "thimble_report", which is what output_files.h knows such a file
/// by: the command, see docs/json.md. Indented by one space, with a line break at the end; bytes
/// that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string json_text(const char* report, const nlohmann::ordered_json& fields);

/// A value of JSON in a table: null is an empty field, text has no quotation marks.
[[nodiscard]] std::string csv_field(const nlohmann::ordered_json& json);

}  // namespace thimble
