// SPDX-License-Identifier: Apache-2.0
// Rows of the table of a request's fields, and what they have in common.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "thimble/driver/request.h"
#include "thimble/driver/request_fields.h"

namespace thimble {

/// Fields of a model: what it is, what is read of it, how its graph is prepared.
[[nodiscard]] std::vector<RequestField> network_fields();
/// Planner, target, limits.
[[nodiscard]] std::vector<RequestField> plan_fields();
/// Fields of the sources that are written; and those without an option.
[[nodiscard]] std::vector<RequestField> code_fields();

/// The text, if it is given.
[[nodiscard]] inline Texts text_if(bool given, std::string text = "") {
  return given ? Texts{std::move(text)} : Texts();
}

/// "64K" of 65536; "100" of 100.
[[nodiscard]] Texts size_texts(std::optional<int64_t> bytes);

template <class Number>
[[nodiscard]] Texts number_texts(std::optional<Number> number) {
  return number ? Texts{fmt::format("{}", *number)} : Texts();
}

}  // namespace thimble
