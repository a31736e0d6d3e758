// SPDX-License-Identifier: Apache-2.0
// Several models in one firmware: what each takes alone, and all together against one budget.
//
//   2 models in one firmware (nucleo-f446re)
//              | bytes of                                |
//     model    |  arena  kept  weights    SRAM    flash | instructions
//     kws      | 12,600     0   26,500  13,400   41,900 |      2.413 M
//     vww      | 55,296     0  220,160  56,320  238,700 |      7.210 M
//     sum      | 67,896     0  246,660  69,720  280,600 |      9.623 M
//     together | 67,896     0  245,960  68,900  268,500 |      9.623 M
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "thimble/program/estimate.h"
#include "thimble/report/advice.h"
#include "thimble/report/compile_report.h"
#include "thimble/report/verdict.h"
#include "thimble/report/warning.h"

namespace thimble {

/// Bytes; SRAM and flash with all margins.
struct BundlePart {
  int64_t arena_bytes = 0, kept_bytes = 0, weight_bytes = 0, sram_bytes = 0, flash_bytes = 0;
};

struct BundleReport {
  struct Model {
    std::string name;    ///< of its code
    std::string sha256;  ///< of its file
    CompileReport report;
    BundlePart alone;
  };
  std::vector<Model> models;
  bool share_arena = false;
  int64_t equal_bytes = 0;  ///< of constants that several have, and flash once
  BundlePart together;
  Verdict verdict;                        ///< of all together, with what was measured
  std::optional<MeasuredCost> measured;   ///< likewise
  std::vector<Alternative> alternatives;  ///< that were tried
};

[[nodiscard]] std::string bundle_text(const BundleReport& report);
/// docs/json.md
[[nodiscard]] std::string bundle_json(const BundleReport& report);

}  // namespace thimble
