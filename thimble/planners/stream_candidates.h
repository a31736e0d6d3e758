// SPDX-License-Identifier: Apache-2.0
// The pieces that a streamed plan is chosen from: spans of rows or pixels, loops over channels,
// and spans inside of such loops, where of every slice there is a ring of a few rows only. There
// what the loop reads and makes full stays whole from its first channel to its last, so nothing
// lies over an input.
//
//   x [1,56,56,24] -> expand e [1,56,56,144] -> depthwise 3x3 d [1,56,56,144], whole for a mean
//   loop over channels
//     loop over rows
//       expand     > ring of 3 rows of one channel              168 B; without rows 3,136 B
//       depthwise  > a row of one channel of d
#pragma once

#include <algorithm>
#include <vector>

#include "thimble/planners/channel_pieces.h"
#include "thimble/planners/stream_schedule.h"
#include "thimble/planners/stream_spans.h"

namespace thimble {

struct StreamCandidate {
  StreamPiece piece;
  CutCost cost;     ///< loops: one channel at a time
  LoopBytes bytes;  ///< of a loop over channels
};

class StreamCandidates {
 public:
  static constexpr int kMostOps = 128;  ///< in a span
  /// The same in a network of so many operators: large ones are searched less deeply, so that the
  /// work grows no faster than they do.
  [[nodiscard]] static int most_ops(size_t ops) {
    constexpr size_t kUsualOps = 1000, kLeast = 8;
    const size_t most = kMostOps * kUsualOps / std::max(ops, kUsualOps);
    return static_cast<int>(std::max(most, kLeast));
  }
  /// All must outlive it.
  StreamCandidates(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
                   const StreamSpans& spans);

  /// Loops over channels.
  [[nodiscard]] std::vector<StreamCandidate> loops() const;
  /// Those that need less than the most that one of their operators needs otherwise, per position
  /// of the order.
  [[nodiscard]] std::vector<StreamCandidate> spans(const std::vector<int64_t>& otherwise_bytes,
                                                   Granularity granularity) const;
  /// The same, of spans inside of loops that have at least one of the positions `at`. They need
  /// less than these loops alone.
  [[nodiscard]] std::vector<StreamCandidate> sliced_spans(
      const std::vector<int64_t>& otherwise_bytes, const std::vector<bool>& at,
      Granularity granularity) const;

 private:
  [[nodiscard]] int64_t slice_bytes(const StreamSpan& span, const ChannelLoop& loop) const;

  const StreamSpans& spans_;
  std::vector<ChannelPieces::Candidate> loops_;
};

}  // namespace thimble
