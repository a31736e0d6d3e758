// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/channel_pieces.h"

#include <algorithm>

#include "thimble/search/execution.h"

namespace thimble {
namespace {

bool is_pair(const ChannelLoop& loop) {
  return loop.roles.front() == LoopRole::kGenerate && loop.roles.back() == LoopRole::kAccumulate;
}

}  // namespace

ChannelPieces::ChannelPieces(const Graph& graph, const OrderProblem& problem,
                             const std::vector<int>& order,
                             const std::vector<int64_t>& single_bytes,
                             const ChannelPieceOptions& options)
    : problem_(problem),
      order_(order),
      rules_(graph),
      lives_(lives(problem, order)),
      held_bytes_(held_bytes(lives_, problem.size_bytes, static_cast<int>(order.size()))) {
  const auto count = static_cast<int>(order.size());
  for (int begin = 0; begin < count; ++begin) {
    std::vector<OpId> ops;
    for (int end = begin + 1; end <= std::min(count, begin + options.most_ops); ++end) {
      ops.push_back(OpId{order[index(end - 1)]});
      const std::optional<ChannelLoop> loop = rules_.loop_of(ops);
      if (!loop || (options.pairs && !is_pair(*loop))) continue;
      const int64_t one_by_one =
          *std::max_element(single_bytes.begin() + begin, single_bytes.begin() + end);
      for (const DType sums : {DType::kInt32, DType::kInt16, DType::kInt8}) {
        if (size_bytes(sums) < size_bytes(options.narrowest_sums)) continue;
        if (sums != DType::kInt32 && loop->accumulated.empty()) continue;
        collect({begin, end, *loop, 1, sums}, one_by_one);
      }
    }
  }
}

void ChannelPieces::collect(PlacedLoop placed, int64_t one_by_one) {
  const LoopBytes bytes{.full = outside_bytes(placed.begin, placed.end, placed.loop) +
                                rules_.full_bytes(placed.loop, placed.sums, problem_.size_bytes),
                        .slice = rules_.slice_bytes(placed.loop)};
  if (bytes.full >= one_by_one) return;
  const auto accumulated = static_cast<int>(placed.loop.accumulated.size());
  const CutCost cost{.peak_bytes = bytes.with(1),
                     .sums_of_8_bits = placed.sums == DType::kInt8 ? accumulated : 0,
                     .sums_of_16_bits = placed.sums == DType::kInt16 ? accumulated : 0,
                     .in_pieces = static_cast<int>(placed.loop.ops.size())};
  candidates_.push_back({std::move(placed), bytes, cost});
}

/// Full tensors that live while operators [begin, end) execute: what the loop reads, and what was
/// made before for later.
int64_t ChannelPieces::outside_bytes(int begin, int end, const ChannelLoop& loop) const {
  int64_t sum = held_bytes_[index(begin)];
  for (int at = begin; at < end; ++at) {
    for (const int t : problem_.ops[index(order_[index(at)])].inputs) {
      const bool dies = lives_.made[index(t)] < begin && lives_.last_read[index(t)] == at;
      const bool read_throughout =
          std::ranges::find(loop.context, TensorId{t}) != loop.context.end();
      if (dies && !read_throughout) sum -= problem_.size_bytes[index(t)];
    }
  }
  return sum;
}

int64_t most_channels(const ChannelLoop& loop, const LoopBytes& bytes, int64_t limit) {
  const int64_t fits = std::clamp<int64_t>((limit - bytes.full) / bytes.slice, 1, loop.channels);
  return fits >= 4 ? fits / 4 * 4 : fits;
}

}  // namespace thimble
