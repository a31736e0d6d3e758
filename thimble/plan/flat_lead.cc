// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/flat_lead.h"

#include <algorithm>

namespace thimble {
namespace {

class FlatLeads {
 public:
  FlatLeads(const Dataflow& dataflow, const Derived& derived, ValueId out, ValueId in)
      : flow_(dataflow), group_(derived), flat_(*derived.flat), out_(out), in_(in) {}

  /// At the grain of steps, and of elements where one reads `in` and writes `out` element by
  /// element.
  [[nodiscard]] std::optional<int64_t> lead() const {
    int64_t needed = flow_.size_bytes(in_);  // from which byte on, behind the step at hand
    int64_t most = -needed;
    bool written = false;
    for (size_t s = flat_.steps.size(); s-- > 0;) {
      const UnrolledTiles::Step& step = flat_.steps[s];
      if (step.joins) continue;
      const InstanceCall& call = group_.steps[step.of].call;
      const std::optional<int64_t> read = first_read_of(step);
      if (read && drops_axes(call)) return std::nullopt;
      if (flow_.made_by(call) == out_) {
        if (in_loop(s)) return std::nullopt;
        const std::optional<Interval> bytes = bytes_of(out_, group_.tiled(0, step.of)->axis, step);
        if (!bytes) return std::nullopt;
        most = std::max(most, bytes->end - needed);
        if (read) {
          const OpId op = flow_.instances.instance(call.instance).op;
          const bool by_elements =
              op.valid() && flow_.axes.by_elements(op) && flow_.shape(out_) == flow_.shape(in_);
          most = std::max(most, (by_elements ? bytes->begin : bytes->end) - *read);
        }
        written = true;
      }
      if (read) needed = std::min(needed, *read);
    }
    return written ? std::optional(most) : std::nullopt;
  }

 private:
  [[nodiscard]] bool in_loop(size_t step) const {
    const auto at = static_cast<Position>(step);
    return std::ranges::any_of(flat_.loops, [&](const UnrolledTiles::Loop& loop) {
      return loop.steps.begin <= at && at < loop.steps.end;
    });
  }

  /// From the first to the last that the step writes; nothing of what reduces.
  [[nodiscard]] std::optional<Interval> bytes_of(ValueId v, int axis,
                                                 const UnrolledTiles::Step& step) const {
    if (group_.tiled(0, step.of)->reduces) return std::nullopt;
    const IntervalExpr& part = step.region[static_cast<size_t>(axis)];
    const int64_t behind = flow_.shape(v)[static_cast<size_t>(axis)] - part.end.base;
    return Interval{part.begin.base * stride_bytes(v, axis),
                    flow_.size_bytes(v) - behind * stride_bytes(v, axis)};
  }

  [[nodiscard]] int64_t stride_bytes(ValueId v, int axis) const {
    const Shape& shape = flow_.shape(v);
    int64_t elements = 1;
    for (size_t k = static_cast<size_t>(axis) + 1; k < shape.size(); ++k) elements *= shape[k];
    return elements * size_bytes(flow_.graph.tensor(flow_.tensor(v)).type);
  }

  /// A slice of one position along axes that its output has not: the axis graph does not say where.
  [[nodiscard]] bool drops_axes(const InstanceCall& call) const {
    const OpId op = flow_.instances.instance(call.instance).op;
    return op.valid() && std::holds_alternative<Slice>(flow_.graph.op(op).attributes) &&
           flow_.shape(in_).size() != flow_.shape(flow_.made_by(call)).size();
  }

  /// The first byte of `in` that the step reads.
  [[nodiscard]] std::optional<int64_t> first_read_of(const UnrolledTiles::Step& step) const {
    const InstanceCall& call = group_.steps[step.of].call;
    const std::span<const ValueId> read = flow_.read_by(call);
    const TiledCall& tile = *group_.tiled(0, step.of);
    std::optional<int64_t> first;
    for (size_t k = 0; k < read.size(); ++k) {
      if (read[k] != in_) continue;
      const int64_t byte =
          tile.reduces ? (k == 0 ? chunk_byte(step, tile.axis) : 0) : first_byte_of(step, k);
      first = std::min(first.value_or(byte), byte);
    }
    return first;
  }

  [[nodiscard]] int64_t chunk_byte(const UnrolledTiles::Step& step, int axis) const {
    return step.chunk->begin.base * stride_bytes(in_, axis);
  }

  /// The first byte that is read of operand k: the corner of its box.
  [[nodiscard]] int64_t first_byte_of(const UnrolledTiles::Step& step, size_t k) const {
    int64_t byte = 0;
    for (size_t axis = 0; axis < step.region.size(); ++axis) {
      const Connection* c = flow_.connection(group_.steps[step.of].call, k, static_cast<int>(axis));
      if (c == nullptr) continue;
      const IndexExpr& begin = step.region[axis].begin;
      const int64_t first = first_read(c->pace, begin.constant() ? begin.base : 0);
      const int64_t extent = flow_.shape(in_)[static_cast<size_t>(c->axis)];
      byte += std::clamp<int64_t>(first, 0, extent) * stride_bytes(in_, c->axis);
    }
    return byte;
  }

  const Dataflow& flow_;
  const Derived& group_;
  const UnrolledTiles& flat_;
  const ValueId out_, in_;
};

}  // namespace

std::optional<int64_t> flat_lead(const Dataflow& dataflow, const Derived& derived, ValueId out,
                                 ValueId in) {
  if (!dataflow.instances.value(in).axis_order.empty() ||
      !dataflow.instances.value(out).axis_order.empty())
    return std::nullopt;
  return FlatLeads(dataflow, derived, out, in).lead();
}

}  // namespace thimble
