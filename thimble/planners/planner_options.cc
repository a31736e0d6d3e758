// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/planner_options.h"

#include <fmt/format.h>

#include <charconv>

#include "thimble/model/error.h"

namespace thimble {

std::optional<int64_t> number_option(const PlannerOptions& options, const std::string& key,
                                     int64_t least) {
  const auto it = options.find(key);
  if (it == options.end()) return std::nullopt;
  int64_t value = 0;
  const char* end = it->second.data() + it->second.size();
  const auto [stop, error] = std::from_chars(it->second.data(), end, value);
  if (error != std::errc{} || stop != end || value < least) {
    throw CompileError("--planner",
                       fmt::format("{}={} is not a number of at least {}", key, it->second, least));
  }
  return value;
}

bool wants_paper_accounting(const PlannerOptions& options) {
  const auto it = options.find("accounting");
  if (it == options.end() || it->second == "exact") return false;
  if (it->second == "paper") return true;
  throw CompileError("--planner",
                     fmt::format("accounting={} is neither paper nor exact", it->second));
}

}  // namespace thimble
