// SPDX-License-Identifier: Apache-2.0
// Planners run on models, several models at a time. What fails becomes a cell that says why.
#pragma once

#include <functional>
#include <vector>

#include "thimble/cli/options.h"
#include "thimble/report/comparison.h"

namespace thimble {

/// One model, which is built once for all plans.
struct ComparisonJob {
  ModelOptions model;
  std::vector<PlanOptions> plans;  ///< with a planner each
  bool interpreter = true;         ///< measure the interpreter's plan too
};

/// Runs `jobs` on `threads` threads, in order. done(k) is called after job k, from any thread, one
/// call at a time.
[[nodiscard]] std::vector<ComparedModel> run_comparison(const std::vector<ComparisonJob>& jobs,
                                                        unsigned threads,
                                                        const std::function<void(size_t)>& done);

}  // namespace thimble
