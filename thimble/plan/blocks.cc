// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/blocks.h"

#include <algorithm>
#include <map>

#include "thimble/analysis/small_map.h"
#include "thimble/plan/nested_tiles.h"

namespace thimble {
namespace {

constexpr int kOutside = -1;

class BlockWriter {
 public:
  BlockWriter(const Dataflow& dataflow, const Derived& derived) : flow_(dataflow), group_(derived) {
    for (size_t c = 0; c < derived.steps.size(); ++c) made_.get(made(c), c);
  }

  std::optional<UnrolledTiles> run() {
    if (!group_.kept.empty() || !std::ranges::all_of(group_.steps, [&](const DerivedStep& step) {
          return may_stand_flat(step);
        }))
      return std::nullopt;
    for (int64_t tile = 0; tile < outer().tiles; ++tile) {
      if (!write_tile(tile)) return std::nullopt;
    }
    return std::move(flat_);
  }

 private:
  [[nodiscard]] const Clock& outer() const { return group_.loops[0].clock; }
  [[nodiscard]] const TiledCall& tiled(size_t c) const { return *group_.tiled(0, c); }
  [[nodiscard]] ValueId made(size_t c) const { return flow_.made_by(group_.steps[c].call); }

  [[nodiscard]] bool may_stand_flat(const DerivedStep& step) const {
    const auto c = static_cast<size_t>(&step - group_.steps.data());
    const Instance& instance = flow_.instances.instance(step.call.instance);
    if (flow_.instances.receives(instance) || flow_.instances.delivers(instance)) return false;
    const TiledCall& tile = tiled(c);
    if (tile.outer || (!tile.reduces && tile.border == Border::kRoll && tile.held > 0))
      return false;
    for (size_t l = 1; l < group_.loops.size(); ++l) {
      const TiledCall* inner = group_.tiled(static_cast<int>(l), c);
      if (inner == nullptr) continue;
      if (inner->outer || (!inner->reduces && inner->border == Border::kBlocks)) return false;
    }
    return true;
  }

  /// What a call does along the axis of the outer loop; cut to the tensor.
  [[nodiscard]] Interval positions_of(size_t c, int64_t tile) const {
    const TiledCall& call = tiled(c);
    const ValueId v = call.reduces ? flow_.read_by(group_.steps[c].call)[0] : made(c);
    const int64_t extent = flow_.shape(v)[static_cast<size_t>(call.axis)];
    const int64_t begin = std::clamp<int64_t>(call.beat.begin(tile), 0, extent);
    return {begin, std::clamp<int64_t>(call.beat.end(tile), begin, extent)};
  }

  /// Calls, or loops inside of the outer one, in order; what they read is joined in front of them.
  bool write_tile(int64_t tile) {
    loop_of_.assign(group_.loops.size(), kOutside);
    for (size_t begin = 0; begin < group_.steps.size();) {
      const size_t end = segment_end(begin);
      number_loops(begin, end, tile);
      for (size_t c = begin; c < end; ++c) {
        reads_[c].clear();
        if (!positions_of(c, tile).empty() && !find_reads(c, tile)) return false;
      }
      for (size_t c = begin; c < end; ++c) {
        if (!positions_of(c, tile).empty()) write(c, tile);
      }
      begin = end;
    }
    return true;
  }

  /// Behind the loop inside of the outer one that call c stands in, or behind itself.
  [[nodiscard]] size_t segment_end(size_t c) const {
    const auto at = static_cast<Position>(c);
    for (const DerivedLoop& loop : group_.loops) {
      if (loop.depth == 1 && loop.steps.begin <= at && at < loop.steps.end)
        return static_cast<size_t>(loop.steps.end);
    }
    return c + 1;
  }

  /// Where the operands lie; those in several blocks are joined. False where they cannot be.
  bool find_reads(size_t c, int64_t tile) {
    const InstanceCall& call = group_.steps[c].call;
    const std::span<const ValueId> read = flow_.read_by(call);
    const Interval own = positions_of(c, tile);
    for (size_t k = 0; k < read.size(); ++k) {
      const size_t* maker = made_.find(read[k]);
      int found = kOutside;
      if (maker != nullptr && group_.storage_of(read[k]) >= 0) {
        const auto needed = needed_of(c, k, own);
        if (!needed) return false;
        found = needed->empty() ? any_block(*maker) : holding(*maker, tile, *needed, c);
        if (found == kOutside) return false;
      }
      reads_[c].push_back(found);
    }
    return true;
  }

  /// Positions of operand k, along the axis on which it follows the outer loop.
  [[nodiscard]] std::optional<Interval> needed_of(size_t c, size_t k, const Interval& own) const {
    if (tiled(c).reduces) return k == 0 ? std::optional(own) : std::nullopt;
    const InstanceCall& call = group_.steps[c].call;
    const Connection* read = flow_.connection(call, k, tiled(c).axis);
    if (read == nullptr) return std::nullopt;
    const ValueId v = flow_.read_by(call)[k];
    const int64_t extent = flow_.shape(v)[static_cast<size_t>(read->axis)];
    const int64_t begin = std::clamp<int64_t>(first_read(read->pace, own.begin), 0, extent);
    return Interval{begin, std::clamp(end_of_reads(read->pace, own.end), begin, extent)};
  }

