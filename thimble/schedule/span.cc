// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/span.h"

#include <algorithm>
#include <map>

#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

using Needs = std::map<TensorId, IndexExpr>;  // end of what must be complete after a tick

struct Builder {
  const Graph& graph;
  const std::vector<OpId>& ops;
  size_t axis;
  LoopId loop;
  int64_t clock;  // extent of the clock
  std::vector<AccessMap> maps = access_maps(graph);

  [[nodiscard]] int64_t at(const IndexExpr& expr, int64_t tick) const {
    Counters counters(loop.index() + 1);
    counters[loop.index()] = tick;
    return evaluate(expr, counters);
  }

  [[nodiscard]] const Affine* affine(OpId op, size_t operand) const {
    const InputMap& map = maps[op.index()][operand];
    if (map.linear || map.axes.size() <= axis) return nullptr;
    const auto* a = std::get_if<Affine>(&map.axes[axis]);
    // Backwards, the first tick would need the last rows.
    return a != nullptr && a->out_axis == static_cast<int>(axis) && a->num > 0 ? a : nullptr;
  }

  // The one that is at least as large at every tick, or nothing.
  [[nodiscard]] std::optional<IndexExpr> larger(const IndexExpr& a, const IndexExpr& b,
                                                int64_t first_tick) const {
    bool a_wins = true, b_wins = true;
    for (int64_t tick = first_tick; tick < clock; ++tick) {
      a_wins = a_wins && at(a, tick) >= at(b, tick);
      b_wins = b_wins && at(b, tick) >= at(a, tick);
    }
    if (a_wins) return a;
    if (b_wins) return b;
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Needs> needs() const {
    Needs result;
    result[graph.op(ops.back()).outputs[0]] = index(loop, 1, 1);
    const int64_t earliest = -4 * clock - 64;  // far before anything can be needed
    for (size_t m = ops.size(); m-- > 0;) {
      const Op& op = graph.op(ops[m]);
      const auto out = result.find(op.outputs[0]);
      if (out == result.end()) return std::nullopt;  // not used inside the span
      for (size_t k = 0; k < op.inputs.size(); ++k) {
        if (graph.tensor(op.inputs[k]).is_constant()) continue;
        const Affine* map = affine(ops[m], k);
        if (map == nullptr) return std::nullopt;
        auto end = compose(out->second + -1, map->num, map->hi, map->den);
        if (end) end = *end + 1;
        const auto [it, added] = result.try_emplace(op.inputs[k], end.value_or(IndexExpr{}));
        if (end && !added) end = larger(it->second, *end, earliest);
        if (!end) return std::nullopt;
        it->second = *end;
      }
    }
    return result;
  }

  // Most indices of `tensor` that are complete and still needed, over all ticks.
  [[nodiscard]] int64_t ring(TensorId tensor, const Needs& needs, int64_t first_tick) const {
    const int64_t extent = graph.tensor(tensor).shape[axis];
    int64_t most = 1;
    for (int64_t tick = first_tick; tick < clock; ++tick) {
      const int64_t produced = std::clamp<int64_t>(at(needs.at(tensor), tick), 0, extent);
      for (OpId id : ops) {
        const Op& op = graph.op(id);
        for (size_t k = 0; k < op.inputs.size(); ++k) {
          if (op.inputs[k] != tensor) continue;
          const int64_t out_extent = graph.tensor(op.outputs[0]).shape[axis];
          const int64_t row = at(needs.at(op.outputs[0]), tick - 1);
          if (row >= out_extent) continue;
          const Affine* map = affine(id, k);
          Region out = whole(graph.tensor(op.outputs[0]).shape);
          out[axis] = {std::max<int64_t>(row, 0), out_extent};
          const Region in = input_region(maps[id.index()][k], graph.tensor(tensor).shape,
                                         graph.tensor(op.outputs[0]).shape, out);
          if (map != nullptr) most = std::max(most, produced - in[axis].begin);
        }
      }
    }
    return std::min(most, extent);
  }
};

}  // namespace

std::optional<Span> derive_span(const Graph& graph, const std::vector<OpId>& ops, int axis,
                                LoopId loop) {
  const Tensor& clock = graph.tensor(graph.op(ops.back()).outputs[0]);
  const Builder builder{.graph = graph,
                        .ops = ops,
                        .axis = static_cast<size_t>(axis),
                        .loop = loop,
                        .clock = clock.shape[static_cast<size_t>(axis)]};
  const auto needs = builder.needs();
  if (!needs) return std::nullopt;
  int64_t first = 0;  // the first tick, before which no member has anything to do
  for (OpId id : ops) {
    while (builder.at(needs->at(graph.op(id).outputs[0]), first - 1) > 0) --first;
  }
  auto from_zero = [&](IndexExpr expr) {  // counters start at 0, ticks at `first`
    for (const Term& term : expr.terms) expr.base += term.coefficient * first;
    return expr;
  };
  auto previous = [](IndexExpr expr) {
    for (const Term& term : expr.terms) expr.base -= term.coefficient;
    return expr;
  };
  Span span{.ticks = builder.clock - first, .members = {}, .rings = {}};
  for (OpId id : ops) {
    const TensorId out = graph.op(id).outputs[0];
    const IndexExpr end = from_zero(needs->at(out));
    span.members.push_back({id, {previous(end), end}});
    if (id != ops.back()) span.rings.push_back({out, builder.ring(out, *needs, first)});
  }
  return span;
}

RegionExpr along(const Shape& shape, int axis, const IntervalExpr& interval) {
  RegionExpr region = region_expr(whole(shape));
  region[static_cast<size_t>(axis)] = interval;
  return region;
}

}  // namespace thimble
