// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/group_lead.h"

#include <algorithm>

#include "thimble/plan/flat_lead.h"
#include "thimble/plan/nested_tiles.h"

namespace thimble {
namespace {

bool is_identity(const Affine& pace) {
  return pace.num == 1 && pace.den == 1 && pace.lo == 0 && pace.hi == 0;
}

/// Tiles of rows, and of columns within where there are any.
class Leads {
 public:
  Leads(const Dataflow& dataflow, const Derived& derived)
      : flow_(dataflow),
        derived_(derived),
        rasters_{.flow = flow_, .derived = derived_, .columns = by_columns() ? 1 : -1} {}

  [[nodiscard]] bool rolls() const {
    for (size_t l = 0; l < derived_.loops.size(); ++l) {
      // A tile may have several columns, or several whole rows; else a row is complete first.
      const auto plain = [several = l > 0 || !by_columns()](const TiledCall& call) {
        const bool one = several || call.beat.rows <= call.beat.tiles;
        return call.reduces || (call.border == Border::kRoll && one && !call.outer);
      };
      if (!std::ranges::all_of(derived_.loops[l].clock.calls, plain)) return false;
    }
    return derived_.loops.size() == 1 || (derived_.loops.size() == 2 && by_columns());
  }

  std::optional<int64_t> lead(ValueId out, ValueId in) const {
    const Tensor& to = flow_.graph.tensor(flow_.tensor(out));
    const Tensor& from = flow_.graph.tensor(flow_.tensor(in));
    if (by_columns() && !flow_.lies_by_pixels(out)) return std::nullopt;
    const auto is_writer = [&](const DerivedStep& s) { return flow_.made_by(s.call) == out; };
    const auto writer = std::ranges::find_if(derived_.steps, is_writer);
    if (writer == derived_.steps.end()) return std::nullopt;
    const auto w = static_cast<size_t>(writer - derived_.steps.begin());
    if (by_columns() && derived_.tiled(1, w) == nullptr) return std::nullopt;  // behind them
    if (rows(w).reduces || !flow_.lies_outermost(out, rows(w).axis)) return std::nullopt;
    int64_t most = -from.size_bytes();
    for (size_t r = 0; r < derived_.steps.size(); ++r) {
      const std::span<const ValueId> read = flow_.read_by(derived_.steps[r].call);
      for (size_t k = 0; k < read.size(); ++k) {
        if (read[k] != in) continue;
        if (rows(r).reduces) return std::nullopt;
        const Connection* along = flow_.connection(derived_.steps[r].call, k, rows(r).axis);
        if (along == nullptr || !flow_.lies_outermost(in, along->axis)) return std::nullopt;
        if (by_columns() && (along->axis != rows(r).axis || !is_image(from.shape)))
          return std::nullopt;
        RasterReader reader = rasters_.reader(r, k);
        if (!flow_.lies_by_pixels(in)) reader.columns.reset();
        const OpId op = flow_.instances.instance(derived_.steps[r].call.instance).op;
        const bool as_written = r == w && op.valid() && flow_.axes.by_elements(op) &&
                                is_identity(along->pace) && flow_.lies_by_pixels(in) &&
                                elements(from.shape) == elements(to.shape);
        reader.later = r >= w && !as_written;
        const std::optional<int64_t> ahead =
            most_ahead(rasters_.raster_of(w), unit_bytes(to, rows(w).axis), reader,
                       unit_bytes(from, along->axis), rasters_.ticks());
        if (ahead) most = std::max(most, *ahead);
      }
    }
    return most;
  }

 private:
  [[nodiscard]] bool by_columns() const { return derived_.loops.size() == 2; }
  [[nodiscard]] const TiledCall& rows(size_t call) const { return *derived_.tiled(0, call); }

  /// Bytes of what the group computes at a time: a row along the axis, or a pixel.
  [[nodiscard]] int64_t unit_bytes(const Tensor& tensor, int axis) const {
    const int64_t row = tensor.size_bytes() / tensor.shape[static_cast<size_t>(axis)];
    const int inner = axis == kColumnAxis ? kRowAxis : kColumnAxis;
    return by_columns() ? row / tensor.shape[static_cast<size_t>(inner)] : row;
  }

