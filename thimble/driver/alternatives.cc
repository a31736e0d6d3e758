// SPDX-License-Identifier: Apache-2.0
#include "thimble/driver/alternatives.h"

#include <algorithm>

#include "thimble/model/error.h"

namespace thimble {
namespace {

constexpr double kMostSeconds = 60;  ///< of planning, for each

std::optional<int64_t> arena_of(const Request& request) {
  try {
    const Answer answer = compile(request);
    const auto* compiled = std::get_if<Compiled>(&answer);
    return compiled == nullptr ? std::nullopt
                               : std::optional(compiled->plan.placement.arena_bytes());
  } catch (const CompileError&) {
    return std::nullopt;  // not for this model
  }
}

}  // namespace

std::vector<Alternative> alternatives(const Request& request, int64_t arena_bytes) {
  std::vector<Alternative> result;  // each needs less than those before, which ask for less
  for (const bool streamed : {false, true}) {
    for (const bool recomputes : {false, true}) {
      Request other = request;
      other.planner.clear();  // the best there is
      other.emission.reset();
      other.time_limit_seconds = std::min(other.time_limit_seconds, kMostSeconds);
      std::string options;
      const std::string best = planners().back().name;
      if (!request.planner.empty() && request.planner != best) options += " --planner " + best;
      if (streamed) {
        if (request.ports.input != Place::kResident) continue;
        other.ports.input = Place::kStreamed;
        options += " --input streamed";
      }
      if (recomputes) {
        if (request.max_recompute) continue;
        other.max_recompute = 1;
        options += " --max-recompute 1";
      }
      if (options.empty()) continue;
      const std::optional<int64_t> bytes = arena_of(other);
      if (!bytes || *bytes >= arena_bytes) continue;
      arena_bytes = *bytes;
      result.insert(result.begin(), {options.substr(1), *bytes});
    }
  }
  return result;
}

}  // namespace thimble
