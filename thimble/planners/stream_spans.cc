// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_spans.h"

#include <fmt/format.h>

#include <algorithm>

#include "thimble/kernels/kernel.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/execution.h"
#include "thimble/planners/whole_operators.h"
#include "thimble/schedule/progress.h"
#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

constexpr size_t kKernelAxes = 4;  // axes before them are loops around the call

TensorId tensor_id(size_t t) { return {static_cast<int32_t>(t)}; }

/// Whether a kernel has the axis as one of its own, and not as that of the channels.
bool has_axis(const OperandAxes& walk, int axis) {
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    const std::vector<int>& merged = walk.axes[k];
    if (std::ranges::find(merged, axis) == merged.end()) continue;
    const bool leading = k + kKernelAxes < walk.axes.size();
    return merged.size() == 1 && !leading && k + 1 < walk.axes.size();
  }
  return false;
}

bool is_image(const Graph& graph, TensorId t) {
  const Shape& shape = graph.tensor(t).shape;
  return shape.size() == 4 && shape[0] == 1;
}

}  // namespace

StreamSpans::StreamSpans(const Graph& graph, const OrderProblem& problem,
                         const std::vector<int>& order, std::vector<TensorId> received,
                         const std::vector<TensorId>& delivered)
    : graph_(graph),
      problem_(problem),
      order_(order),
      received_(std::move(received)),
      rows_(graph, kRowAxis, delivered),
      columns_(graph, kColumnAxis, delivered),
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
    by_rows_.push_back(kernel_takes(id, rows_));
    by_pixels_.push_back(by_rows_.back() && kernel_takes(id, columns_));
    element_.push_back(progress.of({.op = id}) == Progress::kElement);
  }
  single_bytes_ = working_sets(problem, order);
  for (int at = 0; at < count; ++at) {
    const OpId op{order[index(at)]};
    if (passes_rows(op)) {
      single_bytes_[index(at)] = kImpossible;
      continue;
    }
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
  return rows_.is_delivered(op.outputs[0]) || std::ranges::any_of(op.inputs, [&](TensorId t) {
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
      if (!graph_.tensor(op.inputs[i]).is_constant() && rows_.rows(id, i) == nullptr) return true;
    }
    return !by_rows_[id.index()];
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

bool StreamSpans::kernel_takes(OpId id, const Spans& along) const {
  const Op& op = graph_.op(id);
  if (op.outputs.size() != 1 || !is_image(graph_, op.outputs[0])) return false;
  for (const KernelUse& use : kernel_uses(graph_, op, Method::kCompute)) {
    if (!has_axis(use.out, along.axis())) return false;
    for (size_t k = 0; k < use.inputs.size(); ++k) {
      const auto operand = static_cast<size_t>(use.inputs[k]);
      const TensorId t = op.inputs[operand];
      if (graph_.tensor(t).is_constant() || along.rows(id, operand) == nullptr) continue;
      if (!has_axis(use.in[k], along.axis()) || !is_image(graph_, t)) return false;
    }
  }
  return true;
}

bool StreamSpans::sums_rows(OpId id) const {
  return rows_.sums_rows(id) && is_image(graph_, graph_.op(id).inputs[0]);
}

Raster StreamSpans::raster(const StreamSpan& span, size_t member) const {
  const SpanMember& m = span.rows.members[member];
  const Shape& shape = graph_.tensor(m.out).shape;
  return {m.beat,
          span.columns ? span.columns->members[member].beat : all_columns(shape[kColumnAxis]),
          shape[kRowAxis], shape[kColumnAxis]};
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

std::optional<Affine> copy_of(const Affine* affine) {
  return affine == nullptr ? std::nullopt : std::optional(*affine);
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
    const OpId op = span.rows.members[m].op;
    const RasterReader reader{raster(span, m), *rows_.rows(op, k), copy_of(columns_.rows(op, k)),
                              shape[kColumnAxis], true};
    most = std::max(most, most_ahead(raster(span, member), 1, reader, 1, ticks(span)).value_or(1));
  });
  return std::min(most, shape[kRowAxis] * shape[kColumnAxis]);
}

std::optional<int64_t> StreamSpans::lead_bytes(const StreamSpan& span, size_t out,
                                               TensorId in) const {
  const SpanMember& made = span.rows.members[out];
  if (!row_major_[in.index()] || !row_major_[made.out.index()]) return std::nullopt;
  const auto pixel_bytes = [&](TensorId t) {
    const Tensor& tensor = graph_.tensor(t);
    return tensor.size_bytes() / tensor.shape[kRowAxis] / tensor.shape[kColumnAxis];
  };
  if (!is_image(graph_, in)) return std::nullopt;
  std::optional<int64_t> lead = -graph_.tensor(in).size_bytes();
  for_each_reader(graph_, span.rows, in, [&](size_t m, size_t k) {
    const OpId op = span.rows.members[m].op;
    const Affine* rows = rows_.rows(op, k);
    if (rows == nullptr || !lead) {
      lead.reset();
      return;
    }
    const Affine* columns = columns_.rows(op, k);
    const bool as_written = m == out && *rows == Affine{.out_axis = kRowAxis} &&
                            columns != nullptr && *columns == Affine{.out_axis = kColumnAxis} &&
                            element_[op.index()];
    const RasterReader reader{raster(span, m), *rows, copy_of(columns),
                              graph_.tensor(in).shape[kColumnAxis], m >= out && !as_written};
    const std::optional<int64_t> ahead =
        most_ahead(raster(span, out), pixel_bytes(made.out), reader, pixel_bytes(in), ticks(span));
    if (ahead) lead = std::max(*lead, *ahead);
  });
  return lead;
}

std::optional<StreamSpan> StreamSpans::span(int begin, int end, Granularity granularity) const {
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
  std::optional<Span> rows = rows_.derive(ops, received);
  if (!rows) return std::nullopt;
  // A mean of an image that is there already makes no rows.
  for (const SpanMember& member : rows->members) {
    if (member.op.valid() && !member.sums && !by_rows_[member.op.index()]) return std::nullopt;
  }
  StreamSpan result{.begin = begin, .end = end, .rows = std::move(*rows)};
  if (granularity == Granularity::kPixel) {
    // Rows come and go whole, whatever the grain between.
    const bool delivers = std::ranges::any_of(
        ops, [&](OpId op) { return rows_.is_delivered(graph_.op(op).outputs[0]); });
    std::erase_if(ops, [&](OpId op) {
      const auto it = std::ranges::find(result.rows.members, op, &SpanMember::op);
      return it->sums;  // adds whole rows
    });
    result.columns = columns_.derive(ops);
    if (!result.columns || delivers) return std::nullopt;
    for (size_t m = 0; m < result.rows.members.size(); ++m) {
      const SpanMember& member = result.rows.members[m];
      if (member.op.valid() && !member.sums) continue;
      const int64_t width = graph_.tensor(member.out).shape[kColumnAxis];
      result.columns->members.insert(result.columns->members.begin() + static_cast<ptrdiff_t>(m),
                                     {member.op, member.out, all_columns(width), 0, member.sums});
    }
  }
  measure(result);
  return result;
}

void StreamSpans::measure(StreamSpan& span) const {
  std::vector<size_t> whole;
  int64_t scratch = 0;
  for (size_t m = 0; m < span.rows.members.size(); ++m) {
    const SpanMember& member = span.rows.members[m];
    const Tensor& t = graph_.tensor(member.out);
    if (member.sums) {
      span.ring_pixels.push_back(0);
      span.bytes += elements(t.shape) * size_bytes(DType::kInt32);
      continue;
    }
    const int64_t image = t.shape[kRowAxis] * t.shape[kColumnAxis];
    const bool by_pixels = span.columns && member.op.valid();
    const int64_t pixels = member.ring == 0 ? 0
                           : by_pixels      ? ring_pixels(span, m)
                                            : member.ring * t.shape[kColumnAxis];
    span.ring_pixels.push_back(pixels);
    span.bytes += pixels > 0 ? t.size_bytes() / image * pixels : size(member.out.index());
    if (pixels == 0) whole.push_back(m);
    if (member.op.valid())
      scratch = std::max(scratch, problem_.ops[member.op.index()].scratch_bytes);
  }
  span.bytes += scratch;
  int64_t saved = 0;
  for (size_t t = 0; t < made_.size(); ++t) {
    if (made_[t] >= span.begin || last_read_[t] < span.begin || size(t) == 0) continue;
    span.bytes += size(t);
    if (last_read_[t] >= span.end) continue;
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
    return sums_rows(maker) && made_[graph_.op(maker).inputs[0].index()] >= begin;
  });
}

std::vector<StreamSpan> StreamSpans::all(int64_t most_bytes, int most_ops,
                                         Granularity granularity) const {
  const std::vector<bool>& splits = granularity == Granularity::kRow ? by_rows_ : by_pixels_;
  std::vector<StreamSpan> result;
  const auto count = static_cast<int>(order_.size());
  for (int begin = 0; begin < count; ++begin) {
    for (int end = begin + 1; end <= std::min(count, begin + most_ops); ++end) {
      const OpId last{order_[index(end - 1)]};
      if (!(splits[last.index()] || sums_rows(last)) || reads_sum(begin, end - 1, last)) break;
      // In one piece a single operator needs no more.
      if (end == begin + 1 && !passes_rows(OpId{order_[index(begin)]})) continue;
      std::optional<StreamSpan> found = span(begin, end, granularity);
      if (found && found->bytes < most_bytes) result.push_back(std::move(*found));
    }
  }
  return result;
}

}  // namespace thimble
