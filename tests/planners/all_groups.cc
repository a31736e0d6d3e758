// SPDX-License-Identifier: Apache-2.0
#include "tests/planners/all_groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "thimble/operators/operators.h"
#include "thimble/plan/evaluate.h"
#include "thimble/plan/group_lead.h"
#include "thimble/plan/overlap_lead.h"

namespace thimble::testing {
namespace {

class Groups {
 public:
  Groups(const Dataflow& flow, const std::vector<InstanceId>& piece, const GroupLimits& limits)
      : flow_(flow), piece_(piece), limits_(limits), inside_(flow.instances.list.size(), false) {
    for (const InstanceId id : piece) inside_[id.index()] = true;
    for (const InstanceId id : piece) {
      own_macs_ += macs(flow_.graph, flow_.graph.op(flow_.instances.instance(id).op));
      if (!is_used_outside(made_by(id))) continue;
      whole_.push_back(made_by(id));
      made_bytes_ += flow_.size_bytes(made_by(id));
    }
  }

  AllGroups run() {
    if (is_connected()) {
      std::vector<InstanceId> order;
      add_orders(order);
    }
    AllGroups result{.executions = {}, .asked = asked_};
    for (auto& [key, execution] : best_) result.executions.push_back(std::move(execution));
    return result;
  }

 private:
  /// A loop with borders, and what it does whatever loop stands around or within it.
  struct Loop {
    TileLoop loop;
    std::vector<TiledCall> calls;
    std::vector<double> executed;  ///< per call: positions of all tiles / the tensor's
    int64_t kept_bytes = 0;        ///< of rows from tile to tile
  };

  [[nodiscard]] bool is_used_outside(ValueId v) const {
    return flow_.is_output[v.index()] ||
           std::ranges::any_of(flow_.readers[v.index()],
                               [&](InstanceId reader) { return !inside_[reader.index()]; });
  }

  [[nodiscard]] bool is_made_inside(ValueId v) const {
    const InstanceId maker = flow_.maker[v.index()];
    return maker.valid() && inside_[maker.index()];
  }

  /// By values that are made in the piece: nothing else connects what follows a loop.
  [[nodiscard]] bool is_connected() const {
    std::vector<bool> reached(inside_.size(), false);
    std::vector<InstanceId> open{piece_.front()};
    size_t count = 0;
    const auto reach = [&](InstanceId id) {
      if (inside_[id.index()] && !reached[id.index()]) open.push_back(id);
      if (inside_[id.index()]) reached[id.index()] = true;
    };
    reached[piece_.front().index()] = true;
    while (!open.empty()) {
      const InstanceId id = open.back();
      open.pop_back();
      ++count;
      std::ranges::for_each(flow_.readers[made_by(id).index()], reach);
      for (const ValueId v : flow_.instances.instance(id).reads) {
        if (flow_.maker[v.index()].valid()) reach(flow_.maker[v.index()]);
      }
    }
    return count == piece_.size();
  }

  /// By one call, which needs of it what it computes itself: the same rows and columns.
  [[nodiscard]] bool is_read_in_place(ValueId v) const {
    if (flow_.readers[v.index()].size() != 1) return false;
    const InstanceCall call{.instance = flow_.readers[v.index()][0]};
    const std::span<const ValueId> read = flow_.read_by(call);
    if (std::ranges::count(read, v) != 1) return false;
    const auto k = static_cast<size_t>(std::ranges::find(read, v) - read.begin());
    return std::ranges::all_of(std::array{kRowAxis, kColumnAxis}, [&](int axis) {
      const Connection* along = flow_.connection(call, k, axis);
      return along != nullptr && along->axis == axis && along->pace.num == 1 &&
             along->pace.den == 1 && along->pace.lo == 0 && along->pace.hi == 0;
    });
  }

  void add_orders(std::vector<InstanceId>& order) {
    if (order.size() == piece_.size()) return add_order(order);
    const auto is_placed = [&](InstanceId id) {
      return std::ranges::find(order, id) != order.end();
    };
    for (const InstanceId id : piece_) {
      const auto is_there = [&](ValueId v) {
        return !is_made_inside(v) || is_placed(flow_.maker[v.index()]);
      };
      if (is_placed(id) || !std::ranges::all_of(flow_.instances.instance(id).reads, is_there))
        continue;
      order.push_back(id);
      add_orders(order);
      order.pop_back();
    }
  }

