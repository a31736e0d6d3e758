// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_candidates.h"

#include <algorithm>

namespace thimble {
namespace {

int64_t most_of(const std::vector<int64_t>& bytes, int begin, int end) {
  return *std::max_element(bytes.begin() + begin, bytes.begin() + end);
}

}  // namespace

StreamCandidates::StreamCandidates(const Graph& graph, const OrderProblem& problem,
                                   const std::vector<int>& order, const StreamSpans& spans)
    : spans_(spans),
      loops_(ChannelPieces(graph, problem, order, spans.single_bytes(), {}).candidates()) {
  std::erase_if(loops_, [&](const ChannelPieces::Candidate& c) {  // rows pass through spans only
    const PlacedLoop& p = c.placed;
    return most_of(spans.single_bytes(), p.begin, p.end) == StreamSpans::kImpossible;
  });
}

std::vector<StreamCandidate> StreamCandidates::loops() const {
  std::vector<StreamCandidate> result;
  for (const ChannelPieces::Candidate& c : loops_)
    result.push_back({{.span = {}, .loop = c.placed}, c.cost, c.bytes});
  return result;
}

std::vector<StreamCandidate> StreamCandidates::spans(const std::vector<int64_t>& otherwise_bytes,
                                                     Granularity granularity) const {
  std::vector<StreamCandidate> result;
  for (StreamSpan& s : spans_.all(otherwise_bytes, most_ops(otherwise_bytes.size()), granularity)) {
    const int ops = s.end - s.begin;
    const CutCost cost{.peak_bytes = s.bytes, .by_pixels = s.columns ? ops : 0, .in_pieces = ops};
    result.push_back({{.span = std::move(s), .loop = {}}, cost, {}});
  }
  return result;
}

std::vector<StreamCandidate> StreamCandidates::sliced_spans(
    const std::vector<int64_t>& otherwise_bytes, const std::vector<bool>& at,
    Granularity granularity) const {
  std::vector<StreamCandidate> result;
  for (const ChannelPieces::Candidate& c : loops_) {
    const int begin = c.placed.begin, end = c.placed.end;
    const int64_t most = std::min(c.cost.peak_bytes, most_of(otherwise_bytes, begin, end));
    if (c.bytes.full >= most ||
        std::find(at.begin() + begin, at.begin() + end, true) == at.begin() + end)
      continue;
    for (StreamSpan& span : spans_.spans(begin, end, granularity)) {
      const LoopBytes bytes{c.bytes.full, slice_bytes(span, c.placed.loop)};
      if (bytes.with(1) >= most) continue;
      span.out = span.under = {};  // its input is needed for the next channels
      CutCost cost = c.cost;
      cost.peak_bytes = bytes.with(1);
      cost.by_pixels = span.columns ? end - begin : 0;
      cost.in_pieces *= 2;  // each is in two
      result.push_back({{.span = std::move(span), .loop = c.placed}, cost, bytes});
    }
  }
  return result;
}

/// Of one channel of what exists in slices, and of the sums that the span makes of them.
int64_t StreamCandidates::slice_bytes(const StreamSpan& span, const ChannelLoop& loop) const {
  int64_t bytes = 0;
  for (size_t m = 0; m < span.rows.members.size(); ++m) {
    if (span.rings[m] > 0 || span.rows.members[m].sums) bytes += spans_.bytes().member(span, m);
  }
  return bytes / loop.channels;
}

}  // namespace thimble
