// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/motes_search.h"

#include <algorithm>
#include <iterator>

#include "thimble/operators/operators.h"
#include "thimble/plan/order_problem.h"
#include "thimble/search/front_cut.h"
#include "thimble/search/pareto.h"

namespace thimble {
namespace {

constexpr int kMostSchemesBehind = 100;  // of the operators behind a position

}  // namespace

void MotesSearch::run(int64_t budget_bytes) {
  found_ = beam_search(budget_bytes);
  if (!limits_.sram_bytes || found_.front().bytes <= *limits_.sram_bytes) return;
  const double within = whole_within(*limits_.sram_bytes);
  if (within <= whole_instructions_) return;
  whole_instructions_ = within;
  found_ = beam_search(budget_bytes);
}

std::vector<MotesState> MotesSearch::beam_search(int64_t budget_bytes) {
  MotesState whole;
  measure(whole);
  const LessThan less = this->less();
  std::vector<MotesState> beam = {whole};
  while (!order_.empty() && !late(limits_.time)) {
    const MotesState& best = beam.front();
    if (best.bytes <= budget_bytes) break;
    const std::vector<Unit> schemes = schemes_at_peak(best);
    std::vector<MotesState> next = beam;
    for (const MotesState& state : beam) {
      for (const auto& unit : schemes) {
        MotesState more = with(state, unit);
        measure(more);
        if (more.steps <= most_steps_) next.push_back(std::move(more));
      }
    }
    std::ranges::stable_sort(next, less);
    const auto same = [](const MotesState& a, const MotesState& b) {
      return a.bytes == b.bytes && a.peaks == b.peaks && a.instructions == b.instructions;
    };
    next.erase(std::unique(next.begin(), next.end(), same), next.end());
    next.resize(std::min(next.size(), static_cast<size_t>(options_.beam)));
    if (!less(next.front(), beam.front())) {
      std::optional<MotesState> cut = best_of_all();
      if (!cut || !less(*cut, next.front())) break;
      next.insert(next.begin(), std::move(*cut));
      next.resize(std::min(next.size(), static_cast<size_t>(options_.beam)));
    }
    beam = std::move(next);
  }
  return beam;
}

void MotesSearch::measure(MotesState& state) const {
  std::vector<const PieceTimes*> pieces;
  state.steps = 0;
  auto unit = state.units.begin();
  for (int at = 0; at < std::ssize(order_); ++at) {
    if (unit != state.units.end() && (*unit)->begin == at) {
      pieces.push_back(&(*unit)->times);
      state.steps += (*unit)->more_steps();
      at = (*unit++)->end - 1;
    } else {
      pieces.push_back(&single_times_[static_cast<size_t>(at)]);
    }
  }
  const PieceTimes times = piece_times(pieces);
  const double most = less().most_instructions - model_.program;
  const auto in_time =
      std::ranges::find_if(times, [&](const PieceTime& t) { return t.instructions <= most; });
  const PieceTime& taken = in_time == times.end() ? times.front() : *in_time;
  state.bytes = taken.live_bytes;
  state.instructions = model_.program + taken.instructions;
  state.peaks = std::ranges::count_if(pieces, [&](const PieceTimes* piece) {
    return fastest_within(*piece, state.bytes).live_bytes == state.bytes;
  });
}

double MotesSearch::whole_within(int64_t bytes) const {
  std::vector<const PieceTimes*> pieces;
  for (const PieceTimes& single : single_times_) pieces.push_back(&single);
  return model_.program + fastest_within(piece_times(pieces), bytes).instructions;
}

PieceTimes MotesSearch::single_times(int at) {
  const InstanceCall call{.instance = {order_[static_cast<size_t>(at)]}};
  const Instance& instance = instances_.instance(call.instance);
  const int64_t bytes = single_bytes_[static_cast<size_t>(at)] - flow_.scratch_bytes(call);
  const int64_t apart = rolls_.bytes().held(at) + rolls_.bytes().size(instance.makes);
  if (!instance.op.valid() || bytes == apart)
    return piece_times({&latency_.whole_times(call)}, {bytes});
  const bool own = has_kernel(graph_, graph_.op(instance.op), Method::kInPlace);
  const InstanceCall over{.instance = call.instance,
                          .method = own ? Method::kInPlace : Method::kCompute};
  PieceTimes times = piece_times({&latency_.whole_times(over, true)}, {bytes});
  std::ranges::move(piece_times({&latency_.whole_times(call)}, {apart}), std::back_inserter(times));
  return pareto(std::move(times), &PieceTime::live_bytes, &PieceTime::instructions);
}

MotesState MotesSearch::with(const MotesState& state, const Unit& unit) const {
  MotesState result;
  for (const Unit& other : state.units) {
    if (other->end <= unit->begin || other->begin >= unit->end) result.units.push_back(other);
  }
  result.units.push_back(unit);
  std::ranges::sort(result.units, {}, [](const Unit& u) { return u->begin; });
  return result;
}

std::optional<MotesState> MotesSearch::best_of_all() const {
  std::vector<FrontPiece> pieces;
  std::vector<Unit> units;  // per piece; a single instance has none
  const auto add = [&](FrontPiece piece, const PieceTimes& times, const Unit& unit) {
    for (const PieceTime& time : times) {
      piece.peak_bytes = time.live_bytes;
      piece.time = time.instructions;
      pieces.push_back(piece);
      units.push_back(unit);
    }
  };
  for (int at = 0; at < std::ssize(order_); ++at)
    add({at, at + 1}, single_times_[static_cast<size_t>(at)], {});
  for (const Unit& unit : schemes_.all()) {
    const GroupCandidate& parts = *unit;
    // Steps stand where the front has MACs: they are bounded, and add up.
    add({.begin = parts.begin, .end = parts.end, .macs = unit->more_steps()}, unit->times, unit);
  }
  const FrontCutOptions limits{
      .most_macs = most_steps_,
      .most_time = whole_instructions_ * options_.max_latency - model_.program,
      .most_labels = kMostSchemesBehind};
  const std::vector<FrontCut> cuts = front_cuts(static_cast<int>(order_.size()), pieces, limits);
  if (cuts.empty()) return std::nullopt;
  MotesState result;
  for (const int p : cuts.front().pieces) {
    if (const Unit& unit = units[static_cast<size_t>(p)]) result.units.push_back(unit);
  }
  measure(result);
  return result;
}

std::pair<int, int> MotesSearch::peak_of(const MotesState& state) const {
  for (const Unit& unit : state.units) {
    if (has(unit->times, state.bytes)) return {unit->begin, unit->end};
  }
  for (int at = 0; at < std::ssize(order_); ++at) {
    const auto covers = [&](const Unit& unit) { return unit->begin <= at && at < unit->end; };
    if (has(single_times_[static_cast<size_t>(at)], state.bytes) &&
        std::ranges::none_of(state.units, covers))
      return {at, at + 1};
  }
  return {0, 0};
}

std::vector<MotesSearch::Unit> MotesSearch::schemes_at_peak(const MotesState& state) {
  const auto [first, last] = peak_of(state);
  std::vector<Unit> found;
  const auto count = static_cast<int>(order_.size());
  const int distance = static_cast<int>(options_.reach) + last - first;
  const OrderBytes& bytes = rolls_.bytes();
  for (const int begin : held_steps(bytes, count, last - 1, -1, distance, state.bytes)) {
    for (const int end : held_steps(bytes, count, first + 1, 1, distance, state.bytes)) {
      if (begin >= end || units_.least_bytes(begin, end) >= state.bytes) continue;
      if (late(limits_.time)) break;
      for (const Unit& unit : schemes_.units_of(begin, end)) {
        if (unit->bytes < state.bytes && is_progress(state, unit)) found.push_back(unit);
      }
    }
  }
  for (const Unit& outer : state.units) {
    if (outer->begin != first || outer->by_channels) continue;
    std::ranges::move(schemes_.within(*outer, state.bytes), std::back_inserter(found));
  }
  return thinned(std::move(found));
}

bool MotesSearch::is_progress(const MotesState& state, const Unit& unit) const {
  MotesState more = with(state, unit);
  measure(more);
  return std::pair(more.bytes, more.peaks) < std::pair(state.bytes, state.peaks);
}

std::vector<MotesSearch::Unit> MotesSearch::thinned(std::vector<Unit> found) const {
  const auto extra = [&](const Unit& unit) {
    double alone = 0;
    for (int at = unit->begin; at < unit->end; ++at)
      alone += single_instructions_[static_cast<size_t>(at)];
    return unit->instructions() - alone;
  };
  std::vector<std::tuple<int64_t, double, int64_t, size_t>> ranked;
  for (size_t k = 0; k < found.size(); ++k)
    ranked.push_back({found[k]->bytes, extra(found[k]), found[k]->more_steps(), k});
  std::ranges::sort(ranked);
  std::vector<Unit> front;
  std::vector<std::pair<double, int64_t>> kept;  // what none of less bytes is as good as
  for (const auto& [bytes, more, steps, k] : ranked) {
    const auto as_good = [time = more, written = steps](const auto& one) {
      return one.first <= time && one.second <= written;
    };
    if (std::ranges::any_of(kept, as_good)) continue;
    kept.emplace_back(more, steps);
    front.push_back(found[k]);
  }
  std::vector<Unit> result;
  const auto most = static_cast<size_t>(options_.schemes);
  for (size_t k = 0; k < front.size(); ++k) {
    if (front.size() <= most || k * most / front.size() != (k + 1) * most / front.size())
      result.push_back(front[k]);
  }
  return result;
}

}  // namespace thimble
