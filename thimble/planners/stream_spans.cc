// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_spans.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/whole_operators.h"
#include "thimble/schedule/progress.h"
#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

constexpr size_t kKernelAxes = 4;  // axes before them are loops around the call

TensorId tensor_id(size_t t) { return {static_cast<int32_t>(t)}; }

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

bool is_image(const Graph& graph, TensorId t) {
  const Shape& shape = graph.tensor(t).shape;
  return shape.size() == 4 && shape[0] == 1;
}

/// Whether the rows follow one another in row-major order.
bool rows_are_outermost(const Shape& shape, int axis) {
  return std::all_of(shape.begin(), shape.begin() + axis, [](int64_t e) { return e == 1; });
}

}  // namespace

StreamSpans::StreamSpans(const Graph& graph, const OrderProblem& problem,
                         const std::vector<int>& order, bool in_place,
                         std::vector<TensorId> received, const std::vector<TensorId>& delivered)
    : graph_(graph),
      problem_(problem),
      order_(order),
      in_place_(in_place),
      received_(std::move(received)),
      spans_(graph, delivered),
      made_(graph.tensors.size(), -1),
      last_read_(graph.tensors.size(), -1),
      row_major_(graph.tensors.size(), true) {
  for (const auto* ports : {&graph.inputs, &graph.outputs}) {
    for (const Port& port : *ports) row_major_[port.tensor.index()] = port.order.empty();
  }
  const auto count = static_cast<int>(order.size());
  for (int at = 0; at < count; ++at) {
    const OrderProblem::Op& op = problem.ops[index(order[index(at)])];
    for (const int t : op.outputs) made_[index(t)] = at;
    for (const int t : op.inputs) last_read_[index(t)] = at;
  }
  for (const int t : problem.outputs) last_read_[index(t)] = count;
  const std::vector<AccessMap> maps = access_maps(graph);
  StepProgress progress(graph, maps);
  for (size_t op = 0; op < graph.ops.size(); ++op) {
    const OpId id{static_cast<int32_t>(op)};
    takes_.push_back(axes_taken(id));
    element_.push_back(progress.of({.op = id}) == Progress::kElement);
  }
  single_bytes_ = working_sets(problem, order);
  for (int at = 0; at < count; ++at) {
    const OpId op{order[index(at)]};
    if (passes_rows(op)) {
      single_bytes_[index(at)] = kImpossible;
      continue;
    }
    if (!in_place) continue;
    const int64_t out = size(graph.op(op).outputs[0].index());
    int64_t live = out + problem.ops[op.index()].scratch_bytes;
    for (size_t t = 0; t < made_.size(); ++t) {
      if (made_[t] < at && last_read_[t] >= at && size(t) > 0) live += size(t);
    }
    for (const InputLead& lead : input_leads(graph, op)) {
      const int64_t in = size(lead.input.index());
      if (last_read_[lead.input.index()] != at || in == 0 || out == 0) continue;
      const int64_t both = std::max(out, std::max<int64_t>(lead.bytes, 0) + in);
      single_bytes_[index(at)] = std::min(single_bytes_[index(at)], live - in - out + both);
    }
  }
}

int64_t StreamSpans::size(size_t t) const {
  return std::ranges::find(received_, tensor_id(t)) == received_.end() ? problem_.size_bytes[t] : 0;
}

bool StreamSpans::passes_rows(OpId id) const {
  const Op& op = graph_.op(id);
  return spans_.is_delivered(op.outputs[0]) || std::ranges::any_of(op.inputs, [&](TensorId t) {
           return std::ranges::find(received_, t) != received_.end();
         });
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
  return spans_.sums_rows(op) && made_[graph_.op(op).inputs[0].index()] >= begin;
}

bool StreamSpans::takes(OpId op, int axis) const {
  const std::vector<bool>& taken = takes_[op.index()];
  return static_cast<size_t>(axis) < taken.size() && taken[static_cast<size_t>(axis)];
}

Raster StreamSpans::raster(const StreamSpan& span, size_t member) const {
  const SpanMember& m = span.rows.members[member];
  const Shape& shape = graph_.tensor(m.out).shape;
  if (!span.columns) return {m.beat, all_columns(1), shape[static_cast<size_t>(m.axis)], 1};
  return {m.beat, span.columns->members[member].beat, shape[kRowAxis], shape[kColumnAxis]};
}

