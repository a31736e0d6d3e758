// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/close_states.h"

#include <algorithm>

#include "thimble/analysis/overlaps.h"

namespace thimble {
namespace {

bool lies_over(const std::vector<Overlap>& all, const StateBuffers& state) {
  return std::ranges::any_of(all, [&](const Overlap& o) {
    return o.out == state.out && o.in == state.in &&
           (o.same_address || o.lead_bytes.value_or(1) <= 0);
  });
}

void copy_at_the_end(const Graph& graph, Schedule& schedule, StateBuffers& state) {
  const BufferId made = state.out;
  const TensorId tensor = schedule.buffer(made).tensor;
  state.out = {static_cast<int32_t>(schedule.buffers.size())};
  schedule.buffers.push_back(whole_buffer(graph, tensor));
  Step copy{.op = {}, .region = region_expr(whole(graph.tensor(tensor).shape)), .chunk = {}};
  copy.in = {Operand(made)};
  copy.out = state.out;
  schedule.nodes.push_back({std::move(copy)});
}

}  // namespace

void close_states(const Graph& graph, Schedule& schedule) {
  if (schedule.states.empty()) return;
  for (const StateBuffers& state : schedule.states) {
    const Share share{state.out, state.in};
    if (std::ranges::find(schedule.shares, share) == schedule.shares.end())
      schedule.shares.push_back(share);
  }
  const std::vector<LiveRange> lives = live_ranges(schedule);
  const std::vector<Overlap> all = overlaps(graph, schedule);
  for (StateBuffers& state : schedule.states) {
    const bool one_behind_the_other = lives[state.in.index()].end <= lives[state.out.index()].begin;
    const bool is_port = std::ranges::find(schedule.outputs, state.out) != schedule.outputs.end();
    if (!is_port && (one_behind_the_other || lies_over(all, state))) continue;
    std::erase(schedule.shares, Share{state.out, state.in});
    copy_at_the_end(graph, schedule, state);
  }
}

std::vector<LiveRange> joined_lives(const LiveRange& in, const LiveRange& out) {
  if (out.begin > in.end) return {in, out};
  return {{std::min(in.begin, out.begin), std::max(in.end, out.end)}};
}

}  // namespace thimble
