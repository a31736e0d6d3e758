// SPDX-License-Identifier: Apache-2.0
// The cut of an order that takes the fewest estimated instructions within so many bytes.
#pragma once

#include <functional>

#include "thimble/plan/latency_estimate.h"
#include "thimble/search/best_cut.h"

namespace thimble {

struct FastestCut {
  BestCut cut;
  int64_t instructions = 0;  ///< estimated, of an inference
};

/// The fastest cut with a peak of at most `limit` bytes, of which there must be one; fewer narrow
/// sums come first. single_bytes: as best_cut has them. instructions: of a piece that fits.
[[nodiscard]] FastestCut fastest_cut(LatencyEstimate& latency, const std::vector<int>& order,
                                     const std::vector<int64_t>& single_bytes,
                                     const std::vector<CutPiece>& pieces, int64_t limit,
                                     const std::function<double(size_t piece)>& instructions);

}  // namespace thimble