std::optional<RasterReader> StreamSpans::reader(const StreamSpan& span, size_t member,
                                                size_t operand) const {
  const SpanMember& m = span.rows.members[member];
  const OperandRows* rows = spans_.rows(m.op, operand, m.axis);
  if (rows == nullptr) return std::nullopt;
  RasterReader result{raster(span, member), rows->rows, std::nullopt, 1, true};
  if (!span.columns) return result;
  const TensorId t = graph_.op(m.op).inputs[operand];
  if (rows->axis != kRowAxis || !is_image(graph_, t)) return std::nullopt;
  const OperandRows* columns = spans_.rows(m.op, operand, kColumnAxis);
  if (columns != nullptr && columns->axis == kColumnAxis) result.columns = columns->rows;
  result.width = graph_.tensor(t).shape[kColumnAxis];
  return result;
}

namespace {

RasterTicks ticks(const StreamSpan& span) {
  return {span.rows.ticks, span.columns ? span.columns->ticks : 1};
}

/// Calls visit(member, operand) for each operand in the span that is `t`.
template <typename Visit>
void for_each_reader(const Graph& graph, const Span& span, TensorId t, Visit visit) {
  for (size_t m = 0; m < span.members.size(); ++m) {
    if (!span.members[m].op.valid()) continue;
    const Op& op = graph.op(span.members[m].op);
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (op.inputs[k] == t) visit(m, k);
    }
  }
}

/// Each element from the one at the same place.
bool is_identity(const Affine& affine) {
  return affine.num == 1 && affine.den == 1 && affine.lo == 0 && affine.hi == 0;
}

}  // namespace

int64_t StreamSpans::ring_pixels(const StreamSpan& span, size_t member) const {
  const SpanMember& made = span.rows.members[member];
  const Shape& shape = graph_.tensor(made.out).shape;
  int64_t most = 1;
  for_each_reader(graph_, span.rows, made.out, [&](size_t m, size_t k) {
    if (span.rows.members[m].sums) {
      most = std::max(most, shape[kColumnAxis]);  // it takes the row once that is complete
      return;
    }
    const RasterReader read = reader(span, m, k).value();
    most = std::max(most, most_ahead(raster(span, member), 1, read, 1, ticks(span)).value_or(1));
  });
  return std::min(most, shape[kRowAxis] * shape[kColumnAxis]);
}

int64_t StreamSpans::unit_bytes(const StreamSpan& span, TensorId t, int axis) const {
  const Tensor& tensor = graph_.tensor(t);
  const int64_t row = tensor.size_bytes() / tensor.shape[static_cast<size_t>(axis)];
  return span.columns ? row / tensor.shape[kColumnAxis] : row;
}

