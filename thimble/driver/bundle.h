// SPDX-License-Identifier: Apache-2.0
// Several models in one firmware: one budget, one runtime, equal constants once. Each has an arena
// of its own, or all have the same one after the other.
//
//   kws 12 KiB + vww 60 KiB                        side by side: 72 KiB
//   kws 12 KiB, 2 KiB of it kept; vww 60 KiB       shared: 60 KiB, and 2 KiB beside it
#pragma once

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "thimble/driver/driver.h"
#include "thimble/report/advice.h"

namespace thimble {

struct BundleRequest {
  /// With names of their own in their emissions. Target and limits are those of the first, and
  /// hold for all together.
  std::vector<Request> models;
  bool share_arena = false;  ///< they never run at once
};

struct Bundle {
  std::vector<std::string> names;  ///< of their code
  /// With files that have one runtime. The verdict of each is of it alone.
  std::vector<Compiled> models;
  std::vector<std::set<std::string>> uses;  ///< of the runtime, by each (emit/uses.h)
  bool share_arena = false;
  int64_t equal_bytes = 0;  ///< of constants that several have, and flash once
  Verdict verdict;          ///< of all together

  [[nodiscard]] bool fits() const { return verdict.fits(); }
  /// The size of the one arena that all share, or else the sum of all arenas.
  [[nodiscard]] int64_t arena_bytes() const;
  /// Kept between inferences in memory of its own; nothing where arenas are not shared.
  [[nodiscard]] int64_t state_bytes() const;
};

/// One of the models has no plan, whatever becomes of the others; or their weights alone are too
/// much.
struct BundleInfeasible {
  std::string model;  ///< as the user named it; empty: all of them
  Infeasible no;
};

using BundleAnswer = std::variant<Bundle, BundleInfeasible, Cancelled>;

/// Each is planned with all of the SRAM first. Where the sum is too much, of the plans of all
/// fronts those are taken that fit and are the fastest in sum; where flash is too small, the
/// largest weights come in smaller formats first. Throws CompileError as compile() does.
[[nodiscard]] BundleAnswer compile(const BundleRequest& request);

/// Options with which models fit that do not: one arena for all, and the smallest boards. Each is
/// planned, placed and verified, and all take no longer than the time limit.
[[nodiscard]] std::vector<Alternative> alternatives(const BundleRequest& request,
                                                    const Bundle& bundle);
[[nodiscard]] std::vector<Alternative> alternatives(const BundleRequest& request,
                                                    const BundleInfeasible& no);

/// Arenas of which each is one of its front, with the fewest instructions in sum within
/// `budget_bytes`; the smallest of each where nothing fits. fronts: none is empty.
[[nodiscard]] std::vector<int64_t> fastest_arenas(
    const std::vector<std::vector<FrontFigures>>& fronts, int64_t budget_bytes);

}  // namespace thimble