  void add_order(const std::vector<InstanceId>& order) {
    order_ = order;
    std::vector<Member> calls;
    for (const InstanceId id : order) calls.push_back({InstanceCall{.instance = id}});
    std::vector<std::vector<Loop>> across;
    for (const TileLoop& columns : column_loops(order)) across.push_back(loops(order, columns));
    for (const TileLoop& down : row_loops(order)) {
      std::vector<Loop> rows = loops(order, down);
      for (const Loop& loop : rows) add({loop.loop, calls}, recomputes(loop.executed));
      rows = undominated(std::move(rows), TileLoop{.border = Border::kRecompute});
      // What keeps least comes first.
      std::ranges::stable_sort(rows, {}, &Loop::kept_bytes);
      for (const std::vector<Loop>& columns : across) {
        // Everything rolls: outputs may lie over inputs.
        if (!columns.empty() && columns[0].loop.others.empty())
          add({down, {{Group{columns[0].loop, calls}}}}, false);
        const std::vector<double> by_columns = fewest(columns);
        std::map<std::vector<bool>, std::vector<Loop>> within;  // by what rows recompute
        for (const Loop& loop : rows) {
          if (made_bytes_ + loop.kept_bytes >= least_bytes()) break;
          if (!limits_.may_recompute && recomputes(times(loop.executed, by_columns))) continue;
          std::vector<bool> recomputed;
          for (const InstanceId id : order)
            recomputed.push_back(loop.loop.border_of(made_by(id)) == Border::kRecompute);
          const auto [it, is_new] = within.try_emplace(recomputed);
          if (is_new) it->second = undominated(columns, loop.loop);
          add_nested(loop, it->second, calls);
        }
      }
    }
  }

  void add_nested(const Loop& rows, const std::vector<Loop>& columns,
                  const std::vector<Member>& calls) {
    for (const Loop& within : columns) {
      if (!limits_.everything && rolls_by_rows_alone(rows.loop, within.loop)) continue;
      // Elements are those by rows times those by columns.
      add({rows.loop, {{Group{within.loop, calls}}}},
          recomputes(times(rows.executed, within.executed)));
    }
  }

  static std::vector<double> times(std::vector<double> a, const std::vector<double>& b) {
    for (size_t c = 0; c < a.size(); ++c) a[c] *= b[c];
    return a;
  }

  /// The least share of its tensor that each call computes in any loop; 1 where there is none.
  [[nodiscard]] std::vector<double> fewest(const std::vector<Loop>& loops) const {
    std::vector<double> result(order_.size(), loops.empty() ? 1 : 1e9);
    for (const Loop& loop : loops) {
      for (size_t c = 0; c < result.size(); ++c) result[c] = std::min(result[c], loop.executed[c]);
    }
    return result;
  }

  /// Whether calls that execute so many times their operators' MACs execute more than all of these.
  [[nodiscard]] bool recomputes(const std::vector<double>& executed) const {
    constexpr double kRounding = 1e-9;
    double sum = 0;
    for (size_t c = 0; c < executed.size(); ++c) {
      const OpId op = flow_.instances.instance(order_[c]).op;
      sum += executed[c] * static_cast<double>(macs(flow_.graph, flow_.graph.op(op)));
    }
    return sum > static_cast<double>(own_macs_) * (1 + kRounding);
  }

  /// Without loops that another of the list is no worse than, whatever else a group is.
  /// around: the loop outside of them; one in which everything is again if there is none.
  [[nodiscard]] std::vector<Loop> undominated(std::vector<Loop> list,
                                              const TileLoop& around) const {
    if (limits_.everything) return list;
    std::vector<Loop> result;
    for (Loop& loop : list) {
      if (std::ranges::any_of(result, [&](const Loop& r) { return is_no_worse(r, loop, around); }))
        continue;
      std::erase_if(result, [&](const Loop& r) { return is_no_worse(loop, r, around); });
      result.push_back(std::move(loop));
    }
    return result;
  }

  /// No value has more positions, and none that is new in each tile there is carried over here. (In
  /// full width, if it is kept by rows and not by columns.)
  [[nodiscard]] bool is_no_worse(const Loop& a, const Loop& b, const TileLoop& around) const {
    const auto longest = [](const TiledCall& c) {
      return (c.beat.rows + c.beat.reach_back + c.beat.tiles - 1) / c.beat.tiles;
    };
    for (size_t c = 0; c < a.calls.size(); ++c) {
      const TiledCall &x = a.calls[c], &y = b.calls[c];
      if (x.held > y.held || longest(x) > longest(y)) return false;
      if (!limits_.may_recompute && a.executed[c] > b.executed[c]) return false;
      if (x.held == 0 || x.border == y.border) continue;
      const ValueId v = made_by(order_[c]);
      if (x.border == Border::kRoll || around.border_of(v) == Border::kRoll) return false;
    }
    return true;
  }