std::optional<int64_t> StreamSpans::lead_bytes(const StreamSpan& span, size_t out,
                                               TensorId in) const {
  const SpanMember& made = span.rows.members[out];
  const Tensor& to = graph_.tensor(made.out);
  const Tensor& from = graph_.tensor(in);
  if (!row_major_[in.index()] || !row_major_[made.out.index()]) return std::nullopt;
  if (!rows_are_outermost(to.shape, made.axis)) return std::nullopt;
  std::optional<int64_t> lead = -from.size_bytes();
  for_each_reader(graph_, span.rows, in, [&](size_t m, size_t k) {
    const SpanMember& member = span.rows.members[m];
    std::optional<RasterReader> read = reader(span, m, k);
    const int axis = read ? spans_.rows(member.op, k, member.axis)->axis : 0;
    if (!read || !lead || !rows_are_outermost(from.shape, axis)) {
      lead.reset();
      return;
    }
    const bool as_written = m == out && element_[member.op.index()] && is_identity(read->rows) &&
                            elements(from.shape) == elements(to.shape);
    read->later = m >= out && !as_written;
    const std::optional<int64_t> ahead =
        most_ahead(raster(span, out), unit_bytes(span, made.out, made.axis), *read,
                   unit_bytes(span, in, axis), ticks(span));
    if (ahead) lead = std::max(*lead, *ahead);
  });
  return lead;
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

std::optional<StreamSpan> StreamSpans::span(int begin, int end, int axis,
                                            Granularity granularity) const {
  std::vector<OpId> ops;
  std::vector<TensorId> received;
  for (int at = begin; at < end; ++at) {
    ops.push_back(OpId{order_[index(at)]});
    for (const TensorId t : graph_.op(ops.back()).inputs) {
      const bool comes = std::ranges::find(received_, t) != received_.end();
      if (comes && std::ranges::find(received, t) == received.end()) received.push_back(t);
    }
  }
  for (const TensorId t : received) {
    if (last_read_[t.index()] >= end) return std::nullopt;  // rows come once
  }
  std::optional<Span> rows = derive(axis, ops, received);
  if (!rows) return std::nullopt;
  StreamSpan result{.begin = begin, .end = end, .rows = std::move(*rows)};
  if (granularity == Granularity::kPixel && !add_columns(ops, result)) return std::nullopt;
  measure(result);
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

int64_t StreamSpans::member_bytes(const StreamSpan& span, size_t m) const {
  const SpanMember& member = span.rows.members[m];
  const Tensor& t = graph_.tensor(member.out);
  if (member.sums) return elements(t.shape) * size_bytes(DType::kInt32);
  const int64_t held = span.rings[m];
  if (held == 0) return size(member.out.index());
  const int64_t row = t.size_bytes() / t.shape[static_cast<size_t>(member.axis)];
  return span.columns && member.op.valid() ? row / t.shape[kColumnAxis] * held : row * held;
}

void StreamSpans::measure(StreamSpan& span) const {
  std::vector<size_t> whole;
  int64_t scratch = 0;
  for (size_t m = 0; m < span.rows.members.size(); ++m) {
    const SpanMember& member = span.rows.members[m];
    const bool by_pixels = span.columns && member.op.valid();
    span.rings.push_back(member.ring > 0 && by_pixels ? ring_pixels(span, m) : member.ring);
    span.bytes += member_bytes(span, m);
    if (member.ring == 0 && !member.sums) whole.push_back(m);
    if (member.op.valid())
      scratch = std::max(scratch, problem_.ops[member.op.index()].scratch_bytes);
  }
  span.bytes += scratch;
  int64_t saved = 0;
  for (size_t t = 0; t < made_.size(); ++t) {
    if (made_[t] >= span.begin || last_read_[t] < span.begin || size(t) == 0) continue;
    span.bytes += size(t);
    if (last_read_[t] >= span.end || !in_place_) continue;
    for (const size_t m : whole) {
      const TensorId out = span.rows.members[m].out;
      const std::optional<int64_t> lead = lead_bytes(span, m, tensor_id(t));
      if (!lead) continue;
      const int64_t out_bytes = size(out.index());
      const int64_t both = std::max(out_bytes, std::max<int64_t>(*lead, 0) + size(t));
      if (out_bytes + size(t) - both <= saved) continue;
      saved = out_bytes + size(t) - both;
      span.out = out;
      span.under = tensor_id(t);
    }
  }
  span.bytes -= saved;
}

bool StreamSpans::reads_sum(int begin, int end, OpId op) const {
  return std::ranges::any_of(graph_.op(op).inputs, [&](TensorId t) {
    const int made = made_[t.index()];
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

int64_t StreamSpans::held_bytes(int begin, int end) const {
  int64_t bytes = 0;
  for (size_t t = 0; t < made_.size(); ++t) {
    if (made_[t] < end && last_read_[t] >= end && last_read_[t] >= begin) bytes += size(t);
  }
  return bytes;
}

std::vector<StreamSpan> StreamSpans::spans(int begin, int end, Granularity granularity) const {
  int last = end - 1;
  while (last >= begin && sums_rows(begin, OpId{order_[index(last)]})) --last;
  std::vector<StreamSpan> result;
  if (last < begin) return result;
  for (const int axis : row_axes(OpId{order_[index(last)]}, granularity)) {
    std::optional<StreamSpan> found = span(begin, end, axis, granularity);
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
      if (held_bytes(begin, end) >= most_bytes) continue;
      // In one piece a single operator needs no more.
      if (end == begin + 1 && !passes_rows(last)) continue;
      for (StreamSpan& found : spans(begin, end, granularity)) {
        if (found.bytes < most_bytes) result.push_back(std::move(found));
      }
    }
  }
  return result;
}

}  // namespace thimble
