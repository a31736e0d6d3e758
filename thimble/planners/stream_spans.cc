// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_spans.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/search/execution.h"

namespace thimble {
namespace {

/// Whether a kernel has the axis as one of its own, and not as that of the channels; merged with
/// axes inside of it at most.
bool has_axis(const OperandAxes& walk, int axis) {
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    const std::vector<int>& merged = walk.axes[k];
    if (std::ranges::find(merged, axis) == merged.end()) continue;
    const bool leading = k + kKernelAxes < walk.axes.size();
    return merged.front() == axis && !leading && k + 1 < walk.axes.size();
  }
  return false;
}

}  // namespace

StreamSpans::StreamSpans(const Graph& graph, const OrderProblem& problem,
                         const std::vector<int>& order, bool in_place,
                         std::vector<TensorId> received, const std::vector<TensorId>& delivered)
    : graph_(graph),
      order_(order),
      spans_(graph, delivered),
      bytes_(graph, problem, order, in_place, std::move(received), spans_),
      single_bytes_(bytes_.single(order)) {
  for (size_t op = 0; op < graph.ops.size(); ++op)
    takes_.push_back(axes_taken(OpId{static_cast<int32_t>(op)}));
  for (size_t at = 0; at < order.size(); ++at) {
    if (passes_rows(OpId{order[at]})) single_bytes_[at] = kImpossible;
  }
}

bool StreamSpans::passes_rows(OpId id) const {
  const Op& op = graph_.op(id);
  return spans_.is_delivered(op.outputs[0]) ||
         std::ranges::any_of(op.inputs, [&](TensorId t) { return bytes_.is_received(t); });
}

std::string StreamSpans::obstacle() const {
  std::vector<int> at;  // of those that pass rows
  for (int k = 0; k < static_cast<int>(order_.size()); ++k) {
    if (passes_rows(OpId{order_[index(k)]})) at.push_back(k);
  }
  const auto named = [&](int k) { return label(graph_.op(OpId{order_[index(k)]})); };
  const auto whole = [&](int k) {
    const OpId id{order_[index(k)]};
    const Op& op = graph_.op(id);
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      if (graph_.tensor(op.inputs[i]).is_constant()) continue;
      const OperandRows* read = spans_.rows(id, i, kRowAxis);
      if (read == nullptr || read->axis != kRowAxis) return true;
    }
    return !takes(id, kRowAxis);
  };
  for (const int k : at) {
    if (whole(k)) return named(k) + " cannot execute row by row";
  }
  for (int k = at.empty() ? 0 : at.front(); !at.empty() && k < at.back(); ++k) {
    if (whole(k))
      return fmt::format("{} cannot execute row by row, and stands between {} and {}", named(k),
                         named(at.front()), named(at.back()));
  }
  if (at.empty()) return "no operator reads or makes it";
  return fmt::format("{} and {} cannot execute row by row together", named(at.front()),
                     named(at.back()));
}

std::vector<bool> StreamSpans::axes_taken(OpId id) const {
  const Op& op = graph_.op(id);
  const Shape& shape = graph_.tensor(op.outputs[0]).shape;
  std::vector<bool> taken(shape.size(), false);
  if (op.outputs.size() != 1 || !has_kernel(graph_, op, Method::kCompute)) return taken;
  const std::vector<KernelUse> uses = kernel_uses(graph_, op, Method::kCompute);
  for (size_t axis = 0; axis < taken.size(); ++axis) {
    if (shape[axis] == 1 && !is_image(graph_, op.outputs[0])) continue;  // nothing to cut
    taken[axis] = std::ranges::all_of(
        uses, [&](const KernelUse& use) { return goes_along(use, id, static_cast<int>(axis)); });
  }
  return taken;
}

bool StreamSpans::goes_along(const KernelUse& use, OpId id, int axis) const {
  // Rows of merged axes would begin at floor(a i / b) times what is merged, which has no form.
  const bool merged = std::ranges::any_of(use.out.axes, [&](const std::vector<int>& axes) {
    return axes.size() > 1 && axes.front() == axis;
  });
  if (merged || !has_axis(use.out, axis)) return false;
  for (size_t k = 0; k < use.inputs.size(); ++k) {
    const auto operand = static_cast<size_t>(use.inputs[k]);
    if (graph_.tensor(graph_.op(id).inputs[operand]).is_constant()) continue;
    const OperandRows* read = spans_.rows(id, operand, axis);
    if (read != nullptr && !has_axis(use.in[k], read->axis)) return false;
  }
  return true;
}

bool StreamSpans::sums_rows(int begin, OpId op) const {
  return spans_.sums_rows(op) && bytes_.lives().made[graph_.op(op).inputs[0].index()] >= begin;
}

bool StreamSpans::takes(OpId op, int axis) const {
  const std::vector<bool>& taken = takes_[op.index()];
  return static_cast<size_t>(axis) < taken.size() && taken[static_cast<size_t>(axis)];
}

std::optional<Span> StreamSpans::derive(int axis, const std::vector<OpId>& ops,
                                        const std::vector<TensorId>& received) const {
  std::optional<Span> span = spans_.derive(axis, ops, received);
  if (!span) return span;
  for (const SpanMember& member : span->members) {
    const bool passes = !member.op.valid() || spans_.is_delivered(member.out);
    if (passes && member.axis != kStreamAxis) return std::nullopt;
    if (member.op.valid() && !member.sums && !takes(member.op, member.axis)) return std::nullopt;
  }
  return span;
}

