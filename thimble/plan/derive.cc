// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/derive.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "thimble/analysis/small_map.h"
#include "thimble/model/division.h"
#include "thimble/plan/blocks.h"
#include "thimble/plan/group_lead.h"
#include "thimble/plan/nested_tiles.h"
#include "thimble/schedule/kernel_fit.h"
#include "thimble/schedule/records.h"

namespace thimble {
namespace {

/// Positions along the axis lie outermost in memory, as those of a ring must.
void bring_outermost(Buffer& buffer, int axis) {
  bool outermost = true;  // but for axes of one index, which stay where they are
  for (size_t k = 0; k < static_cast<size_t>(axis); ++k)
    outermost = outermost && buffer.extents[k] == 1 && buffer.origin[k] == index(0);
  if (outermost) return;
  buffer.order.resize(buffer.extents.size());
  std::iota(buffer.order.begin(), buffer.order.end(), 0);
  std::rotate(buffer.order.begin(), buffer.order.begin() + axis, buffer.order.begin() + axis + 1);
}

class Deriver {
 public:
  Deriver(const Dataflow& dataflow, Regions regions) : flow_(dataflow), regions_(regions) {}

  std::optional<Derived> run(const Group& group) {
    std::vector<int> path;
    if (!enter(group, path) || !nest_loops(flow_, calls_, result_.loops)) return std::nullopt;
    if (has_blocks()) regions_ = Regions::kAll;
    find_readers();
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (!takes_cuts(c)) return std::nullopt;
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (!add_storage(c)) return std::nullopt;
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (!takes_buffers(c) || !takes_stream(c) || !takes_storage(c)) return std::nullopt;
    }
    if (has_blocks() && !write_blocks(flow_, result_)) return std::nullopt;
    add_copies();
    return std::move(result_);
  }

 private:
  struct Reader {
    size_t call, operand;
  };

  bool enter(const Group& group, std::vector<int>& path) {
    const auto number = result_.loops.size();
    const auto first = static_cast<Position>(calls_.size());
    result_.loops.push_back(
        {{first, first}, static_cast<int>(path.size()), {}, group.loop.transfers_beside});
    path.push_back(static_cast<int>(number));
    nests_.push_back(path);
    for (const Member& member : group.members) {
      if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
        calls_.push_back(*call);
        nest_.push_back(number);
      } else if (!enter(std::get<Group>(member.what), path)) {
        return false;
      }
    }
    path.pop_back();
    const std::vector<InstanceCall> inside(calls_.begin() + first, calls_.end());
    std::optional<Clock> clock = clock_of(flow_, inside, group.loop);
    if (!clock) return false;
    DerivedLoop& loop = result_.loops[number];
    loop.steps.end = static_cast<Position>(calls_.size());
    loop.clock = std::move(*clock);
    return true;
  }

  [[nodiscard]] static LoopId id(int loop) { return {loop}; }
  [[nodiscard]] const DerivedLoop& loop(int number) const {
    return result_.loops[static_cast<size_t>(number)];
  }
  [[nodiscard]] const TiledCall& tiled(int number, size_t c) const {
    return *result_.tiled(number, c);
  }

  /// Loops around a call, outermost first.
  [[nodiscard]] const std::vector<int>& path(size_t c) const { return nests_[nest_[c]]; }

  void find_readers() {
    readers_.resize(calls_.size());
    storage_.assign(calls_.size(), -1);
    for (size_t c = 0; c < calls_.size(); ++c) {
      const std::span<const ValueId> read = flow_.read_by(calls_[c]);
      for (size_t k = 0; k < read.size(); ++k) {
        if (const size_t* maker = maker_.find(read[k])) readers_[*maker].push_back({c, k});
      }
      maker_.get(flow_.made_by(calls_[c]), c);
    }
  }