  /// The storage with these positions of what call `maker` makes: a block, or a window that blocks
  /// are copied into.
  int holding(size_t maker, int64_t tile, const Interval& needed, size_t reader) {
    if (tiled(maker).border != Border::kBlocks) return block(maker, tile);
    std::vector<int64_t> tiles;
    for (int64_t t = 0; t <= tile; ++t) {
      if (!common(positions_of(maker, t), needed).empty()) tiles.push_back(t);
    }
    if (tiles.empty()) return kOutside;
    if (tiles.size() == 1) return block(maker, tiles[0]);
    const bool unfinished = tiles.back() == tile && segment_end(maker) == segment_end(reader);
    if (unfinished || flow_.is_sums(made(maker))) return kOutside;
    const int window = add_storage(maker, needed);
    const auto axis = static_cast<size_t>(tiled(maker).axis);
    for (const int64_t t : tiles) {
      UnrolledTiles::Step copy{.of = reader, .joins = true, .region = {}, .chunk = {}, .in = {}};
      const Interval part = common(positions_of(maker, t), needed);
      copy.region = region_expr(whole(flow_.shape(made(maker))));
      copy.region[axis] = {index(part.begin), index(part.end)};
      copy.in = {block(maker, t)};
      copy.out = window;
      flat_.steps.push_back(std::move(copy));
    }
    return window;
  }

  /// For a window that reads padding alone: a block that follows no loop.
  [[nodiscard]] int any_block(size_t maker) const {
    const auto it = blocks_.lower_bound({maker, 0});
    if (it == blocks_.end() || it->first.first != maker) return kOutside;
    const Buffer& buffer = flat_.storages[static_cast<size_t>(it->second)].buffer;
    return std::ranges::all_of(buffer.origin, &IndexExpr::constant) ? it->second : kOutside;
  }

  [[nodiscard]] static Interval common(const Interval& a, const Interval& b) {
    const int64_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
  }

  /// What call c makes in the tile; outside if it is read outside of the group.
  int block(size_t c, int64_t tile) {
    if (group_.storage_of(made(c)) < 0) return kOutside;
    const auto [it, added] = blocks_.try_emplace({c, tile}, 0);
    if (added) it->second = add_storage(c, positions_of(c, tile));
    return it->second;
  }

  int add_storage(size_t c, const Interval& along) {
    Storage storage = group_.storages[static_cast<size_t>(group_.storage_of(made(c)))];
    const auto axis = static_cast<size_t>(tiled(c).axis);
    storage.buffer.extents[axis] = std::max<int64_t>(along.size(), 1);
    for (IndexExpr& origin : storage.buffer.origin) renumber(origin);
    storage.buffer.origin[axis] = index(along.begin);
    flat_.storages.push_back(std::move(storage));
    return static_cast<int>(flat_.storages.size()) - 1;
  }

  void write(size_t c, int64_t tile) {
    const DerivedStep& step = group_.steps[c];
    UnrolledTiles::Step flat{.of = c, .region = step.region, .chunk = step.chunk, .in = reads_[c]};
    const Interval own = positions_of(c, tile);
    const IntervalExpr tiled_axis{index(own.begin), index(own.end)};
    for (IntervalExpr& interval : flat.region)
      each_bound(interval, [&](IndexExpr& bound) { renumber(bound); });
    if (flat.chunk) each_bound(*flat.chunk, [&](IndexExpr& bound) { renumber(bound); });
    (tiled(c).reduces ? *flat.chunk : flat.region[static_cast<size_t>(tiled(c).axis)]) = tiled_axis;
    flat.out = block(c, tile);
    for (size_t l = 1; l < group_.loops.size(); ++l) {
      if (group_.tiled(static_cast<int>(l), c) == nullptr) continue;
      LiveRange& steps = flat_.loops[static_cast<size_t>(loop_of_[l])].steps;
      const auto at = static_cast<Position>(flat_.steps.size());
      steps = {steps.begin < 0 ? at : steps.begin, at + 1};
    }
    flat_.steps.push_back(std::move(flat));
  }

  /// Numbers of the loops around the calls [begin, end) that have something to do in this tile.
  void number_loops(size_t begin, size_t end, int64_t tile) {
    for (size_t l = 1; l < group_.loops.size(); ++l) {
      for (size_t c = begin; c < end; ++c) {
        if (group_.tiled(static_cast<int>(l), c) == nullptr || positions_of(c, tile).empty())
          continue;
        loop_of_[l] = static_cast<int>(flat_.loops.size());
        flat_.loops.push_back({{-1, -1}, group_.loops[l].depth - 1, group_.loops[l].clock.tiles});
        break;
      }
    }
  }

  /// Loops of the group to those of this tile.
  void renumber(IndexExpr& expr) const {
    for (Term& term : expr.terms) {
      if (term.loop.value > 0) term.loop.value = loop_of_[term.loop.index()];
    }
  }

  const Dataflow& flow_;
  const Derived& group_;
  SmallMap<ValueId, size_t> made_;                    ///< the step that makes the value
  std::map<std::pair<size_t, int64_t>, int> blocks_;  ///< by step and tile
  std::map<size_t, std::vector<int>> reads_;  ///< per step of the tile: UnrolledTiles::Step::in
  std::vector<int> loop_of_;                  ///< per loop of the group, in this tile
  UnrolledTiles flat_;
};

}  // namespace

bool write_blocks(const Dataflow& dataflow, Derived& derived) {
  derived.flat = BlockWriter(dataflow, derived).run();
  return derived.flat.has_value();
}

}  // namespace thimble
