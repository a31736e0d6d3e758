// SPDX-License-Identifier: Apache-2.0
#include "thimble/search/best_cut.h"

#include <algorithm>

namespace thimble {
namespace {

/// The best cut of the operators before a position.
struct CutLabel {
  CutCost cost;
  int from = 0;
  int piece = -1;  ///< -1: a single operator
};

CutCost sum(const CutCost& a, const CutCost& b) {
  return {std::max(a.peak_bytes, b.peak_bytes),
          a.sums_of_8_bits + b.sums_of_8_bits,
          a.sums_of_16_bits + b.sums_of_16_bits,
          a.more_instructions + b.more_instructions,
          a.by_pixels + b.by_pixels,
          a.in_pieces + b.in_pieces};
}

/// By position. Peaks up to `limit` count as equal.
std::vector<CutLabel> labels_until(const std::vector<int64_t>& single_bytes,
                                   const std::vector<CutPiece>& pieces, int64_t limit) {
  std::vector<std::vector<int>> ending_at(single_bytes.size() + 1);
  for (size_t p = 0; p < pieces.size(); ++p) {
    ending_at[static_cast<size_t>(pieces[p].end)].push_back(static_cast<int>(p));
  }
  std::vector<CutLabel> labels(single_bytes.size() + 1);
  labels[0].cost.peak_bytes = limit;
  for (size_t i = 1; i < labels.size(); ++i) {
    labels[i] = {sum(labels[i - 1].cost, {.peak_bytes = single_bytes[i - 1]}),
                 static_cast<int>(i) - 1, -1};
    for (const int p : ending_at[i]) {
      const CutPiece& piece = pieces[static_cast<size_t>(p)];
      const CutCost cost = sum(labels[static_cast<size_t>(piece.begin)].cost, piece.cost);
      if (cost < labels[i].cost) labels[i] = {cost, piece.begin, p};
    }
  }
  return labels;
}

}  // namespace

BestCut best_cut(const std::vector<int64_t>& single_bytes, const std::vector<CutPiece>& pieces,
                 int64_t budget_bytes) {
  const int64_t least = labels_until(single_bytes, pieces, 0).back().cost.peak_bytes;
  const std::vector<CutLabel> labels =
      labels_until(single_bytes, pieces, std::max(least, budget_bytes));
  BestCut result;
  for (size_t i = labels.size() - 1; i > 0; i = static_cast<size_t>(labels[i].from)) {
    const int p = labels[i].piece;
    if (p >= 0) result.pieces.push_back(p);
    const int64_t bytes =
        p >= 0 ? pieces[static_cast<size_t>(p)].cost.peak_bytes : single_bytes[i - 1];
    result.peak_bytes = std::max(result.peak_bytes, bytes);
  }
  std::ranges::reverse(result.pieces);
  return result;
}

}  // namespace thimble
