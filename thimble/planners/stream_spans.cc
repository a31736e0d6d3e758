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

/// Whether a kernel has the rows as an axis of their own, and not as that of the channels.
bool has_rows(const OperandAxes& walk) {
  for (size_t k = 0; k < walk.axes.size(); ++k) {
    const std::vector<int>& merged = walk.axes[k];
    if (std::ranges::find(merged, kRowAxis) == merged.end()) continue;
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
    splits_.push_back(kernel_takes_rows(id));
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
    return !splits_[id.index()];
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

bool StreamSpans::kernel_takes_rows(OpId id) const {
  const Op& op = graph_.op(id);
  if (op.outputs.size() != 1 || !is_image(graph_, op.outputs[0])) return false;
  for (const KernelUse& use : kernel_uses(graph_, op, Method::kCompute)) {
    if (!has_rows(use.out)) return false;
    for (size_t k = 0; k < use.inputs.size(); ++k) {
      const auto operand = static_cast<size_t>(use.inputs[k]);
      const bool follows =
          !graph_.tensor(op.inputs[operand]).is_constant() && rows_.rows(id, operand) != nullptr;
      if (follows && (!has_rows(use.in[k]) || !is_image(graph_, op.inputs[operand]))) return false;
    }
  }
  return true;
}

std::optional<int64_t> StreamSpans::lead_bytes(const Span& span, const SpanMember& out,
                                               TensorId in) const {
  if (!row_major_[in.index()] || !row_major_[out.out.index()]) return std::nullopt;
  struct Reader {
    const SpanMember* member;
    const Affine* rows;
    bool reads_on;  ///< in the tick at which a row of the output is written, when it is
  };
  std::vector<Reader> readers;
  bool behind = false;
  for (const SpanMember& member : span.members) {
    if (!member.op.valid()) continue;
    const Op& op = graph_.op(member.op);
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (op.inputs[k] != in) continue;
      const Affine* rows = rows_.rows(member.op, k);
      if (rows == nullptr) return std::nullopt;
      const bool same = member.op == out.op;
      const bool as_written =
          same && *rows == Affine{.out_axis = kRowAxis} && element_[member.op.index()];
      readers.push_back({&member, rows, behind || (same && !as_written)});
    }
    behind = behind || member.op == out.op;
  }
  const auto row_bytes = [&](TensorId t) {
    const Tensor& tensor = graph_.tensor(t);
    return tensor.size_bytes() / tensor.shape[kRowAxis];
  };
  const auto extent = [&](TensorId t) { return graph_.tensor(t).shape[kRowAxis]; };
  int64_t lead = -graph_.tensor(in).size_bytes();
  for (int64_t tick = 0; tick < span.ticks; ++tick) {
    const int64_t written = std::min(out.beat.complete(tick), extent(out.out));
    if (written <= 0) continue;
    for (const Reader& reader : readers) {
      const Beat& beat = reader.member->beat;
      const int64_t next = std::max<int64_t>(beat.complete(tick - (reader.reads_on ? 1 : 0)), 0);
      if (next >= extent(reader.member->out)) continue;
      const Affine& rows = *reader.rows;
      const int64_t needed = std::max<int64_t>(first_read(rows, next), 0);
      lead = std::max(lead, written * row_bytes(out.out) - needed * row_bytes(in));
    }
  }
  return lead;
}

std::optional<StreamSpan> StreamSpans::span(int begin, int end) const {
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
  std::optional<Span> derived = rows_.derive(ops, received);
  if (!derived) return std::nullopt;
  StreamSpan result{.begin = begin, .end = end, .span = std::move(*derived)};
  std::vector<const SpanMember*> whole;
  int64_t scratch = 0;
  for (const SpanMember& member : result.span.members) {
    const Tensor& t = graph_.tensor(member.out);
    result.bytes += member.ring > 0 ? t.size_bytes() / t.shape[kRowAxis] * member.ring
                                    : size(member.out.index());
    if (member.ring == 0) whole.push_back(&member);
    if (member.op.valid())
      scratch = std::max(scratch, problem_.ops[member.op.index()].scratch_bytes);
  }
  result.bytes += scratch;
  int64_t saved = 0;
  for (size_t t = 0; t < made_.size(); ++t) {
    if (made_[t] >= begin || last_read_[t] < begin || size(t) == 0) continue;
    result.bytes += size(t);
    if (last_read_[t] >= end) continue;
    for (const SpanMember* out : whole) {
      const std::optional<int64_t> lead = lead_bytes(result.span, *out, tensor_id(t));
      if (!lead) continue;
      const int64_t out_bytes = size(out->out.index());
      const int64_t both = std::max(out_bytes, std::max<int64_t>(*lead, 0) + size(t));
      if (out_bytes + size(t) - both <= saved) continue;
      saved = out_bytes + size(t) - both;
      result.out = out->out;
      result.under = tensor_id(t);
    }
  }
  result.bytes -= saved;
  return result;
}

std::vector<StreamSpan> StreamSpans::all(int64_t most_bytes, int most_ops) const {
  std::vector<StreamSpan> result;
  const auto count = static_cast<int>(order_.size());
  for (int begin = 0; begin < count; ++begin) {
    for (int end = begin + 1; end <= std::min(count, begin + most_ops); ++end) {
      if (!splits_[index(order_[index(end - 1)])]) break;
      if (end == begin + 1 && !passes_rows(OpId{order_[index(begin)]}))
        continue;  // in one piece it needs no more
      std::optional<StreamSpan> found = span(begin, end);
      if (found && found->bytes < most_bytes) result.push_back(std::move(*found));
    }
  }
  return result;
}

}  // namespace thimble
