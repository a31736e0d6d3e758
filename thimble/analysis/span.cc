// SPDX-License-Identifier: Apache-2.0
#include "thimble/analysis/span.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "thimble/analysis/small_map.h"
#include "thimble/model/division.h"
#include "thimble/schedule/reads.h"

namespace thimble {
namespace {

struct Fraction {
  int64_t num = 1, den = 1;
  bool operator==(const Fraction&) const = default;
};
Fraction times(const Fraction& f, int64_t num, int64_t den) {
  const int64_t divisor = std::gcd(f.num * num, f.den * den);
  return {f.num * num / divisor, f.den * den / divisor};
}
bool less(const Fraction& a, const Fraction& b) { return a.num * b.den < b.num * a.den; }

/// More rows than that for a row of another tensor are no clock: ratios of odd sizes, one after the
/// other.
constexpr int64_t kMostRows = 1024;
bool is_clock(const Fraction& f) { return f.num <= kMostRows && f.den <= kMostRows; }

/// The axis that has the rows, if all before it have one index: the first with several.
int outermost_axis(const Shape& shape) {
  int axis = 0;
  while (static_cast<size_t>(axis) < shape.size() && shape[static_cast<size_t>(axis)] == 1) ++axis;
  return axis;
}

/// Of the same row-major sequence in two shapes: rows of one length or a multiple. axis: the
/// outermost of the output.
std::optional<OperandRows> linear_rows(const Shape& in, const Shape& out, int axis) {
  const int in_axis = outermost_axis(in);
  if (static_cast<size_t>(in_axis) == in.size()) return std::nullopt;
  const int64_t out_rows = out[static_cast<size_t>(axis)];
  const int64_t in_rows = in[static_cast<size_t>(in_axis)];
  if (out_rows % in_rows == 0)
    return OperandRows{in_axis, {.out_axis = axis, .den = out_rows / in_rows}};
  if (in_rows % out_rows == 0) {
    const int64_t rows = in_rows / out_rows;
    return OperandRows{in_axis, {.out_axis = axis, .num = rows, .hi = rows - 1}};
  }
  return std::nullopt;
}

/// Per axis of the output.
std::vector<std::optional<OperandRows>> operand_rows(const InputMap& map, const Shape& in,
                                                     const Shape& out) {
  std::vector<std::optional<OperandRows>> result(out.size());
  if (map.linear) {
    const int axis = outermost_axis(out);
    if (static_cast<size_t>(axis) < out.size())
      result[static_cast<size_t>(axis)] = linear_rows(in, out, axis);
    return result;
  }
  for (size_t in_axis = map.axes.size(); in_axis-- > 0;) {
    const auto* affine = std::get_if<Affine>(&map.axes[in_axis]);
    // Backwards, the first row would need the last ones.
    if (affine == nullptr || affine->num < 0) continue;
    result[static_cast<size_t>(affine->out_axis)] = {static_cast<int>(in_axis), *affine};
  }
  return result;
}

/// A tensor along one of its axes.
using TensorAxis = std::pair<TensorId, int>;
using Beats = SmallMap<TensorAxis, Beat>;

class Derivation {
 public:
  Derivation(const Spans& spans, const std::vector<OpId>& ops,
             const std::vector<TensorId>& received)
      : spans_(spans), graph_(spans.graph()), all_ops_(ops), received_(received) {
    for (const TensorId t : received) inside_.get(t, kUnknown);
    for (const OpId op : ops) {
      if (spans.sums_rows(op) && has_rows(graph_.op(op).inputs[0])) {
        inside_.get(graph_.op(op).outputs[0], kSum);
      } else {
        ops_.push_back(op);
        inside_.get(graph_.op(op).outputs[0], kUnknown);
      }
    }
  }

  std::optional<Span> run(int axis) {
    if (ops_.empty() || !find_rates(axis)) return std::nullopt;
    for (const OpId op : all_ops_) {
      const TensorId x = graph_.op(op).inputs[0];
      if (is_sum(op) && line(x).second != static_cast<int>(chunk_axis(graph_, graph_.op(op))))
        return std::nullopt;
    }
    for (size_t m = ops_.size(); m-- > 0;) {
      if (!phased_.contains(out(ops_[m]))) place(m);
    }
    for (const TensorId t : received_) {
      if (!phased_.contains(line(t))) return std::nullopt;  // nobody reads it
    }
    return span();
  }

