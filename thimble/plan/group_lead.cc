// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/group_lead.h"

#include <algorithm>

namespace thimble {
namespace {

bool is_identity(const Affine& pace) {
  return pace.num == 1 && pace.den == 1 && pace.lo == 0 && pace.hi == 0;
}

/// Tiles of rows, and of columns within where there are any.
class Leads {
 public:
  Leads(const Dataflow& dataflow, const Derived& derived) : flow_(dataflow), derived_(derived) {}

  [[nodiscard]] bool rolls() const {
    const auto plain = [](const TiledCall& call) {
      return call.reduces || (call.border == Border::kRoll && call.beat.rows <= call.beat.tiles);
    };
    for (const DerivedLoop& loop : derived_.loops) {
      if (!std::ranges::all_of(loop.clock.calls, plain)) return false;
    }
    return derived_.loops.size() == 1 || (derived_.loops.size() == 2 && by_columns());
  }

  std::optional<int64_t> lead(ValueId out, ValueId in) const {
    const Tensor& to = flow_.graph.tensor(flow_.tensor(out));
    const Tensor& from = flow_.graph.tensor(flow_.tensor(in));
    if (!flow_.instances.value(in).axis_order.empty() ||
        !flow_.instances.value(out).axis_order.empty())
      return std::nullopt;
    const auto is_writer = [&](const DerivedStep& s) { return flow_.made_by(s.call) == out; };
    const auto writer = std::ranges::find_if(derived_.steps, is_writer);
    if (writer == derived_.steps.end()) return std::nullopt;
    const auto w = static_cast<size_t>(writer - derived_.steps.begin());
    if (rows(w).reduces || !is_outermost(to.shape, rows(w).axis)) return std::nullopt;
    const RasterTicks ticks{derived_.loops[0].clock.tiles,
                            by_columns() ? derived_.loops[1].clock.tiles : 1};
    int64_t most = -from.size_bytes();
    for (size_t r = 0; r < derived_.steps.size(); ++r) {
      const std::span<const ValueId> read = flow_.read_by(derived_.steps[r].call);
      for (size_t k = 0; k < read.size(); ++k) {
        if (read[k] != in) continue;
        if (rows(r).reduces) return std::nullopt;
        const Connection* along = flow_.connection(derived_.steps[r].call, k, rows(r).axis);
        if (along == nullptr || !is_outermost(from.shape, along->axis)) return std::nullopt;
        std::optional<RasterReader> reader = reader_of(r, k, *along, from.shape);
        if (!reader) return std::nullopt;
        const OpId op = flow_.instances.instance(derived_.steps[r].call.instance).op;
        const bool as_written = r == w && op.valid() && flow_.axes.by_elements(op) &&
                                is_identity(along->pace) &&
                                elements(from.shape) == elements(to.shape);
        reader->later = r >= w && !as_written;
        const std::optional<int64_t> ahead =
            most_ahead(raster_of(flow_, derived_, w), unit_bytes(to, rows(w).axis), *reader,
                       unit_bytes(from, along->axis), ticks);
        if (ahead) most = std::max(most, *ahead);
      }
    }
    return most;
  }

 private:
  [[nodiscard]] bool by_columns() const { return derived_.loops.size() == 2; }
  [[nodiscard]] const TiledCall& rows(size_t step) const {
    return derived_.loops[0].clock.calls[step];
  }

  [[nodiscard]] std::optional<RasterReader> reader_of(size_t r, size_t k, const Connection& along,
                                                      const Shape& from) const {
    RasterReader result{raster_of(flow_, derived_, r), along.pace, std::nullopt, 1, true};
    if (!by_columns()) return result;
    if (along.axis != kRowAxis || !is_image(from)) return std::nullopt;
    const Connection* columns = flow_.connection(derived_.steps[r].call, k, kColumnAxis);
    if (columns != nullptr && columns->axis == kColumnAxis) result.columns = columns->pace;
    result.width = from[kColumnAxis];
    return result;
  }

  /// Of what the group computes at a time: a row along the axis, or a pixel.
  [[nodiscard]] int64_t unit_bytes(const Tensor& tensor, int axis) const {
    const int64_t row = tensor.size_bytes() / tensor.shape[static_cast<size_t>(axis)];
    return by_columns() ? row / tensor.shape[kColumnAxis] : row;
  }

  const Dataflow& flow_;
  const Derived& derived_;
};

}  // namespace

Raster raster_of(const Dataflow& dataflow, const Derived& derived, size_t step) {
  const TiledCall& tile = derived.loops[0].clock.calls[step];
  const InstanceCall& call = derived.steps[step].call;
  const Shape& shape =
      dataflow.shape(tile.reduces ? dataflow.read_by(call)[0] : dataflow.made_by(call));
  const int64_t height = shape[static_cast<size_t>(tile.axis)];
  if (derived.loops.size() < 2) return {tile.beat, all_columns(1), height, 1};
  const int64_t width = shape.size() > kColumnAxis ? shape[kColumnAxis] : 1;
  const auto at = static_cast<Position>(step);
  const LiveRange& columns = derived.loops[1].steps;
  if (at < columns.begin || at >= columns.end)
    return {tile.beat, all_columns(width), height, width};
  return {tile.beat, derived.loops[1].clock.calls[static_cast<size_t>(at - columns.begin)].beat,
          height, width};
}

std::optional<int64_t> group_lead(const Dataflow& dataflow, const Derived& derived, ValueId out,
                                  ValueId in) {
  const Leads leads(dataflow, derived);
  return leads.rolls() && derived.kept.empty() ? leads.lead(out, in) : std::nullopt;
}

int64_t overlap_bytes(int64_t out_bytes, int64_t in_bytes, int64_t lead_bytes) {
  return out_bytes + in_bytes - std::max(out_bytes, std::max<int64_t>(lead_bytes, 0) + in_bytes);
}

}  // namespace thimble
