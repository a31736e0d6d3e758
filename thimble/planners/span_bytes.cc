// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/span_bytes.h"

#include <algorithm>

#include "thimble/analysis/leads.h"
#include "thimble/analysis/progress.h"
#include "thimble/operators/operators.h"
#include "thimble/schedule/reads.h"
#include "thimble/search/execution.h"

namespace thimble {
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

/// What an output saves that lies over an input.
int64_t overlap_bytes(int64_t out, int64_t in, int64_t lead) {
  return out + in - std::max(out, std::max<int64_t>(lead, 0) + in);
}

}  // namespace

bool is_image(const Graph& graph, TensorId t) {
  const Shape& shape = graph.tensor(t).shape;
  return shape.size() == 4 && shape[0] == 1;
}

bool rows_are_outermost(const Shape& shape, int axis) {
  return std::all_of(shape.begin(), shape.begin() + axis, [](int64_t e) { return e == 1; });
}

SpanBytes::SpanBytes(const Graph& graph, const OrderProblem& problem, const std::vector<int>& order,
                     bool in_place, std::vector<TensorId> received, const Spans& spans)
    : graph_(graph),
      problem_(problem),
      in_place_(in_place),
      received_(std::move(received)),
      spans_(spans),
      order_(order),
      lives_(thimble::lives(problem, order)),
      row_major_(graph.tensors.size(), true) {
  for (const auto* ports : {&graph.inputs, &graph.outputs}) {
    for (const Port& port : *ports) row_major_[port.tensor.index()] = port.order.empty();
  }
  std::vector<int64_t> sizes;
  for (size_t t = 0; t < graph.tensors.size(); ++t)
    sizes.push_back(size(TensorId{static_cast<int32_t>(t)}));
  held_bytes_ = held_bytes(lives_, sizes, static_cast<int>(order.size()));
  const std::vector<AccessMap> maps = access_maps(graph);
  StepProgress progress(graph, maps);
  for (size_t op = 0; op < graph.ops.size(); ++op)
    element_.push_back(progress.of({.op = OpId{static_cast<int32_t>(op)}}) == Progress::kElement);
}

bool SpanBytes::is_received(TensorId t) const {
  return std::ranges::find(received_, t) != received_.end();
}

int64_t SpanBytes::size(TensorId t) const {
  return is_received(t) ? 0 : problem_.size_bytes[t.index()];
}

std::vector<TensorId> SpanBytes::consumed(int begin, int end) const {
  std::vector<TensorId> result;
  for (int at = begin; at < end; ++at) {
    for (const int t : problem_.ops[index(order_[index(at)])].inputs) {
      const TensorId id{t};
      if (lives_.made[index(t)] < begin && lives_.last_read[index(t)] == at && size(id) > 0)
        result.push_back(id);
    }
  }
  std::ranges::sort(result);
  return result;
}

std::vector<int64_t> SpanBytes::single(const std::vector<int>& order) const {
  std::vector<int64_t> result = working_sets(problem_, order);
  const InputLeads leads(graph_);
  for (int at = 0; in_place_ && at < static_cast<int>(order.size()); ++at) {
    const OpId op{order[index(at)]};
    const int64_t out = size(graph_.op(op).outputs[0]);
    const int64_t live = out + problem_.ops[op.index()].scratch_bytes + held(at);
    for (const InputLead& lead : leads.of(op)) {
      if (lives_.last_read[lead.input.index()] != at || size(lead.input) == 0 || out == 0) continue;
      result[index(at)] =
          std::min(result[index(at)], live - overlap_bytes(out, size(lead.input), lead.bytes));
    }
  }
  return result;
}

Raster SpanBytes::raster(const StreamSpan& span, size_t member) const {
  const SpanMember& m = span.rows.members[member];
  const Shape& shape = graph_.tensor(m.out).shape;
  if (!span.columns) return {m.beat, all_columns(1), shape[static_cast<size_t>(m.axis)], 1};
  return {m.beat, span.columns->members[member].beat, shape[kRowAxis], shape[kColumnAxis]};
}

std::optional<RasterReader> SpanBytes::reader(const StreamSpan& span, size_t member,
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

int64_t SpanBytes::ring_pixels(const StreamSpan& span, size_t member) const {
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

int64_t SpanBytes::unit_bytes(const StreamSpan& span, TensorId t, int axis) const {
  const Tensor& tensor = graph_.tensor(t);
  const int64_t row = tensor.size_bytes() / tensor.shape[static_cast<size_t>(axis)];
  return span.columns ? row / tensor.shape[kColumnAxis] : row;
}

std::optional<int64_t> SpanBytes::lead_bytes(const StreamSpan& span, size_t out,
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

int64_t SpanBytes::member(const StreamSpan& span, size_t m) const {
  const SpanMember& made = span.rows.members[m];
  const Tensor& t = graph_.tensor(made.out);
  if (made.sums) return elements(t.shape) * size_bytes(DType::kInt32);
  const int64_t held = span.rings[m];
  if (held == 0) return size(made.out);
  const int64_t row = t.size_bytes() / t.shape[static_cast<size_t>(made.axis)];
  return span.columns && made.op.valid() ? row / t.shape[kColumnAxis] * held : row * held;
}

void SpanBytes::measure(StreamSpan& span, int64_t useless_bytes) const {
  std::vector<size_t> whole;
  int64_t scratch = 0, largest_out = 0, largest_in = 0;
  for (size_t m = 0; m < span.rows.members.size(); ++m) {
    const SpanMember& made = span.rows.members[m];
    const bool by_pixels = span.columns && made.op.valid();
    span.rings.push_back(made.ring > 0 && by_pixels ? ring_pixels(span, m) : made.ring);
    span.bytes += member(span, m);
    if (made.ring == 0 && !made.sums) {
      whole.push_back(m);
      largest_out = std::max(largest_out, size(made.out));
    }
    if (made.op.valid()) scratch = std::max(scratch, problem_.ops[made.op.index()].scratch_bytes);
  }
  span.bytes += scratch + held(span.begin);
  if (!in_place_) return;
  const std::vector<TensorId> inputs = consumed(span.begin, span.end);
  for (const TensorId t : inputs) largest_in = std::max(largest_in, size(t));
  if (span.bytes - std::min(largest_out, largest_in) >= useless_bytes) return;
  int64_t saved = 0;
  for (const TensorId t : inputs) {
    for (const size_t m : whole) {
      const TensorId out = span.rows.members[m].out;
      if (std::min(size(out), size(t)) <= saved) continue;  // no lead saves more
      const std::optional<int64_t> lead = lead_bytes(span, m, t);
      if (!lead) continue;
      const int64_t shared = overlap_bytes(size(out), size(t), *lead);
      if (shared <= saved) continue;
      saved = shared;
      span.out = out;
      span.under = t;
    }
  }
  span.bytes -= saved;
}

}  // namespace thimble
