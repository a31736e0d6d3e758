// SPDX-License-Identifier: Apache-2.0
// A paper's figures measured again.
#pragma once

#include <functional>
#include <vector>

#include "thimble/driver/model_comparison.h"
#include "thimble/report/paper.h"

namespace thimble {

/// Does the jobs, in whatever order and threads: a result per job.
using ComparisonRunner =
    std::function<std::vector<ComparedModel>(const std::vector<ComparisonJob>& jobs)>;

/// One result per figure of `paper`. There is one job for all figures of a model; figures that are
/// counted take its graph alone. Figures whose
/// planner or network does not exist say so. Throws InternalError if a plan was wrong.
[[nodiscard]] std::vector<ReproducedFigure> reproduce(const Paper& paper,
                                                      const ComparisonRunner& run);

}  // namespace thimble
