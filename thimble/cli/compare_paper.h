// SPDX-License-Identifier: Apache-2.0
// A paper's figures measured again.
#pragma once

#include <functional>
#include <vector>

#include "thimble/report/comparison.h"
#include "thimble/report/paper.h"

namespace thimble {

/// One result per figure of `paper`. Models are built once for all their figures. Figures whose
/// planner or network does not exist say so. started(n): n models will be measured; done(k): model
/// number k was, as in run_comparison. Throws InternalError if a plan was wrong.
[[nodiscard]] std::vector<ReproducedFigure> reproduce(const Paper& paper, unsigned threads,
                                                      const std::function<void(size_t)>& started,
                                                      const std::function<void(size_t)>& done);

}  // namespace thimble
