// SPDX-License-Identifier: Apache-2.0
// Runs of operators of an order that can execute in one loop over channels, and what that needs.
#pragma once

#include "thimble/planners/channel_loop.h"
#include "thimble/search/best_cut.h"
#include "thimble/search/order.h"

namespace thimble {

/// Of an order: operators [begin, end) execute in a loop, `step` channels at a time.
struct PlacedLoop {
  int begin = 0, end = 0;
  ChannelLoop loop;
  int64_t step = 1;
  DType sums = DType::kInt32;  ///< of its accumulators
};

/// Live while such a loop runs.
struct LoopBytes {
  int64_t full = 0;   ///< of full tensors, those made before included
  int64_t slice = 0;  ///< of the rest, for each channel at a time

  [[nodiscard]] int64_t with(int64_t step) const { return full + step * slice; }
};

/// At a time, within `limit` bytes: a multiple of 4 where it can be; at least one.
[[nodiscard]] int64_t most_channels(const ChannelLoop& loop, const LoopBytes& bytes, int64_t limit);

struct ChannelPieceOptions {
  int most_ops = 16;   ///< in a loop
  bool pairs = false;  ///< only loops from a generating to an accumulating operator
  DType narrowest_sums = DType::kInt32;  ///< kInt16 and kInt8 are lossy
};

class ChannelPieces {
 public:
  /// Of those whose full tensors need less than the largest of their operators one by one
  /// (`single_bytes`, per position). The graph, the problem and the order must outlive it.
  ChannelPieces(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
                const std::vector<int64_t>& single_bytes, const ChannelPieceOptions& options);

  struct Candidate {
    PlacedLoop placed;
    LoopBytes bytes;
    CutCost cost;  ///< one channel at a time
  };
  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }

 private:
  void collect(PlacedLoop placed, int64_t one_by_one);
  [[nodiscard]] int64_t outside_bytes(int begin, int end, const ChannelLoop& loop) const;

  const OrderProblem& problem_;
  const std::vector<int>& order_;
  ChannelLoops rules_;
  Lives lives_;
  std::vector<int64_t> held_bytes_;  ///< per position of the order
  std::vector<Candidate> candidates_;
};

}  // namespace thimble