  /// Adds the step; whether its kernels can be cut so.
  bool takes_cuts(size_t c) {
    const InstanceCall& call = calls_[c];
    const OpId op = flow_.instances.instance(call.instance).op;
    DerivedStep step{.call = call, .region = {}, .chunk = {}};
    step.recomputes = flow_.instances.instance(call.instance).recomputes;
    const std::vector<int>& loops = path(c);
    bool reduces = false;
    for (const int l : loops) {
      const TiledCall& tile = tiled(l, c);
      if (tile.reduces) {
        if (reduces) return false;
        reduces = true;
        continue;
      }
      const bool rolls = tile.beat.tiles > 1 || any_rolls(loop(l).clock);
      if (op.valid() &&
          flow_.axes.cut(op, tile.axis, call.method) < (rolls ? Cut::kRoll : Cut::kTile))
        return false;
      step.recomputes = step.recomputes || tile.beat.reach_back > 0;
    }
    if (call.method == Method::kAccumulate && !reduces) return false;
    if (regions_ == Regions::kAll) add_regions(c, step);
    result_.steps.push_back(std::move(step));
    return true;
  }

  [[nodiscard]] bool has_blocks() const {
    return std::ranges::any_of(result_.loops, [](const DerivedLoop& loop) {
      return std::ranges::any_of(loop.clock.calls, [](const TiledCall& tile) {
        return !tile.reduces && tile.border == Border::kBlocks;
      });
    });
  }

  void add_regions(size_t c, DerivedStep& step) const {
    step.region = region_expr(whole(flow_.shape(flow_.made_by(calls_[c]))));
    for (const int l : path(c)) {
      const TiledCall& tile = tiled(l, c);
      if (tile.reduces) {
        step.chunk = tile.beat.interval(id(l));
      } else {
        step.region[static_cast<size_t>(tile.axis)] = interval(tile, id(l));
      }
    }
  }

  [[nodiscard]] static bool any_rolls(const Clock& clock) {
    return std::ranges::any_of(clock.calls, [](const TiledCall& tile) {
      return !tile.reduces && tile.border == Border::kRoll;
    });
  }

  /// Loops around the maker and all readers; nothing if it is read outside of the group.
  [[nodiscard]] std::optional<std::vector<int>> common_loops(size_t c) const {
    if (tiled(path(c)[0], c).reduces || tiled(path(c)[0], c).held == 0) return std::nullopt;
    std::vector<int> common = path(c);
    for (const Reader& reader : readers_[c]) {
      const auto differ = std::ranges::mismatch(common, path(reader.call));
      common.erase(differ.in1, common.end());
    }
    return common;
  }

  bool add_storage(size_t c) {
    const std::optional<std::vector<int>> common = common_loops(c);
    if (!common || flow_.instances.stores(flow_.instances.instance(calls_[c].instance)))
      return true;
    const ValueId v = flow_.made_by(calls_[c]);
    Storage storage{v, flow_.whole_buffer(v)};
    Buffer& buffer = storage.buffer;
    bool carried = false;  // what is carried over is full along the loops inside
    for (size_t k = 0; k < common->size() && !carried; ++k) {
      const int l = (*common)[k];
      const TiledCall& tile = tiled(l, c);
      if (tile.reduces) continue;
      const auto axis = static_cast<size_t>(tile.axis);
      if (tile.border != Border::kRoll) {
        const int64_t extent = flow_.shape(v)[axis];
        const TileAxis held = shortest(tile, extent, loop(l).clock.tiles, id(l));
        buffer.extents[axis] = held.extent;
        buffer.origin[axis] = held.origin;
        carried = tile.border == Border::kBlocks;
        continue;
      }
      carried = true;
      buffer.order.clear();  // a ring has the order that it rolls in
      const std::optional<int> inner = next_rolled(*common, k, c);
      if (!inner) {
        bring_outermost(buffer, tile.axis);
        const int64_t beside = rows_beside(l, c);
        storage.has_room_beside = beside > 0;
        buffer.extents[axis] = std::min(tile.held + beside, buffer.extents[axis]);
        buffer.origin[axis] = index(0);
        buffer.wrap = Wrap{tile.axis, buffer.extents[axis]};
        if (axis + 1 == buffer.extents.size()) rings_of_channels_ = true;
      } else if (!roll_twice(c, l, *inner, buffer)) {
        return false;
      }
    }
    storage_[c] = static_cast<int>(result_.storages.size());
    result_.storages.push_back(std::move(storage));
    return true;
  }