std::optional<StreamSpan> StreamSpans::span(int begin, int end, int axis, Granularity granularity,
                                            int64_t useless_bytes) const {
  std::vector<OpId> ops;
  std::vector<TensorId> received;
  for (int at = begin; at < end; ++at) {
    ops.push_back(OpId{order_[index(at)]});
    for (const TensorId t : graph_.op(ops.back()).inputs) {
      if (bytes_.is_received(t) && std::ranges::find(received, t) == received.end())
        received.push_back(t);
    }
  }
  for (const TensorId t : received) {
    if (bytes_.lives().last_read[t.index()] >= end) return std::nullopt;  // rows come once
  }
  std::optional<Span> rows = derive(axis, ops, received);
  if (!rows) return std::nullopt;
  StreamSpan result{.begin = begin, .end = end, .rows = std::move(*rows)};
  if (granularity == Granularity::kPixel && !add_columns(ops, result)) return std::nullopt;
  bytes_.measure(result, useless_bytes);
  return result;
}

bool StreamSpans::add_columns(std::vector<OpId> ops, StreamSpan& span) const {
  std::erase_if(ops, [&](OpId op) {
    return std::ranges::find(span.rows.members, op, &SpanMember::op)->sums;
  });
  span.columns = derive(kColumnAxis, ops, {});
  if (!span.columns) return false;
  // Rows come, go and are added whole, whatever the grain between.
  for (size_t m = 0; m < span.rows.members.size(); ++m) {
    const SpanMember& member = span.rows.members[m];
    if (member.op.valid() && !member.sums) continue;
    // A sum may have fewer axes, and no columns.
    const int64_t width = member.sums ? 1 : graph_.tensor(member.out).shape[kColumnAxis];
    span.columns->members.insert(
        span.columns->members.begin() + static_cast<ptrdiff_t>(m),
        {member.op, member.out, kColumnAxis, all_columns(width), 0, member.sums});
  }
  for (size_t m = 0; m < span.rows.members.size(); ++m) {
    const SpanMember& member = span.rows.members[m];
    if (member.axis != kRowAxis || spans_.is_delivered(member.out)) return false;
    if (member.sums) continue;
    if (!is_image(graph_, member.out) || span.columns->members[m].axis != kColumnAxis) return false;
  }
  return true;
}

bool StreamSpans::reads_sum(int begin, int end, OpId op) const {
  return std::ranges::any_of(graph_.op(op).inputs, [&](TensorId t) {
    const int made = bytes_.lives().made[t.index()];
    if (made < begin || made >= end) return false;
    const OpId maker{order_[index(made)]};
    return sums_rows(begin, maker);
  });
}

std::vector<int> StreamSpans::row_axes(OpId last, Granularity granularity) const {
  const Op& op = graph_.op(last);
  const TensorId out = op.outputs[0];
  if (granularity == Granularity::kPixel)
    return is_image(graph_, out) && takes(last, kRowAxis) ? std::vector<int>{kRowAxis}
                                                          : std::vector<int>{};
  const Shape& shape = graph_.tensor(out).shape;
  std::vector<int> axes;
  for (int axis = 0; axis + 1 < static_cast<int>(shape.size()); ++axis) {
    const bool image_row = axis == kRowAxis && is_image(graph_, out);
    if (!takes(last, axis) || (shape[static_cast<size_t>(axis)] == 1 && !image_row)) continue;
    bool outermost = rows_are_outermost(shape, axis);
    for (size_t k = 0; k < op.inputs.size() && !outermost; ++k) {
      const Tensor& in = graph_.tensor(op.inputs[k]);
      const OperandRows* read = spans_.rows(last, k, axis);
      outermost = read != nullptr && !in.is_constant() && rows_are_outermost(in.shape, read->axis);
    }
    if (outermost) axes.push_back(axis);
  }
  return axes;
}

std::vector<StreamSpan> StreamSpans::spans(int begin, int end, Granularity granularity,
                                           int64_t useless_bytes) const {
  int last = end - 1;
  while (last >= begin && sums_rows(begin, OpId{order_[index(last)]})) --last;
  std::vector<StreamSpan> result;
  if (last < begin) return result;
  for (const int axis : row_axes(OpId{order_[index(last)]}, granularity)) {
    std::optional<StreamSpan> found = span(begin, end, axis, granularity, useless_bytes);
    if (found) result.push_back(std::move(*found));
  }
  return result;
}

std::vector<StreamSpan> StreamSpans::all(const std::vector<int64_t>& otherwise_bytes, int most_ops,
                                         Granularity granularity) const {
  std::vector<StreamSpan> result;
  const auto count = static_cast<int>(order_.size());
  for (int begin = 0; begin < count; ++begin) {
    int64_t most_bytes = 0;
    for (int end = begin + 1; end <= std::min(count, begin + most_ops); ++end) {
      const OpId last{order_[index(end - 1)]};
      const bool sums = sums_rows(begin, last);
      const bool in_pieces =
          granularity == Granularity::kPixel
              ? takes(last, kRowAxis) && takes(last, kColumnAxis)
              : std::ranges::find(takes_[last.index()], true) != takes_[last.index()].end();
      if (!(sums || in_pieces) || reads_sum(begin, end - 1, last)) break;
      most_bytes = std::max(most_bytes, otherwise_bytes[index(end - 1)]);
      // What is live behind the span is live throughout, whichever way it executes.
      if (bytes_.held(end) >= most_bytes) continue;
      // In one piece a single operator needs no more.
      if (end == begin + 1 && !passes_rows(last)) continue;
      for (StreamSpan& found : spans(begin, end, granularity, most_bytes)) {
        if (found.bytes < most_bytes) result.push_back(std::move(found));
      }
    }
  }
  return result;
}

}  // namespace thimble
