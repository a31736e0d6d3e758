// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_clocks.h"

#include <algorithm>

namespace thimble {

SweepClocks::SweepClocks(const Dataflow& dataflow, const std::vector<int>& order, int end,
                         int most_instances)
    : flow_(dataflow), order_(order), end_(end), most_(most_instances), last_(end - 1) {
  const auto sums_rows = [&](const Instance& instance) {
    return instance.op.valid() && flow_.axes.summed_axis(instance.op) == kRowAxis &&
           is_image(flow_.shape(instance.reads[0]));
  };
  while (last_ > 0 && sums_rows(at(last_))) --last_;
}

size_t SweepClocks::received_before(int position, const SweepTile& tile) const {
  const std::optional<int>& first = first_.at(Loops(tile));
  size_t count = 0;
  for (int p = *first; p < position; ++p) count += receives(p) ? 1 : 0;
  return count;
}

bool SweepClocks::cuts(int position, const Loops& loops) const {
  const Instance& instance = at(position);
  if (flow_.instances.receives(instance)) return loops.axes.rows == kStreamAxis;
  if (!instance.op.valid() || !is_image(flow_.shape(instance.makes))) return false;
  return flow_.axes.cut(instance.op, loops.axes.rows) == Cut::kRoll &&
         (!loops.by_columns || flow_.axes.cut(instance.op, loops.axes.columns) == Cut::kRoll);
}

std::vector<InstanceCall> SweepClocks::calls(int begin, bool with_columns) const {
  std::vector<InstanceCall> result;
  for (int p = begin; p < (with_columns ? last_ + 1 : end_); ++p) {
    if (with_columns && receives(p)) continue;
    result.push_back({.instance = {order_[static_cast<size_t>(p)]},
                      .method = p > last_ ? Method::kAccumulate : Method::kCompute});
  }
  return result;
}

std::optional<Clock> SweepClocks::clock(int begin, const TileLoop& loop, bool inner) const {
  return clock_of(flow_, calls(begin, inner), loop);
}

bool SweepClocks::runs_from(int begin, const Loops& loops) const {
  return clock(begin, paced(loops.axes.rows, 1), false) &&
         (!loops.by_columns || clock(begin, paced(loops.axes.columns, 0), true));
}

std::optional<int> SweepClocks::longest(const Loops& loops) const {
  if (!cuts(last_, loops) || receives(last_)) return std::nullopt;
  if (last_ + 1 < end_ && loops.axes.rows != kRowAxis) return std::nullopt;  // rows are added up
  for (int p = last_ + 1; p < end_; ++p) {
    if (at(p).reads[0] != at(last_).makes) return std::nullopt;
  }
  int least = last_;
  while (least > 0 && end_ - least < most_ && cuts(least - 1, loops)) --least;
  if (runs_from(least, loops)) return least;
  int most = last_;
  if (!runs_from(most, loops)) return std::nullopt;
  while (least + 1 < most) {  // not from `least` on, but from `most`
    const int middle = least + (most - least) / 2;
    (runs_from(middle, loops) ? most : least) = middle;
  }
  return most;
}

int SweepClocks::first(const SweepTile& tile) {
  const Loops loops(tile);
  const auto known = first_.find(loops);
  const std::optional<int>& found =
      known != first_.end() ? known->second : first_.emplace(loops, longest(loops)).first->second;
  return found.value_or(end_);
}

std::optional<TileLoop> SweepClocks::row_loop(int begin, const SweepTile& tile) {
  const int axis = tile.axes().rows;
  if (tile.period_tiles == 1) return paced(axis, tile.rows);
  SweepTile of_each = tile;  // row of the last value
  of_each.rows = of_each.period_tiles = 1;
  const Clock* each = rows(of_each);
  if (each == nullptr) return std::nullopt;
  for (int p = begin; p <= last_; ++p) {
    const TiledCall& call = each->calls[static_cast<size_t>(p - first(tile))];
    const int64_t rows = call.beat.rows * tile.rows;
    if (call.axis == axis && call.beat.tiles == 1 && rows % tile.period_tiles == 0)
      return TileLoop{.paced = at(p).makes, .axis = axis, .step = rows / tile.period_tiles};
  }
  return std::nullopt;
}

const Clock* SweepClocks::rows(const SweepTile& tile) {
  const int begin = first(tile);
  if (begin == end_) return nullptr;
  Clocks& known = rows_[Loops(tile)];
  const std::pair key{tile.rows, tile.period_tiles};
  auto at = known.find(key);
  if (at == known.end()) {
    const std::optional<TileLoop> loop = row_loop(begin, tile);
    at = known.emplace(key, loop ? clock(begin, *loop, false) : std::nullopt).first;
  }
  return at->second ? &*at->second : nullptr;
}

const Clock* SweepClocks::columns(const SweepTile& tile) {
  const int begin = first(tile);
  if (begin == end_ || !tile.by_columns()) return nullptr;
  Clocks& known = columns_[Loops(tile)];
  const std::pair key{tile.columns, int64_t{1}};
  auto at = known.find(key);
  if (at == known.end()) {
    const TileLoop loop = paced(tile.axes().columns, tile.columns);
    at = known.emplace(key, clock(begin, loop, true)).first;
  }
  return at->second ? &*at->second : nullptr;
}

}  // namespace thimble
