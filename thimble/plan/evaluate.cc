// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/evaluate.h"

#include <algorithm>

#include "thimble/analysis/small_map.h"
#include "thimble/operators/operators.h"
#include "thimble/schedule/lives.h"

namespace thimble {
namespace {

/// Loops that an interval follows, outermost first: one, or two along the same axis.
std::vector<LoopId> followed(const IntervalExpr& interval) {
  std::vector<LoopId> result;
  each_bound(interval, [&](const IndexExpr& bound) {
    for (const Term& term : bound.terms) {
      if (std::ranges::find(result, term.loop) == result.end()) result.push_back(term.loop);
    }
  });
  std::ranges::sort(result);
  return result;
}

/// Sum over the tiles of what an interval has within [0, extent).
int64_t covered(const IntervalExpr& interval, const Derived& derived, int64_t extent) {
  const std::vector<LoopId> loops = followed(interval);
  Counters counters(derived.loops.size());
  const auto sum = [&](const auto& self, size_t next) -> int64_t {
    if (next == loops.size()) return clip({evaluate(interval, counters)}, {extent})[0].size();
    int64_t& i = counters[loops[next].index()];
    int64_t total = 0;
    for (i = 0; i < derived.loops[loops[next].index()].clock.tiles; ++i)
      total += self(self, next + 1);
    return total;
  };
  return sum(sum, 0);
}

/// Whether it is new in each tile of some loop.
bool is_new(const Storage& storage) {
  return std::ranges::any_of(storage.buffer.origin,
                             [](const IndexExpr& expr) { return !expr.constant(); });
}

/// The step, or the outermost loop around it.
LiveRange around(const UnrolledTiles& flat, size_t step) {
  const auto at = static_cast<Position>(step);
  for (const UnrolledTiles::Loop& loop : flat.loops) {
    if (loop.steps.begin <= at && at < loop.steps.end) return loop.steps;
  }
  return {at, at + 1};
}

/// Lives of blocks and windows.
std::vector<LiveRange> lives(const UnrolledTiles& flat) {
  std::vector<Buffer> buffers;
  for (const Storage& storage : flat.storages) buffers.push_back(storage.buffer);
  StepUses uses;
  for (const UnrolledTiles::Loop& loop : flat.loops) uses.loops.push_back({loop.steps, loop.depth});
  for (const UnrolledTiles::Step& step : flat.steps) {
    std::vector<BufferId>& touched = uses.touched.emplace_back();
    if (step.out >= 0) touched.push_back({step.out});
    for (const int storage : step.in) {
      if (storage >= 0) touched.push_back({storage});
    }
  }
  return thimble::lives(uses, buffers);
}

/// Lives of storages, then of kept rows.
std::vector<LiveRange> inner_lives(const Dataflow& dataflow, const Derived& derived) {
  const auto steps = static_cast<Position>(derived.steps.size());
  if (derived.kept.empty() && std::ranges::none_of(derived.storages, is_new))
    return std::vector<LiveRange>(derived.storages.size(), {0, steps});  // carried over
  SmallMap<ValueId, int> number;
  std::vector<Buffer> buffers;
  for (const Storage& storage : derived.storages) {
    number.get(storage.value, static_cast<int>(buffers.size()));
    buffers.push_back(storage.buffer);
  }
  for (const KeptRows& kept : derived.kept) buffers.push_back(kept.buffer);
  StepUses uses;
  for (const DerivedLoop& loop : derived.loops) uses.loops.push_back({loop.steps, loop.depth});
  for (const DerivedStep& step : derived.steps) {
    std::vector<BufferId>& touched = uses.touched.emplace_back();
    const auto touch = [&](ValueId v) {
      if (const int* storage = number.find(v)) touched.push_back({*storage});
    };
    touch(dataflow.made_by(step.call));
    if (step.kind != DerivedStep::Kind::kCall) {
      touched.push_back({static_cast<int32_t>(derived.storages.size()) + step.kept});
    } else {
      for (const ValueId v : dataflow.read_by(step.call)) touch(v);
    }
  }
  return lives(uses, buffers);
}

/// Scratch of the portable kernels.
std::vector<GroupCost::Inner> scratch_of(const Dataflow& dataflow, const Derived& derived) {
  std::vector<GroupCost::Inner> result;
  const auto add = [&](const DerivedStep& step, size_t s) {
    const auto at = static_cast<Position>(s);
    const int64_t bytes = dataflow.scratch_bytes(step.call);
    if (bytes > 0) result.push_back({bytes, {at, at + 1}});
  };
  if (derived.flat) {
    for (size_t s = 0; s < derived.flat->steps.size(); ++s) {
      const UnrolledTiles::Step& step = derived.flat->steps[s];
      if (!step.joins) add(derived.steps[step.of], s);
    }
    return result;
  }
  for (size_t s = 0; s < derived.steps.size(); ++s) {
    if (derived.steps[s].kind == DerivedStep::Kind::kCall) add(derived.steps[s], s);
  }
  return result;
}

/// Without scratch.
std::vector<GroupCost::Inner> buffers_of(const Dataflow& dataflow, const Derived& derived) {
  std::vector<GroupCost::Inner> result;
  if (derived.flat) {
    const std::vector<LiveRange> ranges = lives(*derived.flat);
    for (size_t b = 0; b < ranges.size(); ++b)
      result.push_back({derived.flat->storages[b].buffer.size_bytes(), ranges[b]});
    return result;
  }
  const std::vector<LiveRange> ranges = inner_lives(dataflow, derived);
  const size_t storages = derived.storages.size();
  for (size_t b = 0; b < ranges.size(); ++b) {
    const Buffer& buffer =
        b < storages ? derived.storages[b].buffer : derived.kept[b - storages].buffer;
    result.push_back({buffer.size_bytes(), ranges[b]});
  }
  return result;
}

std::vector<GroupCost::Inner> inner_of(const Dataflow& dataflow, const Derived& derived) {
  std::vector<GroupCost::Inner> result = scratch_of(dataflow, derived);
  std::ranges::move(buffers_of(dataflow, derived), std::back_inserter(result));
  return result;
}

/// Per step of so many.
std::vector<int64_t> live_in(Position steps, const std::vector<GroupCost::Inner>& all) {
  std::vector<int64_t> live(static_cast<size_t>(steps), 0);
  for (const GroupCost::Inner& inner : all) {
    for (Position p = inner.steps.begin; p < inner.steps.end; ++p)
      live[static_cast<size_t>(p)] += inner.bytes;
  }
  return live;
}

}  // namespace

GroupCost::GroupCost(const Dataflow& dataflow, Derived group)
    : derived(std::move(group)),
      work(thimble::work(dataflow, derived)),
      inner(inner_of(dataflow, derived)) {
  const auto touch = [&](ValueId v, const LiveRange& at) {
    if (derived.storage_of(v) >= 0 || dataflow.size_bytes(v) == 0) return;
    const auto known = std::ranges::find(outside, v, &std::pair<ValueId, LiveRange>::first);
    if (known == outside.end()) {
      outside.push_back({v, at});
    } else {
      known->second.end = at.end;
    }
  };
  const auto touch_all = [&](const DerivedStep& step, const LiveRange& at) {
    if (step.kind != DerivedStep::Kind::kCall) return;
    touch(dataflow.made_by(step.call), at);
    for (const ValueId v : dataflow.read_by(step.call)) touch(v, at);
  };
  if (!derived.flat) {
    for (const DerivedStep& step : derived.steps) touch_all(step, {0, derived.positions()});
    return;
  }
  for (size_t s = 0; s < derived.flat->steps.size(); ++s) {
    const UnrolledTiles::Step& step = derived.flat->steps[s];
    if (!step.joins) touch_all(derived.steps[step.of], around(*derived.flat, s));
  }
}

GroupBytes group_bytes(const Dataflow& dataflow, const Derived& derived) {
  GroupBytes result;
  size_t storage = 0;  // in the order of the calls
  for (const DerivedStep& step : derived.steps) {
    if (step.kind != DerivedStep::Kind::kCall) continue;
    const ValueId made = dataflow.made_by(step.call);
    if (storage < derived.storages.size() && derived.storages[storage].value == made) {
      ++storage;
    } else {
      result.made += dataflow.size_bytes(made);
    }
  }
  result.inner = std::ranges::max(live_in(derived.positions(), inner_of(dataflow, derived)));
  return result;
}

std::vector<int64_t> inner_bytes(const Dataflow& dataflow, const Derived& derived) {
  return live_in(derived.positions(), buffers_of(dataflow, derived));
}

namespace {

/// Counts the calls of all tiles, but empty ones, and bytes that are joined.
void count_flat(const Dataflow& dataflow, const UnrolledTiles& flat, Work& work) {
  work.calls = 0;
  for (size_t s = 0; s < flat.steps.size(); ++s) {
    const auto at = static_cast<Position>(s);
    int64_t executed = 1;
    for (const UnrolledTiles::Loop& loop : flat.loops) {
      if (at >= loop.steps.begin && at < loop.steps.end) executed *= loop.tiles;
    }
    work.calls += executed;
    const UnrolledTiles::Step& step = flat.steps[s];
    if (!step.joins) continue;
    const Buffer& window = flat.storages[static_cast<size_t>(step.out)].buffer;
    work.traffic_bytes +=
        elements(evaluate(step.region, {}, dataflow.graph.tensor(window.tensor).shape)) *
        size_bytes(window.type);
  }
}

}  // namespace

Work work(const Dataflow& dataflow, const Derived& derived) {
  Work result;
  for (size_t s = 0; s < derived.steps.size(); ++s) {
    const DerivedStep& step = derived.steps[s];
    const OpId id = dataflow.instances.instance(step.call.instance).op;
    const Shape& shape = dataflow.shape(dataflow.made_by(step.call));
    // Each loop tiles one axis, so that the tiles of each axis count by themselves.
    int64_t elements = 1, executed = 1;
    std::vector<bool> tiles_axis(derived.loops.size(), false);
    const auto follow = [&](const IntervalExpr& interval) {
      for (const LoopId loop : followed(interval)) tiles_axis[loop.index()] = true;
    };
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      elements *= covered(step.region[axis], derived, shape[axis]);
      follow(step.region[axis]);
    }
    int64_t share = 1, of = 1;  // of the sums that all of the chunks together add
    if (step.chunk) {
      const Op& op = dataflow.graph.op(id);
      of = dataflow.graph.tensor(op.inputs[0]).shape[chunk_axis(dataflow.graph, op)];
      share = covered(*step.chunk, derived, of);
      follow(*step.chunk);
    }
    for (size_t l = 0; l < derived.loops.size(); ++l) {
      const LiveRange& around = derived.loops[l].steps;
      const auto at = static_cast<Position>(s);
      if (at < around.begin || at >= around.end) continue;
      executed *= derived.loops[l].clock.tiles;
      if (!tiles_axis[l]) elements *= derived.loops[l].clock.tiles;
    }
    result.calls += executed;
    const bool copies = step.kind != DerivedStep::Kind::kCall || !id.valid();
    if (copies) {
      const Tensor& tensor = dataflow.graph.tensor(dataflow.tensor(dataflow.made_by(step.call)));
      result.traffic_bytes += elements * size_bytes(tensor.type);
    } else if (step.call.method != Method::kFinalise) {
      result.macs += macs(dataflow.graph, dataflow.graph.op(id), {{0, elements}}) / of * share;
      result.elements += step.chunk ? 0 : elements;
    } else {
      result.elements += elements;
    }
  }
  if (derived.flat) count_flat(dataflow, *derived.flat, result);
  return result;
}

OrderBytes::OrderBytes(const OrderProblem& problem, const std::vector<int>& order)
    : problem_(problem),
      order_(order),
      lives_(thimble::lives(problem, order)),
      held_(held_bytes(lives_, problem.size_bytes, static_cast<int>(order.size()))) {}

std::vector<ValueId> OrderBytes::consumed(int begin, int end) const {
  std::vector<ValueId> result;
  for (int at = begin; at < end; ++at) {
    for (const int v : problem_.ops[static_cast<size_t>(order_[static_cast<size_t>(at)])].inputs) {
      const auto t = static_cast<size_t>(v);
      if (lives_.made[t] < begin && lives_.last_read[t] == at && problem_.size_bytes[t] > 0)
        result.push_back({v});
    }
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace thimble