  /// Some value: what is kept by rows, in full width then, need not be computed again by columns.
  [[nodiscard]] bool rolls_by_rows_alone(const TileLoop& rows, const TileLoop& columns) const {
    return std::ranges::any_of(columns.others, [&](const auto& other) {
      return rows.border_of(other.first) == Border::kRoll && overlaps(other.first, columns.others);
    });
  }

  /// With all borders, where that has a clock. If everything rolls is the first.
  [[nodiscard]] std::vector<Loop> loops(const std::vector<InstanceId>& order,
                                        const TileLoop& loop) const {
    std::vector<InstanceCall> calls;
    for (const InstanceId id : order) calls.push_back({.instance = id});
    std::vector<Loop> result;
    std::vector<Borders> borders = all_borders(order, loop);
    borders.insert(borders.begin(), Borders{});
    for (Borders& chosen : borders) {
      TileLoop with = loop;
      with.others = std::move(chosen);
      const std::optional<Clock> clock = clock_of(flow_, calls, with);
      if (!clock) continue;
      Loop& found = result.emplace_back(Loop{std::move(with), clock->calls, {}, 0});
      for (size_t c = 0; c < calls.size(); ++c) {
        const ValueId made = flow_.made_by(calls[c]);
        const TiledCall& tiled = clock->calls[c];
        const int64_t extent = flow_.shape(made)[static_cast<size_t>(tiled.axis)];
        found.executed.push_back(static_cast<double>(positions(tiled.beat, clock->tiles, extent)) /
                                 static_cast<double>(extent));
        const int64_t kept =
            tiled.held - (tiled.beat.rows + tiled.beat.tiles - 1) / tiled.beat.tiles;
        if (tiled.border == Border::kRoll && kept > 0)
          found.kept_bytes += kept * (flow_.size_bytes(made) / extent);
      }
    }
    return result;
  }

  /// Positions of all tiles, cut to the tensor.
  static int64_t positions(const Beat& beat, int64_t tiles, int64_t extent) {
    int64_t sum = 0;
    for (int64_t i = 0; i < tiles; ++i) {
      const int64_t begin = std::max<int64_t>(beat.begin(i), 0);
      sum += std::max<int64_t>(std::min(beat.end(i), extent) - begin, 0);
    }
    return sum;
  }

  [[nodiscard]] int64_t least_bytes() const {
    int64_t least = limits_.incumbent_bytes;
    for (const auto& [savings, execution] : best_) least = std::min(least, execution.bytes);
    return least;
  }

  /// By rows: so many of each value that has another number of them. Nothing without images.
  [[nodiscard]] std::vector<TileLoop> row_loops(const std::vector<InstanceId>& order) const {
    std::vector<TileLoop> result = {{.paced = made_by(order.back()), .axis = kRowAxis, .step = 0}};
    std::set<int64_t> counts;  // of tiles
    for (const InstanceId id : order) {
      const Shape& shape = flow_.shape(made_by(id));
      if (!is_image(shape)) return {};
      for (const int64_t step : {1, 2, 4}) {
        const int64_t tiles = (shape[kRowAxis] + step - 1) / step;
        if (tiles > 1 && counts.insert(tiles).second)
          result.push_back({.paced = made_by(id), .axis = kRowAxis, .step = step});
      }
    }
    return result;
  }

  /// One of the finest value, and of the coarsest.
  [[nodiscard]] std::vector<TileLoop> column_loops(const std::vector<InstanceId>& order) const {
    const auto columns = [&](InstanceId id) {
      const Shape& shape = flow_.shape(made_by(id));
      return is_image(shape) ? shape[kColumnAxis] : 0;
    };
    const InstanceId last = order.back(), coarsest = *std::ranges::min_element(order, {}, columns);
    std::vector<TileLoop> result = {{.paced = made_by(last), .axis = kColumnAxis, .step = 0}};
    if (columns(coarsest) < columns(*std::ranges::max_element(order, {}, columns)))
      result.push_back({.paced = made_by(coarsest), .axis = kColumnAxis, .step = 1});
    if (limits_.everything)
      result.push_back({.paced = made_by(last), .axis = kColumnAxis, .step = 2});
    return result;
  }

  [[nodiscard]] ValueId made_by(InstanceId id) const { return flow_.instances.instance(id).makes; }

