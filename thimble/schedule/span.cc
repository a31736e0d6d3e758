// SPDX-License-Identifier: Apache-2.0
#include "thimble/schedule/span.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

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

/// The input row behind the last that output rows below `row` read.
int64_t end_of_reads(const Affine& rows, int64_t row) {
  return floor_div((row - 1) * rows.num + rows.hi, rows.den) + 1;
}
/// More rows than that for a row of another tensor are no clock: ratios of odd sizes, one after the
/// other.
constexpr int64_t kMostRows = 1024;
bool is_clock(const Fraction& f) { return f.num <= kMostRows && f.den <= kMostRows; }

using Beats = std::map<TensorId, Beat>;

class Derivation {
 public:
  Derivation(const Spans& spans, const std::vector<OpId>& ops,
             const std::vector<TensorId>& received)
      : spans_(spans), graph_(spans.graph()), all_ops_(ops), received_(received) {
    for (const TensorId t : received) inside_.insert(t);
    for (const OpId op : ops) {
      if (spans.sums_rows(op) && inside_.contains(graph_.op(op).inputs[0])) {
        sums_.insert(out(op));
      } else {
        ops_.push_back(op);
        inside_.insert(out(op));
      }
    }
  }

  std::optional<Span> run() {
    if (ops_.empty() || !find_rates()) return std::nullopt;
    for (size_t m = ops_.size(); m-- > 0;) {
      if (!phased_.contains(out(ops_[m]))) place(m);
    }
    for (const TensorId t : received_) {
      if (!phased_.contains(t)) return std::nullopt;  // nobody reads it
    }
    return span();
  }

 private:
  [[nodiscard]] TensorId out(OpId op) const { return graph_.op(op).outputs[0]; }

  /// Calls visit(tensor, rows) for each operand that has to follow the rows, or is outside of the
  /// span and does. False if one has to and does not.
  template <typename Visit>
  bool each_operand(OpId id, Visit visit) const {
    const Op& op = graph_.op(id);
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      if (graph_.tensor(op.inputs[k]).is_constant()) continue;
      if (sums_.contains(op.inputs[k])) return false;
      const Affine* rows = spans_.rows(id, k);
      if (rows != nullptr) {
        visit(op.inputs[k], *rows);
      } else if (inside_.contains(op.inputs[k])) {
        return false;
      }
    }
    return true;
  }

  /// Rows of each tensor for a row of the last output; then for a tick.
  bool find_rates() {
    std::map<TensorId, Fraction> rates = {{out(ops_.back()), {}}};
    bool consistent = true;
    const auto know = [&](TensorId t, const Fraction& rate) {
      const auto [it, added] = rates.try_emplace(t, rate);
      consistent = consistent && it->second == rate && is_clock(rate);
      return added;
    };
    for (bool changed = true; changed && consistent;) {
      changed = false;
      for (const OpId op : ops_ | std::views::reverse) {  // most are known from their readers
        const bool follows = each_operand(op, [&](TensorId t, const Affine& rows) {
          if (const auto it = rates.find(out(op)); it != rates.end()) {
            changed = know(t, times(it->second, rows.num, rows.den)) || changed;
          } else if (const auto in = rates.find(t); in != rates.end()) {
            changed = know(out(op), times(in->second, rows.den, rows.num)) || changed;
          }
        });
        consistent = consistent && follows;
      }
    }
    if (!consistent) return false;
    Fraction finest{0, 1};
    for (const TensorId t : inside_) {
      const auto it = rates.find(t);
      if (it == rates.end()) return false;
      if (less(finest, it->second)) finest = it->second;
    }
    for (const auto& [t, rate] : rates) {
      const Fraction beat = times(rate, finest.den, finest.num);
      rates_[t] = {beat.num, beat.den, 0};
      consistent = consistent && is_clock(beat);
    }
    return consistent;
  }

  /// The least phase with which rows are there when `reader`, whose operand they are, needs them.
  [[nodiscard]] int64_t phase_for(TensorId t, const Affine& rows, const Beat& reader) const {
    const Beat& beat = rates_.at(t);
    int64_t phase = std::numeric_limits<int64_t>::min();
    const int64_t period = std::lcm(reader.rows, rows.den);  // all repeats after that many rows
    for (int64_t row = 1; row <= period; ++row) {
      const int64_t tick = ceil_div(reader.ticks * row - reader.phase, reader.rows);
      phase = std::max(phase, beat.ticks * end_of_reads(rows, row) - beat.rows * tick);
    }
    return phase;
  }

  /// Beats of operator m, which nothing inside reads that has a beat already, and of what it needs
  /// that has none. The first to be placed sets the phase; others are as early as the tensors
  /// placed before allow.
  void place(size_t m) {
    Beats added;
    added[out(ops_[m])] = rates_.at(out(ops_[m]));
    for (size_t k = m + 1; k-- > 0;) {
      const auto it = added.find(out(ops_[k]));
      if (it == added.end()) continue;
      const Beat reader = it->second;
      each_operand(ops_[k], [&](TensorId t, const Affine& rows) {
        if (phased_.contains(t)) return;
        Beat beat = rates_.at(t);
        beat.phase = phase_for(t, rows, reader);
        const auto [known, fresh] = added.try_emplace(t, beat);
        if (!fresh) known->second.phase = std::max(known->second.phase, beat.phase);
      });
    }
    std::optional<int64_t> shift;
    for (size_t k = 0; k <= m; ++k) {
      const auto it = added.find(out(ops_[k]));
      if (it == added.end()) continue;
      each_operand(ops_[k], [&](TensorId t, const Affine& rows) {
        const auto placed = phased_.find(t);
        if (placed == phased_.end()) return;
        const int64_t early = placed->second.phase - phase_for(t, rows, it->second);
        const int64_t ticks = floor_div(early, placed->second.rows);
        shift = std::min(shift.value_or(ticks), ticks);
      });
    }
    for (auto& [t, beat] : added) {
      beat.phase += beat.rows * shift.value_or(0);
      phased_[t] = beat;
    }
  }

  [[nodiscard]] int64_t extent(TensorId t) const {
    return graph_.tensor(t).shape[static_cast<size_t>(spans_.axis())];
  }

  std::optional<Span> span() const {
    int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
    for (const TensorId t : inside_) {
      const Beat& beat = phased_.at(t);
      first = std::min(first, ceil_div(beat.ticks - beat.phase, beat.rows));
      last = std::max(last, ceil_div(beat.ticks * extent(t) - beat.phase, beat.rows));
    }
    Span result{.ticks = last - first + 1, .members = {}};
    const auto beat_of = [&](TensorId t) {
      Beat beat = phased_.at(t);
      beat.phase += beat.rows * first;
      return beat;
    };
    for (const TensorId t : received_) result.members.push_back({{}, t, beat_of(t), 0});
    for (const OpId op : all_ops_) {
      const bool sums = sums_.contains(out(op));
      const Beat beat = beat_of(sums ? graph_.op(op).inputs[0] : out(op));
      result.members.push_back({op, out(op), beat, 0, sums});
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
      const auto it = std::ranges::find(span.members, reader, &SpanMember::op);
      if (it == span.members.end()) return 0;
      if (it->sums) continue;  // takes each row at the tick that makes it
      const Op& op = graph_.op(reader);
      for (size_t k = 0; k < op.inputs.size(); ++k) {
        if (op.inputs[k] == member.out)
          most = std::max(most, held(span.ticks, member, *it, *spans_.rows(reader, k)));
      }
    }
    return std::min(most, extent(member.out));
  }

  /// Rows between the last that is produced and the first that the reader still needs, at the most.
  [[nodiscard]] int64_t held(int64_t ticks, const SpanMember& from, const SpanMember& reader,
                             const Affine& rows) const {
    int64_t most = 0;
    for (int64_t tick = 0; tick < ticks; ++tick) {
      const int64_t produced = std::min(from.beat.complete(tick), extent(from.out));
      const int64_t next = std::max<int64_t>(reader.beat.complete(tick - 1), 0);
      if (next >= extent(reader.out)) break;
      most = std::max(most, produced - std::max<int64_t>(first_read(rows, next), 0));
    }
    return most;
  }

  const Spans& spans_;
  const Graph& graph_;
  const std::vector<OpId>& all_ops_;
  std::vector<OpId> ops_;  ///< those that make rows
  const std::vector<TensorId>& received_;
  std::set<TensorId> inside_;  ///< made or received by the span, row by row
  std::set<TensorId> sums_;    ///< complete only when the span ends
  Beats rates_;                ///< without phases; operands outside that follow the rows, too
  Beats phased_;
};

}  // namespace