 private:
  using Rates = SmallMap<TensorAxis, Fraction>;
  // In place of the axis of a tensor's rows: not known yet; none, complete only when the span ends.
  static constexpr int kUnknown = -1, kSum = -2;

  [[nodiscard]] bool has_rows(TensorId t) const {
    const int* axis = inside_.find(t);
    return axis != nullptr && *axis != kSum;
  }
  [[nodiscard]] bool knows_axis(TensorId t) const {
    const int* axis = inside_.find(t);
    return axis != nullptr && *axis >= 0;
  }
  /// Of a tensor inside whose axis is known.
  [[nodiscard]] TensorAxis line(TensorId t) const { return {t, inside_.at(t)}; }
  [[nodiscard]] TensorAxis out(OpId op) const { return line(graph_.op(op).outputs[0]); }
  [[nodiscard]] bool is_sum(OpId op) const { return is_sum(graph_.op(op).outputs[0]); }
  [[nodiscard]] bool is_sum(TensorId t) const {
    const int* axis = inside_.find(t);
    return axis != nullptr && *axis == kSum;
  }

  /// Calls visit(line, rows) for each operand that has to follow the rows, or is outside of the
  /// span and does. False if one has to and does not.
  template <typename Visit>
  bool each_operand(OpId id, Visit visit) const {
    const Op& op = graph_.op(id);
    const int axis = inside_.at(op.outputs[0]);
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (graph_.tensor(op.inputs[k]).is_constant()) continue;
      if (is_sum(op.inputs[k])) return false;
      const OperandRows* read = spans_.rows(id, k, axis);
      if (read != nullptr) {
        visit(TensorAxis{op.inputs[k], read->axis}, read->rows);
      } else if (inside_.contains(op.inputs[k])) {
        return false;
      }
    }
    return true;
  }

