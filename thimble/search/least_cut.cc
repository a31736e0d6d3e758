// SPDX-License-Identifier: Apache-2.0
// Dinitz's maximum flow; operators that are inside or outside for certain are joined to its ends.
#include "thimble/search/least_cut.h"

#include <algorithm>
#include <limits>

namespace thimble {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max() / 4;

}  // namespace

LeastCut::LeastCut(const OrderProblem& problem, const OrderLinks& links, OrderBudget* budget)
    : problem_(problem),
      links_(links),
      budget_(budget),
      source_(static_cast<int>(problem.ops.size() + problem.size_bytes.size())),
      sink_(source_ + 1),
      from_(index(sink_) + 1) {
  // The edges from the source and to the sink stand first: between() sets their capacities.
  for (int op = 0; op < static_cast<int>(problem.ops.size()); ++op) {
    add_edge(source_, op, 0);
    add_edge(op, sink_, 0);
  }
  for (size_t o = 0; o < problem.ops.size(); ++o) {
    for (const int before : links.before[o]) add_edge(static_cast<int>(o), before, kUnlimited);
  }
  for (size_t t = 0; t < problem.size_bytes.size(); ++t) {
    const int producer = links.producer[t];
    if (producer < 0 && !links.is_input[t]) continue;
    const int from = producer < 0 ? source_ : producer;
    if (links.is_output[t]) {
      add_edge(from, sink_, problem.size_bytes[t]);
    } else if (!links.readers[t].empty()) {
      add_edge(from, tensor_node(t), problem.size_bytes[t]);
      for (const int reader : links.readers[t]) add_edge(tensor_node(t), reader, kUnlimited);
    }
  }
}

int LeastCut::tensor_node(size_t tensor) const {
  return static_cast<int>(problem_.ops.size() + tensor);
}

void LeastCut::add_edge(int from, int to, int64_t capacity) {
  from_[index(from)].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({to, capacity, 0});
  from_[index(to)].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({from, 0, 0});
}

OpSet LeastCut::with_all(const OpSet& ops, const std::vector<std::vector<int>>& next) const {
  OpSet result = ops;
  std::vector<int> open;
  for_each(ops, [&](int op) { open.push_back(op); });
  while (!open.empty()) {
    const int op = open.back();
    open.pop_back();
    for (const int other : next[index(op)]) {
      if (contains(result, other)) continue;
      put(result, other, true);
      open.push_back(other);
    }
  }
  return result;
}

std::optional<LiveCut> LeastCut::between(const OpSet& inside, const OpSet& outside) {
  const OpSet in = with_all(inside, links_.before), out = with_all(outside, links_.after);
  for (size_t w = 0; w < in.size(); ++w) {
    if ((in[w] & out[w]) != 0) return std::nullopt;
  }
  for (size_t o = 0; o < problem_.ops.size(); ++o) {
    edges_[4 * o].capacity = contains(in, static_cast<int>(o)) ? kUnlimited : 0;
    edges_[4 * o + 2].capacity = contains(out, static_cast<int>(o)) ? kUnlimited : 0;
  }
  for (Edge& edge : edges_) edge.left = edge.capacity;
  LiveCut cut{.executed = empty_set(problem_.ops.size()), .live_bytes = 0};
  while (find_levels()) {
    next_edge_.assign(from_.size(), 0);
    while (const int64_t pushed = push(source_, kUnlimited)) cut.live_bytes += pushed;
  }
  for (int op = 0; op < static_cast<int>(problem_.ops.size()); ++op) {
    if (level_[index(op)] >= 0) put(cut.executed, op, true);
  }
  return cut;
}

/// Distances from the source over edges with capacity left; whether the sink has one.
bool LeastCut::find_levels() {
  charge(budget_, edges_.size());
  level_.assign(from_.size(), -1);
  level_[index(source_)] = 0;
  std::vector<int> queue = {source_};
  for (size_t at = 0; at < queue.size(); ++at) {
    for (const int e : from_[index(queue[at])]) {
      const Edge& edge = edges_[index(e)];
      if (edge.left == 0 || level_[index(edge.to)] >= 0) continue;
      level_[index(edge.to)] = level_[index(queue[at])] + 1;
      queue.push_back(edge.to);
    }
  }
  return level_[index(sink_)] >= 0;
}

int64_t LeastCut::push(int node, int64_t limit) {
  if (node == sink_) return limit;
  for (size_t& i = next_edge_[index(node)]; i < from_[index(node)].size(); ++i) {
    const int e = from_[index(node)][i];
    Edge& edge = edges_[index(e)];
    if (edge.left == 0 || level_[index(edge.to)] != level_[index(node)] + 1) continue;
    const int64_t pushed = push(edge.to, std::min(limit, edge.left));
    if (pushed == 0) continue;
    edge.left -= pushed;
    edges_[index(e ^ 1)].left += pushed;
    return pushed;
  }
  return 0;
}

int64_t LeastCut::least_working_set(int op) {
  const OrderProblem::Op& o = problem_.ops[index(op)];
  int64_t outputs = 0;
  for (const int t : o.outputs) outputs += problem_.size_bytes[index(t)];
  OpSet inside = empty_set(problem_.ops.size()), outside = inside;
  for (const int before : links_.before[index(op)]) put(inside, before, true);
  put(outside, op, true);
  int64_t least = between(inside, outside)->live_bytes + outputs + o.scratch_bytes;
  for (const OrderProblem::Op::InPlace& in_place : o.in_place) {
    if (links_.is_output[index(in_place.input)]) continue;
    OpSet read = inside;
    for (const int reader : links_.readers[index(in_place.input)]) put(read, reader, reader != op);
    const std::optional<LiveCut> cut = between(read, outside);
    if (!cut) continue;  // another reader comes after it
    const int64_t shared = std::min(problem_.size_bytes[index(in_place.input)],
                                    problem_.size_bytes[index(o.outputs[0])]);
    least = std::min(least, cut->live_bytes + outputs - shared + in_place.scratch_bytes);
  }
  return least;
}

int64_t cut_bound_bytes(const OrderProblem& problem, OrderBudget* budget) {
  const OrderLinks links(problem);
  LeastCut cuts(problem, links, budget);
  int64_t result = 0;
  for (int op = 0; op < static_cast<int>(problem.ops.size()) && !spent(budget); ++op) {
    result = std::max(result, cuts.least_working_set(op));
  }
  return result;
}

}  // namespace thimble