  /// Rows that a ring has more, so that others go to storage or come from there meanwhile.
  [[nodiscard]] int64_t rows_beside(int l, size_t c) const {
    const auto instance = [&](size_t call) -> const Instance& {
      return flow_.instances.instance(calls_[call].instance);
    };
    const bool transfers = flow_.instances.fetches(instance(c)) ||
                           std::ranges::any_of(readers_[c], [&](const Reader& reader) {
                             return flow_.instances.stores(instance(reader.call));
                           });
    if (!loop(l).transfers_beside || !transfers) return 0;
    return ceil_div(tiled(l, c).beat.rows, tiled(l, c).beat.tiles);
  }

  /// A value that rolls along rows and columns within, or turned; false where it has no such form.
  bool roll_twice(size_t c, int outer, int inner, Buffer& buffer) {
    const TiledCall& tile = tiled(outer, c);
    const int across = tiled(inner, c).axis;
    const bool turned = tile.axis == kColumnAxis;
    if ((!turned && tile.axis != kRowAxis) || across != (turned ? kRowAxis : kColumnAxis) ||
        !is_image(flow_.shape(flow_.made_by(calls_[c]))) || buffer.origin[0] != index(0))
      return false;
    if (tile.outer) return false;  // rows begin anew in each tile of another loop along them
    for (const int l : path(c)) {  // and in one order only: no strips inside of the rows
      const std::optional<OuterTiles>& strips = tiled(l, c).outer;
      if (strips && (turned || strips->loop >= outer)) return false;
    }
    const auto keeps = [&](const Reader& r) { return keeps_axes(r); };
    if (turned && !std::ranges::all_of(readers_[c], keeps)) return false;
    if (tile.beat.rows > tile.beat.tiles) return add_window(c, outer, inner, buffer);
    const auto down = static_cast<size_t>(tile.axis), along = static_cast<size_t>(across);
    const int64_t pixels = ring_pixels(c, outer, inner, buffer.extents[along]);
    if (turned) bring_outermost(buffer, tile.axis);
    buffer.extents[down] = ceil_div(pixels, buffer.extents[along]);
    buffer.origin[down] = buffer.origin[along] = index(0);
    buffer.wrap = Wrap{across, pixels};
    return true;
  }

  /// Whether it makes rows and columns of those that it reads: of images, not of tokens.
  [[nodiscard]] bool keeps_axes(const Reader& r) const {
    const auto keeps = [&](int axis) {
      const Connection* read = flow_.connection(calls_[r.call], r.operand, axis);
      return read != nullptr && read->axis == axis;
    };
    return keeps(kRowAxis) && keeps(kColumnAxis);
  }

  [[nodiscard]] int storage_of(ValueId v) const {
    const size_t* maker = maker_.find(v);
    return maker == nullptr ? -1 : storage_[*maker];
  }

  /// Whether the call's kernels can take the buffers that its operands and its result have.
  [[nodiscard]] bool takes_buffers(size_t c) const {
    const InstanceCall& call = calls_[c];
    const OpId op = flow_.instances.instance(call.instance).op;
    const std::span<const ValueId> read = flow_.read_by(call);
    if (!op.valid()) {  // a copy walks the last axis as channels
      const auto ring_of_channels = [&](ValueId v) {
        const int storage = storage_of(v);
        const size_t rank = flow_.shape(v).size();
        return storage >= 0 && rank > 0 &&
               result_.storages[static_cast<size_t>(storage)].buffer.wraps(rank - 1);
      };
      return !ring_of_channels(read[0]) && !ring_of_channels(flow_.made_by(call));
    }
    if (!rings_of_channels_ && flow_.axes.takes_any_buffer(op, call.method)) return true;
    const auto takes = [&](ValueId v, const OperandAxes& walk, KernelId kernel) {
      const int storage = storage_of(v);
      if (storage < 0) return true;
      const Buffer& buffer = result_.storages[static_cast<size_t>(storage)].buffer;
      return buffer_fault(buffer, walk, flow_.shape(v), kernel).empty() &&
             std::ranges::none_of(walk.axes.back(), [&](int axis) {  // channels are never a ring
               return buffer.wraps(static_cast<size_t>(axis));
             });
    };
    return std::ranges::all_of(flow_.axes.uses(op, call.method), [&](const KernelUse& use) {
      const KernelId kernel = use.kernel;
      for (size_t k = 0; k < use.inputs.size(); ++k) {
        if (!takes(read[static_cast<size_t>(use.inputs[k])], use.in[k], kernel)) return false;
      }
      return takes(flow_.made_by(call), use.out, kernel);
    });
  }

