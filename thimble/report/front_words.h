// SPDX-License-Identifier: Apache-2.0
// A front of plans as `thimble plan --pareto` shows it: a table, a picture, JSON, and the line that
// says why one of them was taken.
//
//     plan                   SRAM  instructions  of the fastest's  recomputed MACs
//   >    1    12.5 KiB (12,768 B)      41.388 M             1.091                0
//        2    36.9 KiB (37,776 B)      37.925 M             1.000                0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "thimble/plan/front.h"

namespace thimble {

/// The table, with a heading.
[[nodiscard]] std::string front_text(const Front& front, const std::string& title);
/// What the plan that was taken costs beside the others: "plan 2 of 2, the fastest that fits:
/// 37.925 M instead of 41.388 M instructions for 24.4 KiB more than the smallest (--pick 1)".
[[nodiscard]] std::string choice_text(const Front& front);
/// An object; null without a front.
[[nodiscard]] nlohmann::ordered_json front_json(const std::optional<Front>& front);
/// SRAM to the right, instructions upwards, a circle per plan with its number, the limits as lines.
/// Well-formed XML whatever the title is.
[[nodiscard]] std::string front_svg(const Front& front, const std::string& title);

}  // namespace thimble