  /// Rows of each tensor for a row of the last output, along which axis; then for a tick.
  bool find_rates(int axis) {
    Rates rates;
    bool consistent = true;
    const auto know = [&](const TensorAxis& at, const Fraction& rate) {
      if (inside_.contains(at.first)) {
        int& known = inside_.get(at.first, kUnknown);
        if (known == kUnknown) known = at.second;
        consistent = consistent && known == at.second;
      }
      consistent = rates.get(at, rate) == rate && is_clock(rate) && consistent;
    };
    know({graph_.op(ops_.back()).outputs[0], axis}, {});
    std::vector<bool> done(ops_.size(), false);  // its operands are known
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t m = ops_.size(); m-- > 0;) {  // most follow from what reads them
        if (done[m]) continue;
        const TensorId made = graph_.op(ops_[m]).outputs[0];
        if (!knows_axis(made)) {
          const std::optional<std::pair<TensorAxis, Fraction>> from = made_from(ops_[m], rates);
          if (!from) continue;
          know(from->first, from->second);
        }
        const Fraction rate = rates.at(line(made));
        const bool follows = each_operand(ops_[m], [&](const TensorAxis& t, const Affine& rows) {
          know(t, times(rate, rows.num, rows.den));
        });
        if (!follows || !consistent) return false;
        done[m] = changed = true;
      }
    }
    Fraction finest{0, 1};
    for (const auto& [t, known] : inside_) {
      if (known == kUnknown) return false;
      if (known != kSum) finest = std::max(finest, rates.at(line(t)), less);
    }
    for (const auto& [at, rate] : rates) {
      const Fraction beat = times(rate, finest.den, finest.num);
      rates_.get(at, {beat.num, beat.den, 0});
      consistent = consistent && is_clock(beat);
    }
    return consistent;
  }

  /// The rows of the operator's output, from an operand whose rows are known.
  [[nodiscard]] std::optional<std::pair<TensorAxis, Fraction>> made_from(OpId id,
                                                                         const Rates& rates) const {
    const Op& op = graph_.op(id);
    const TensorId made = op.outputs[0];
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      for (size_t axis = 0; axis < graph_.tensor(made).shape.size(); ++axis) {
        const OperandRows* read = spans_.rows(id, k, static_cast<int>(axis));
        if (read == nullptr) continue;
        const Fraction* rate = rates.find({op.inputs[k], read->axis});
        if (rate == nullptr) continue;
        return {{{made, static_cast<int>(axis)}, times(*rate, read->rows.den, read->rows.num)}};
      }
    }
    return std::nullopt;
  }

  /// The least phase with which rows are there when `reader`, whose operand they are, needs them.
  [[nodiscard]] int64_t phase_for(const TensorAxis& t, const Affine& rows,
                                  const Beat& reader) const {
    const Beat& beat = rates_.at(t);
    int64_t phase = std::numeric_limits<int64_t>::min();
    const int64_t period = std::lcm(reader.rows, rows.den);  // all repeats after that many rows
    for (int64_t row = 1; row <= period; ++row) {
      const int64_t tick = ceil_div(reader.tiles * row - reader.phase, reader.rows);
      phase = std::max(phase, beat.tiles * end_of_reads(rows, row) - beat.rows * tick);
    }
    return phase;
  }

  /// Beats of operator m, which nothing inside reads that has a beat already, and of what it needs
  /// that has none. The first to be placed sets the phase; others are as early as the tensors
  /// placed before allow.
  void place(size_t m) {
    Beats added;
    added.get(out(ops_[m]), rates_.at(out(ops_[m])));
    for (size_t k = m + 1; k-- > 0;) {
      const Beat* found = added.find(out(ops_[k]));
      if (found == nullptr) continue;
      const Beat reader = *found;
      each_operand(ops_[k], [&](const TensorAxis& t, const Affine& rows) {
        if (phased_.contains(t)) return;
        Beat beat = rates_.at(t);
        beat.phase = phase_for(t, rows, reader);
        Beat& known = added.get(t, beat);
        known.phase = std::max(known.phase, beat.phase);
      });
    }
    std::optional<int64_t> shift;
    for (size_t k = 0; k <= m; ++k) {
      const Beat* reader = added.find(out(ops_[k]));
      if (reader == nullptr) continue;
      each_operand(ops_[k], [&](const TensorAxis& t, const Affine& rows) {
        const Beat* placed = phased_.find(t);
        if (placed == nullptr) return;
        const int64_t early = placed->phase - phase_for(t, rows, *reader);
        const int64_t ticks = floor_div(early, placed->rows);
        shift = std::min(shift.value_or(ticks), ticks);
      });
    }
    for (auto& [t, beat] : added) {
      beat.phase += beat.rows * shift.value_or(0);
      phased_.get(t, beat) = beat;
    }
  }

  [[nodiscard]] int64_t extent(const TensorAxis& t) const {
    return graph_.tensor(t.first).shape[static_cast<size_t>(t.second)];
  }

  std::optional<Span> span() {
    int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
    for (const auto& [t, axis] : inside_) {
      if (axis == kSum) continue;
      const Beat& beat = phased_.at(line(t));
      first = std::min(first, ceil_div(beat.tiles - beat.phase, beat.rows));
      last = std::max(last, ceil_div(beat.tiles * extent(line(t)) - beat.phase, beat.rows));
    }
    Span result{.ticks = last - first + 1, .members = {}};
    const auto add = [&](OpId op, TensorId made, const TensorAxis& rows, bool sums) {
      Beat beat = phased_.at(rows);
      beat.phase += beat.rows * first;
      result.members.push_back({op, made, rows.second, beat, 0, sums});
    };
    for (const TensorId t : received_) add({}, t, line(t), false);
    for (const OpId id : all_ops_) {
      const Op& op = graph_.op(id);
      member_of_.get(id, result.members.size());
      add(id, op.outputs[0], line(is_sum(id) ? op.inputs[0] : op.outputs[0]), is_sum(id));
    }
    for (SpanMember& member : result.members) member.ring = ring(result, member);
    return result;
  }

  [[nodiscard]] int64_t ring(const Span& span, const SpanMember& member) const {
    if (member.sums) return 0;
    const std::vector<OpId>& readers = spans_.readers(member.out);
    if (spans_.is_output(member.out)) return 0;
    if (readers.empty() && !spans_.is_delivered(member.out)) return 0;
    int64_t most = 1;
    for (const OpId reader : readers) {
      const size_t* at = member_of_.find(reader);
      if (at == nullptr) return 0;
      const SpanMember* it = &span.members[*at];
      if (it->sums) continue;  // takes each row at the tick that makes it
      const Op& op = graph_.op(reader);
      for (size_t k = 0; k < op.inputs.size(); ++k) {
        if (op.inputs[k] == member.out)
          most =
              std::max(most, held(span.ticks, member, *it, spans_.rows(reader, k, it->axis)->rows));
      }
    }
    return std::min(most, extent(line(member.out)));
  }

  /// Rows between the last that is produced and the first that the reader still needs, at the most.
  [[nodiscard]] int64_t held(int64_t ticks, const SpanMember& from, const SpanMember& reader,
                             const Affine& rows) const {
    const int64_t made = extent(line(from.out)), read = extent(line(reader.out));
    // Where nothing is cut off all repeats, and no more is held than there: one period is enough,
    // if there is one.
    const int64_t first_row = std::max<int64_t>(0, ceil_div(-rows.lo, rows.num));
    const int64_t first = std::max<int64_t>(
        0, 1 + ceil_div(first_row * reader.beat.tiles - reader.beat.phase, reader.beat.rows));
    const int64_t last = first + std::lcm(from.beat.tiles, reader.beat.tiles * rows.den);
    const bool repeats =
        last <= ticks && from.beat.end(last - 1) <= made && reader.beat.end(last - 2) < read;
    int64_t most = 0;
    for (int64_t tick = repeats ? first : 0; tick < (repeats ? last : ticks); ++tick) {
      const int64_t produced = std::min(from.beat.end(tick), made);
      const int64_t next = std::max<int64_t>(reader.beat.end(tick - 1), 0);
      if (next >= read) break;
      most = std::max(most, produced - std::max<int64_t>(first_read(rows, next), 0));
    }
    return most;
  }

  const Spans& spans_;
  const Graph& graph_;
  const std::vector<OpId>& all_ops_;
  std::vector<OpId> ops_;  ///< those that make rows
  const std::vector<TensorId>& received_;
  SmallMap<TensorId, int> inside_;  ///< made or received by the span: axis of the rows
  SmallMap<OpId, size_t> member_of_;
  Beats rates_;  ///< without phases; operands outside that follow the rows, too
  Beats phased_;
};

}  // namespace