  /// Rows of a stream come and go once, whole and in order, those received in the first step of a
  /// loop that stands in no other.
  [[nodiscard]] bool takes_stream(size_t c) const {
    const Instance& instance = flow_.instances.instance(calls_[c].instance);
    const bool receives = flow_.instances.receives(instance);
    if (!receives && !flow_.instances.delivers(instance)) return true;
    if (receives && (c != 0 || path(c).size() != 1)) return false;
    if (result_.steps[c].recomputes) return false;
    for (const int l : path(c)) {
      if (tiled(l, c).axis != kStreamAxis || tiled(l, c).outer) return false;
    }
    const ValueId rows = receives ? instance.makes : instance.reads[0];
    const int storage = storage_of(rows);
    if (storage < 0) return flow_.instances.value(rows).axis_order.empty();
    const Buffer& held = result_.storages[static_cast<size_t>(storage)].buffer;
    const Shape& shape = flow_.shape(instance.makes);
    bool whole_rows = held.order.empty() && (!held.wrap || held.wrap->axis == kStreamAxis);
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (axis == size_t{kStreamAxis}) {
        whole_rows = whole_rows && (!receives || held.origin[axis].constant());
      } else {
        whole_rows =
            whole_rows && held.extents[axis] == shape[axis] && held.origin[axis] == index(0);
      }
    }
    return whole_rows;
  }

  /// What goes to storage or comes from there are whole records, each once.
  [[nodiscard]] bool takes_storage(size_t c) const {
    const Instance& instance = flow_.instances.instance(calls_[c].instance);
    const bool fetches = flow_.instances.fetches(instance);
    if (!fetches && !flow_.instances.stores(instance)) return true;
    const ValueId stored = fetches ? instance.reads[0] : instance.makes;
    const ValueId held = fetches ? instance.makes : instance.reads[0];
    const Buffer in_storage = flow_.whole_buffer(stored);
    const int axis = record_form(in_storage, 1).axis;
    for (const int l : path(c)) {
      if (tiled(l, c).axis != axis || (!fetches && tiled(l, c).beat.reach_back > 0)) return false;
    }
    const int storage = storage_of(held);
    return storage_of(stored) < 0 &&
           held_fault(storage < 0 ? flow_.whole_buffer(held)
                                  : result_.storages[static_cast<size_t>(storage)].buffer,
                      in_storage)
               .empty();
  }

  /// The loop inside of common[k] in which the value rolls, too.
  [[nodiscard]] std::optional<int> next_rolled(const std::vector<int>& common, size_t k,
                                               size_t c) const {
    for (size_t n = k + 1; n < common.size(); ++n) {
      const TiledCall& tile = tiled(common[n], c);
      if (!tile.reduces && tile.border == Border::kRoll && tile.axis != tiled(common[k], c).axis)
        return common[n];
    }
    return std::nullopt;
  }

  /// Pixels held at the most of a value that rolls along rows and columns, a row at a time.
  [[nodiscard]] int64_t ring_pixels(size_t c, int rows, int columns, int64_t pitch) const {
    const Rasters rasters{flow_, result_, rows, columns};
    int64_t most = 1;
    for (const auto& [r, k] : readers_[c])
      most = std::max(most, rasters.held(c, r, k, pitch).value_or(1));
    const int axis = tiled(rows, c).axis;
    return std::min(most, flow_.shape(flow_.made_by(calls_[c]))[static_cast<size_t>(axis)] * pitch);
  }

  /// A value of which several rows (or columns) are made at a time.
  bool add_window(size_t c, int rows, int columns, Buffer& window) {
    const TiledCall& down = tiled(rows, c);
    const TiledCall& across = tiled(columns, c);
    if (down.beat.tiles != 1) return false;
    const auto axis = static_cast<size_t>(down.axis);
    int64_t shared = 0;  // rows of earlier sweeps that the readers of one begin with
    bool even = true;
    for (const auto& [r, k] : readers_[c]) {
      const TiledCall& read = tiled(rows, r);
      const Connection* at = flow_.connection(calls_[r], k, read.axis);
      even = even && !read.reduces && read.beat.tiles == 1 && at != nullptr && at->pace.den == 1;
      if (even)
        shared = std::max(shared, down.beat.begin(0) - first_read(at->pace, read.beat.begin(0)));
    }
    if (!even) return false;
    Beat all = down.beat;
    all.reach_back = shared;
    TiledCall read = down;
    read.beat = all;
    const int64_t height = flow_.shape(flow_.made_by(calls_[c]))[axis];
    const TileAxis held = shortest(read, height, loop(rows).clock.tiles, id(rows));
    if (shared > 0) {
      KeptRows kept{static_cast<int>(result_.storages.size()), window};
      if (down.axis == kColumnAxis) bring_outermost(kept.buffer, down.axis);
      kept.buffer.extents[axis] = shared;
      kept.buffer.origin[axis] = index(0);
      kept.buffer.wrap = Wrap{down.axis, shared};
      DerivedStep fill = result_.steps[c];
      add_regions(c, fill);
      DerivedStep keep = fill;
      fill.kept = keep.kept = static_cast<int>(result_.kept.size());
      fill.kind = DerivedStep::Kind::kFill;
      fill.region[axis].end = fill.region[axis].begin;
      fill.region[axis].begin = interval(read, id(rows)).begin;
      keep.kind = DerivedStep::Kind::kKeep;
      keep.region[axis].begin = keep.region[axis].end + -std::min(shared, down.beat.rows);
      copies_.push_back({c, {std::move(fill), std::move(keep)}});
      result_.kept.push_back(std::move(kept));
    }
    window.extents[axis] = held.extent;
    window.origin[axis] = held.origin;
    window.origin[static_cast<size_t>(across.axis)] = index(0);
    bring_outermost(window, across.axis);
    int64_t& ring = window.extents[static_cast<size_t>(across.axis)];
    // All columns of a tile are kept, also what nobody needs (a stride).
    const int64_t made = ceil_div(across.beat.rows, across.beat.tiles);
    ring = shared > 0 ? std::min(std::max(across.held, made), ring) : across.held;
    window.wrap = Wrap{across.axis, ring};
    return true;
  }

  /// Fills windows before the calls that make their new rows, and keeps these behind them.
  void add_copies() {
    if (copies_.empty()) return;
    std::vector<DerivedStep> steps;
    std::vector<Position> at;  // of each call
    for (size_t c = 0; c < calls_.size(); ++c) {
      const auto copies = std::ranges::find(copies_, c, &Copies::call);
      at.push_back(static_cast<Position>(steps.size()));
      if (copies != copies_.end()) steps.push_back(copies->steps[0]);
      steps.push_back(std::move(result_.steps[c]));
      if (copies != copies_.end()) steps.push_back(copies->steps[1]);
    }
    at.push_back(static_cast<Position>(steps.size()));
    for (DerivedLoop& loop : result_.loops) {
      loop.steps = {at[static_cast<size_t>(loop.steps.begin)],
                    at[static_cast<size_t>(loop.steps.end)]};
    }
    result_.steps = std::move(steps);
  }

  struct Copies {
    size_t call;
    std::array<DerivedStep, 2> steps;
  };

  const Dataflow& flow_;
  Regions regions_;
  std::vector<Copies> copies_;
  std::vector<InstanceCall> calls_;
  std::vector<size_t> nest_;             ///< per call: the innermost loop around it
  std::vector<std::vector<int>> nests_;  ///< per loop: it, and loops around it, outermost first
  SmallMap<ValueId, size_t> maker_;      ///< the call that makes the value
  std::vector<std::vector<Reader>> readers_;  ///< per call: of what it makes
  bool rings_of_channels_ = false;
  std::vector<int> storage_;  ///< per call: of what it makes; -1: none
  Derived result_;
};

}  // namespace

std::optional<Derived> derive(const Dataflow& dataflow, const Group& group, Regions regions) {
  return Deriver(dataflow, regions).run(group);
}

}  // namespace thimble