  /// Borders of values; others roll.
  using Borders = std::vector<std::pair<ValueId, Border>>;

  /// Borders of all values that are read inside alone.
  [[nodiscard]] std::vector<Borders> all_borders(const std::vector<InstanceId>& order,
                                                 const TileLoop& loop) const {
    std::vector<Borders> result(1);
    const auto extent = [&](ValueId v) { return flow_.shape(v)[static_cast<size_t>(loop.axis)]; };
    int64_t tiles = 0;  // step 0: as many as the finest has positions
    for (const InstanceId id : order) tiles = std::max(tiles, extent(made_by(id)));
    if (loop.step > 0) tiles = (extent(loop.paced) + loop.step - 1) / loop.step;
    for (auto id = order.rbegin(); id != order.rend(); ++id) {  // readers first
      const ValueId v = made_by(*id);
      if (is_used_outside(v)) continue;
      std::vector<Borders> more;
      for (const Borders& chosen : result) {
        for (const Border border : borders_of(v, extent(v) >= tiles, chosen)) {
          more.push_back(chosen);
          more.back().emplace_back(v, border);
        }
      }
      result = std::move(more);
    }
    return result;
  }

  /// rests: in no tile. chosen: of its readers.
  [[nodiscard]] std::vector<Border> borders_of(ValueId v, bool never_rests,
                                               const Borders& chosen) const {
    if (limits_.everything) return {Border::kRoll, Border::kRecompute, Border::kSlice};
    if (never_rests && is_read_in_place(v) && !overlaps(reader_result(v), chosen))
      return {Border::kRecompute};
    return {Border::kRoll, Border::kRecompute};
  }

  /// Whether tiles of the value have positions in common.
  [[nodiscard]] bool overlaps(ValueId v, const Borders& chosen) const {
    const auto own = std::ranges::find(chosen, v, &std::pair<ValueId, Border>::first);
    if (own == chosen.end() || own->second != Border::kRecompute) return false;
    return !is_read_in_place(v) || overlaps(reader_result(v), chosen);
  }

  [[nodiscard]] ValueId reader_result(ValueId v) const {
    return flow_.instances.instance(flow_.readers[v.index()][0]).makes;
  }

  void add(Group group, bool recomputing) {
    if (recomputing && !limits_.may_recompute) return;
    ++asked_;
    const std::optional<Derived> derived = derive(flow_, group, Regions::kNone);
    if (!derived) return;
    PieceExecution execution{.members = {},
                             .bytes = made_bytes_ + group_bytes(flow_, *derived).inner,
                             .recomputes = recomputing,
                             .savings = savings(*derived)};
    std::vector<int64_t> saved;
    for (const PieceExecution::Saving& s : execution.savings) saved.push_back(s.bytes);
    const auto known = best_.find(saved);
    if (known != best_.end() && known->second.bytes <= execution.bytes) return;
    execution.members.push_back({std::move(group)});
    best_[saved] = std::move(execution);
  }

  [[nodiscard]] std::vector<PieceExecution::Saving> savings(const Derived& derived) const {
    std::vector<PieceExecution::Saving> result;
    for (const ValueId out : whole_) {
      for (const InstanceId id : piece_) {
        for (const ValueId in : flow_.instances.instance(id).reads) {
          if (flow_.size_bytes(in) == 0 || is_made_inside(in)) continue;
          if (!may_overlap(flow_, out, in)) continue;
          const std::optional<int64_t> lead = group_lead(flow_, derived, out, in);
          const int64_t bytes =
              lead ? overlap_bytes(flow_.size_bytes(out), flow_.size_bytes(in), *lead) : 0;
          result.push_back({{out, in}, std::max<int64_t>(bytes, 0)});
        }
      }
    }
    return result;
  }

  const Dataflow& flow_;
  const std::vector<InstanceId>& piece_;
  const GroupLimits& limits_;
  std::vector<bool> inside_;    ///< per instance
  std::vector<ValueId> whole_;  ///< made here, read outside
  int64_t made_bytes_ = 0, own_macs_ = 0, asked_ = 0;
  std::vector<InstanceId> order_;                        ///< that is looked at
  std::map<std::vector<int64_t>, PieceExecution> best_;  ///< by what they save
};

}  // namespace

AllGroups all_groups(const Dataflow& flow, const std::vector<InstanceId>& instances,
                     const GroupLimits& limits) {
  return Groups(flow, instances, limits).run();
}

}  // namespace thimble::testing
