// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/fastest_cut.h"

#include <cmath>

namespace thimble {

FastestCut fastest_cut(LatencyEstimate& latency, const std::vector<int>& order,
                       const std::vector<int64_t>& single_bytes,
                       const std::vector<CutPiece>& pieces, int64_t limit,
                       const std::function<double(size_t piece)>& instructions) {
  std::vector<int64_t> until = {0};  // instructions of the operators before a position, one by one
  std::vector<int> wanting = {0};    // those among them that do not fit, or whose scratch does not
  for (size_t at = 0; at < order.size(); ++at) {
    const InstanceCall call{.instance = {order[at]}};
    const KernelTimes& times = latency.whole_times(call);
    const auto within = [&](int64_t bytes) {
      return std::llround(fastest_within(times, bytes).instructions);
    };
    const int64_t single = within(limit - single_bytes[at]);
    const bool wants = single_bytes[at] > limit || single > within(limit);
    until.push_back(until.back() + single);
    wanting.push_back(wanting.back() + (wants ? 1 : 0));
  }
  std::vector<CutPiece> fitting;
  std::vector<int> number;  // among the pieces
  for (size_t p = 0; p < pieces.size(); ++p) {
    const auto begin = static_cast<size_t>(pieces[p].begin),
               end = static_cast<size_t>(pieces[p].end);
    if (pieces[p].cost.peak_bytes > limit || wanting[begin] == wanting[end]) continue;
    CutPiece& piece = fitting.emplace_back(pieces[p]);
    piece.cost.more_instructions = std::llround(instructions(p)) - (until[end] - until[begin]);
    number.push_back(static_cast<int>(p));
  }
  FastestCut result{best_cut(single_bytes, fitting, limit), until.back()};
  for (int& p : result.cut.pieces) {
    result.instructions += fitting[static_cast<size_t>(p)].cost.more_instructions;
    p = number[static_cast<size_t>(p)];
  }
  return result;
}

}  // namespace thimble
