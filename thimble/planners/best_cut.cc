// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/best_cut.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace thimble {
namespace {

/// The best way to execute the operators before a position.
struct Way {
  std::tuple<int64_t, int> key{std::numeric_limits<int64_t>::max(), 0};  ///< peak, ops in pieces
  int from = 0;
  int piece = -1;  ///< -1: a single operator
};

}  // namespace

BestCut best_cut(const std::vector<int64_t>& single_bytes, const std::vector<CutPiece>& pieces,
                 int64_t enough_bytes) {
  std::vector<std::vector<int>> ending_at(single_bytes.size() + 1);
  for (size_t p = 0; p < pieces.size(); ++p) {
    ending_at[static_cast<size_t>(pieces[p].end)].push_back(static_cast<int>(p));
  }
  std::vector<Way> ways(single_bytes.size() + 1);
  ways[0].key = {enough_bytes, 0};
  for (size_t i = 1; i < ways.size(); ++i) {
    const auto [before, in_pieces] = ways[i - 1].key;
    ways[i] = {{std::max(before, single_bytes[i - 1]), in_pieces}, static_cast<int>(i) - 1, -1};
    for (const int p : ending_at[i]) {
      const CutPiece& piece = pieces[static_cast<size_t>(p)];
      const auto [peak, ops] = ways[static_cast<size_t>(piece.begin)].key;
      const std::tuple key(std::max(peak, piece.bytes), ops + piece.end - piece.begin);
      if (key < ways[i].key) ways[i] = {key, piece.begin, p};
    }
  }
  BestCut result;
  for (size_t i = ways.size() - 1; i > 0; i = static_cast<size_t>(ways[i].from)) {
    const int p = ways[i].piece;
    if (p >= 0) result.pieces.push_back(p);
    result.peak_bytes = std::max(
        result.peak_bytes, p >= 0 ? pieces[static_cast<size_t>(p)].bytes : single_bytes[i - 1]);
  }
  std::ranges::reverse(result.pieces);
  return result;
}

}  // namespace thimble