int64_t Beat::complete(int64_t tick) const { return floor_div(rows * tick + phase, ticks); }

IntervalExpr Beat::interval(LoopId loop) const {
  IndexExpr begin = index(loop, rows, phase - rows), end = index(loop, rows, phase);
  begin.divisor = end.divisor = ticks;
  return {begin, end};
}

Spans::Spans(const Graph& graph, int axis, const std::vector<TensorId>& delivered)
    : graph_(graph),
      axis_(axis),
      maps_(access_maps(graph)),
      readers_(consumers(graph)),
      is_output_(graph.tensors.size(), false),
      is_delivered_(graph.tensors.size(), false) {
  for (const Port& port : graph.outputs) is_output_[port.tensor.index()] = true;
  for (const TensorId t : delivered) {
    is_output_[t.index()] = false;
    is_delivered_[t.index()] = true;
  }
  for (const Op& op : graph.ops) sums_rows_.push_back(can_sum_rows(op));
}

const Affine* Spans::rows(OpId op, size_t operand) const {
  const InputMap& map = maps_[op.index()][operand];
  const auto axis = static_cast<size_t>(axis_);
  if (map.linear || map.axes.size() <= axis) return nullptr;
  const auto* affine = std::get_if<Affine>(&map.axes[axis]);
  // Backwards, the first row would need the last ones.
  return affine != nullptr && affine->out_axis == axis_ && affine->num > 0 ? affine : nullptr;
}

// Asking for kernels reads the weights.
bool Spans::can_sum_rows(const Op& op) const {
  const auto axis = static_cast<size_t>(axis_);
  return op.outputs.size() == 1 && !op.inputs.empty() && !is_delivered(op.outputs[0]) &&
         chunk_axis(graph_, op) == axis && axis + 1 < graph_.tensor(op.inputs[0]).shape.size() &&
         has_kernel(graph_, op, Method::kAccumulate);
}

std::optional<Span> Spans::derive(const std::vector<OpId>& ops,
                                  const std::vector<TensorId>& received) const {
  return Derivation(*this, ops, received).run();
}

int64_t first_read(const Affine& rows, int64_t row) {
  return floor_div(row * rows.num + rows.lo, rows.den);
}

RegionExpr along(const Shape& shape, int axis, const IntervalExpr& interval) {
  RegionExpr region = region_expr(whole(shape));
  region[static_cast<size_t>(axis)] = interval;
  return region;
}

}  // namespace thimble
