// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/estimate_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace thimble {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(const CoreEstimate& e) {
  return 1e3 * e.estimate.instructions / static_cast<double>(e.clock_hz);
}

}  // namespace

std::string estimate_text(const CoreEstimate& e) {
  std::string text =
      fmt::format("{:.3f} M instructions on {} (estimated)", e.estimate.instructions / 1e6, e.core);
  if (!e.instead_of.empty()) text += fmt::format(", as {} has no latency model", e.instead_of);
  if (e.clock_hz > 0) {
    text += fmt::format("; {:.1f} ms at {} MHz if each takes a cycle", milliseconds(e),
                        e.clock_hz / 1'000'000);
  }
  if (!e.estimate.left_out.empty())
    text += fmt::format("; without {}", fmt::join(e.estimate.left_out, ", "));
  return text;
}

Json estimate_json(const std::optional<CoreEstimate>& e) {
  if (!e) return nullptr;
  return {{"core", e->core},
          {"instead_of", e->instead_of.empty() ? Json() : Json(e->instead_of)},
          {"instructions", std::llround(e->estimate.instructions)},
          {"clock_hz", e->clock_hz > 0 ? Json(e->clock_hz) : Json()},
          {"milliseconds_at_a_cycle_each", e->clock_hz > 0 ? Json(milliseconds(*e)) : Json()},
          {"left_out", e->estimate.left_out}};
}

}  // namespace thimble