Spans::Spans(const Graph& graph, const std::vector<TensorId>& delivered)
    : graph_(graph),
      readers_(consumers(graph)),
      is_output_(graph.tensors.size(), false),
      is_delivered_(graph.tensors.size(), false) {
  const std::vector<AccessMap> maps = access_maps(graph);
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    const Op& op = graph.ops[o];
    std::vector<PerAxis>& operands = rows_.emplace_back();
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      operands.push_back(operand_rows(maps[o][k], graph.tensor(op.inputs[k]).shape,
                                      graph.tensor(op.outputs[0]).shape));
    }
  }
  for (const Port& port : graph.outputs) is_output_[port.tensor.index()] = true;
  for (const TensorId t : delivered) {
    is_output_[t.index()] = false;
    is_delivered_[t.index()] = true;
  }
  for (const Op& op : graph.ops) sums_rows_.push_back(can_sum_rows(op));
}

const OperandRows* Spans::rows(OpId op, size_t operand, int axis) const {
  const PerAxis& rows = rows_[op.index()][operand];
  const auto at = static_cast<size_t>(axis);
  return at < rows.size() && rows[at] ? &*rows[at] : nullptr;
}

// Asking for kernels reads the weights.
bool Spans::can_sum_rows(const Op& op) const {
  return op.outputs.size() == 1 && !op.inputs.empty() && !is_delivered(op.outputs[0]) &&
         chunk_axis(graph_, op) + 1 < graph_.tensor(op.inputs[0]).shape.size() &&
         has_kernel(graph_, op, Method::kAccumulate);
}

std::optional<Span> Spans::derive(int axis, const std::vector<OpId>& ops,
                                  const std::vector<TensorId>& received) const {
  return Derivation(*this, ops, received).run(axis);
}

RegionExpr along(const Shape& shape, int axis, const IntervalExpr& interval) {
  RegionExpr region = region_expr(whole(shape));
  region[static_cast<size_t>(axis)] = interval;
  return region;
}

}  // namespace thimble