  const Dataflow& flow_;
  const Derived& derived_;
  const Rasters rasters_;
};

/// Along which images are walked within tiles along the other one.
int inner_axis(const TiledCall& outer) {
  return outer.axis == kColumnAxis ? kRowAxis : kColumnAxis;
}

}  // namespace

Raster Rasters::raster_of(size_t call) const {
  const TiledCall& tile = *derived.tiled(rows, call);
  const TiledCall* across = columns < 0 ? nullptr : derived.tiled(columns, call);
  const InstanceCall& made = derived.steps[call].call;
  const Shape& shape = flow.shape(tile.reduces ? flow.read_by(made)[0] : flow.made_by(made));
  const auto inner = static_cast<size_t>(inner_axis(tile));
  const int64_t width = columns >= 0 && shape.size() > kColumnAxis ? shape[inner] : 1;
  return {tile.beat, across == nullptr ? all_columns(width) : across->beat,
          shape[static_cast<size_t>(tile.axis)], width};
}

RasterReader Rasters::reader(size_t call, size_t k) const {
  const InstanceCall& reads = derived.steps[call].call;
  const TiledCall& tile = *derived.tiled(rows, call);
  const int inner = inner_axis(tile);
  RasterReader result{raster_of(call), {.out_axis = kRowAxis}, std::nullopt, 1, true};
  if (columns >= 0) result.width = flow.shape(flow.read_by(reads)[k])[static_cast<size_t>(inner)];
  if (tile.reduces) return result;
  result.rows = flow.connection(reads, k, tile.axis)->pace;
  if (columns < 0 || derived.tiled(columns, call) == nullptr) return result;
  const Connection* across = flow.connection(reads, k, inner);
  if (across != nullptr && across->axis == inner) result.columns = across->pace;
  return result;
}

RasterTicks Rasters::ticks() const {
  const auto tiles = [&](int loop) {
    return loop < 0 ? 1 : derived.loops[static_cast<size_t>(loop)].clock.tiles;
  };
  return {tiles(rows), tiles(columns)};
}

std::optional<int64_t> Rasters::held(size_t made, size_t call, size_t k, int64_t pitch) const {
  const std::optional<OuterTiles>& strips = derived.tiled(columns, made)->outer;
  std::optional<int64_t> most;
  for (int64_t strip = 0; strip < (strips ? strips->count : 1); ++strip) {
    Raster written = raster_of(made);
    RasterReader reads = reader(call, k);
    if (strips) {  // columns counted from the first of the strip
      const auto begin_at_strip = [&](Raster& raster, size_t which) {
        const OuterTiles& outer = *derived.tiled(columns, which)->outer;
        const Interval part = positions(outer, strip, raster.width);
        raster.columns.phase += raster.columns.rows * outer.inner * strip;
        raster.columns.phase -= raster.columns.tiles * part.begin;
        raster.width = part.size();
        return part.begin;
      };
      const int64_t first = begin_at_strip(written, made);
      const int64_t first_out = begin_at_strip(reads.out, call);
      if (reads.columns) {
        const int64_t shift = first_out * reads.columns->num - first * reads.columns->den;
        reads.columns->lo += shift;
        reads.columns->hi += shift;
      }
    }
    written.width = reads.width = pitch;
    if (const auto ahead = most_ahead(written, 1, reads, 1, ticks()))
      most = std::max(most.value_or(*ahead), *ahead);
  }
  return most;
}

std::optional<int64_t> group_lead(const Dataflow& dataflow, const Derived& derived, ValueId out,
                                  ValueId in) {
  if (derived.flat) return flat_lead(dataflow, derived, out, in);
  const Leads leads(dataflow, derived);
  return leads.rolls() && derived.kept.empty() ? leads.lead(out, in) : std::nullopt;
}

int64_t overlap_bytes(int64_t out_bytes, int64_t in_bytes, int64_t lead_bytes) {
  return out_bytes + in_bytes - std::max(out_bytes, std::max<int64_t>(lead_bytes, 0) + in_bytes);
}

}  // namespace thimble
