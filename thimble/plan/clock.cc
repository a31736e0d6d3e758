// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/clock.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "thimble/analysis/small_map.h"
#include "thimble/model/division.h"

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

/// More positions than that for one of another tensor are no clock: ratios of odd sizes, one after
/// the other.
constexpr int64_t kMostRows = 1024;
bool is_clock(const Fraction& f) { return f.num <= kMostRows && f.den <= kMostRows; }

/// A value along one of its axes.
using Line = std::pair<ValueId, int>;
using Beats = SmallMap<Line, Beat>;

class Derivation {
 public:
  Derivation(const Dataflow& dataflow, const std::vector<InstanceCall>& calls, const TileLoop& loop)
      : flow_(dataflow), calls_(calls), loop_(loop), reduces_(calls.size(), false) {
    for (size_t c = 0; c < calls.size(); ++c) {
      made_.push_back(flow_.made_by(calls[c]));
      read_.push_back(flow_.read_by(calls[c]));
      borders_.push_back(loop.border_of(made_.back()));
      inside_.get(made_.back(), kUnknown);
      caller_of_.get(calls[c].instance, {})[calls[c].method == Method::kAccumulate ? 1 : 0] =
          static_cast<int>(c) + 1;
    }
  }

  std::optional<Clock> run() {
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (calls_[c].method == Method::kAccumulate &&
          (!op(c).valid() || !flow_.axes.summed_axis(op(c)) || is_read_unfinished(c)))
        return std::nullopt;
    }
    const auto has_axis = [&](ValueId v, int axis) {
      return axis >= 0 && static_cast<size_t>(axis) < flow_.shape(v).size();
    };
    bool axes = has_axis(loop_.paced, loop_.axis);
    for (const auto& [value, axis] : loop_.alongside) axes = axes && has_axis(value, axis);
    if (calls_.empty() || !axes || !find_rates()) return std::nullopt;
    for (size_t c = calls_.size(); c-- > 0;) {
      if (!reduces_[c] && !phased_.contains(out(c))) place(c);
    }
    store_at_once();
    for (size_t c = 0; c < calls_.size(); ++c) {  // nobody else reads what it adds up
      if (reduces_[c]) phased_.get(operand(c), rates_.at(operand(c)));
    }
    return reach_back() ? std::optional(clock()) : std::nullopt;
  }

 private:
  // In place of the axis along which a value follows the loop: not known yet; none, complete only
  // when the loop ends.
  static constexpr int kUnknown = -1, kSum = -2;

  /// Whether the loop reads what call c accumulates and nothing in the loop finalises.
  [[nodiscard]] bool is_read_unfinished(size_t c) const {
    const ValueId v = flow_.instances.instance(calls_[c].instance).makes;
    return !is_inside(v) && std::ranges::any_of(read_, [&](std::span<const ValueId> read) {
      return std::ranges::find(read, v) != read.end();
    });
  }

  [[nodiscard]] int axis_of(ValueId v) const {
    const int* axis = inside_.find(v);
    return axis == nullptr ? kUnknown : *axis;
  }
  [[nodiscard]] bool is_inside(ValueId v) const { return inside_.contains(v); }
  [[nodiscard]] Line out(size_t c) const { return {made_[c], inside_.at(made_[c])}; }
  /// The line that a reducing call adds up.
  [[nodiscard]] Line operand(size_t c) const {
    return {read_[c][0], *flow_.axes.summed_axis(op(c))};
  }
  /// Along which it follows the loop.
  [[nodiscard]] Line line(size_t c) const { return reduces_[c] ? operand(c) : out(c); }
  [[nodiscard]] OpId op(size_t c) const { return flow_.instances.instance(calls_[c].instance).op; }

  /// Calls visit(line, pace) for each operand that has to follow, or is outside of the loop and
  /// does. False if one has to and does not.
  template <typename Visit>
  bool each_operand(size_t c, Visit visit) const {
    const int axis = inside_.at(made_[c]);
    for (size_t k = 0; k < read_[c].size(); ++k) {
      const ValueId v = read_[c][k];
      if (flow_.is_constant(v)) continue;
      const bool inside = is_inside(v);
      if (inside && axis_of(v) == kSum) return false;
      const Connection* read = flow_.connection(calls_[c], k, axis);
      if (read != nullptr) {
        visit(Line{v, read->axis}, read->pace);
      } else if (inside) {
        return false;
      }
    }
    return true;
  }

  /// Positions of each value for one of the paced, along which axis; then for a tile.
  bool find_rates() {
    SmallMap<Line, Fraction> rates;
    bool consistent = true;
    const auto know = [&](const Line& at, const Fraction& rate) {
      if (is_inside(at.first)) {
        int& known = inside_.get(at.first, kUnknown);
        if (known == kUnknown) known = at.second;
        consistent = consistent && known == at.second;
      }
      consistent = rates.get(at, rate) == rate && is_clock(rate) && consistent;
    };
    know({loop_.paced, loop_.axis}, {});
    for (const auto& [value, axis] : loop_.alongside) know({value, axis}, {});
    std::vector<bool> done(calls_.size(), false);  // its operands are known
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t c = calls_.size(); c-- > 0;) {  // most follow from what reads them
        if (done[c]) continue;
        if (axis_of(made_[c]) == kUnknown && calls_[c].method == Method::kAccumulate) {
          const Line added = operand(c);
          const bool known = rates.contains(added);
          if (known && (!is_inside(added.first) || axis_of(added.first) == added.second)) {
            inside_.get(made_[c], kUnknown) = kSum;
            reduces_[c] = done[c] = changed = true;
            continue;
          }
        }
        if (axis_of(made_[c]) == kUnknown) {
          const std::optional<std::pair<Line, Fraction>> from = made_from(c, rates);
          if (!from) continue;
          know(from->first, from->second);
        }
        const Fraction rate = rates.at(out(c));
        const bool follows = each_operand(c, [&](const Line& t, const Affine& pace) {
          know(t, times(rate, pace.num, pace.den));
        });
        if (!follows || !consistent) return false;
        done[c] = changed = true;
      }
    }
    Fraction finest{0, 1};
    for (const auto& [v, axis] : inside_) {
      if (axis == kUnknown) return false;
      if (axis != kSum) finest = std::max(finest, rates.at({v, axis}), less);
    }
    if (loop_.step == 0 && finest.num == 0) return false;
    for (const auto& [at, rate] : rates) {
      const Fraction beat =
          loop_.step == 0 ? times(rate, finest.den, finest.num) : times(rate, loop_.step, 1);
      rates_.get(at, {beat.num, beat.den, 0});
      consistent = consistent && (loop_.step > 0 || is_clock(beat));
      if (aligned()) consistent = consistent && beat.den == 1;
    }
    return consistent;
  }

  /// The rate of what the call makes, from an operand whose rate is known.
  [[nodiscard]] std::optional<std::pair<Line, Fraction>> made_from(
      size_t c, const SmallMap<Line, Fraction>& rates) const {
    const ValueId made = made_[c];
    for (size_t k = 0; k < read_[c].size(); ++k) {
      for (size_t axis = 0; axis < flow_.shape(made).size(); ++axis) {
        const Connection* read = flow_.connection(calls_[c], k, static_cast<int>(axis));
        if (read == nullptr) continue;
        const Fraction* rate = rates.find({read_[c][k], read->axis});
        if (rate == nullptr) continue;
        return {{{made, static_cast<int>(axis)}, times(*rate, read->pace.den, read->pace.num)}};
      }
    }
    return std::nullopt;
  }

  /// The least phase with which positions are there when `reader`, whose operand they are, needs
  /// them.
  [[nodiscard]] int64_t phase_for(const Line& t, const Affine& pace, const Beat& reader) const {
    const Beat& beat = rates_.at(t);
    int64_t phase = std::numeric_limits<int64_t>::min();
    // All repeats after so many positions; of several per tile the last one needs the most.
    const int64_t period = std::lcm(reader.rows, pace.den);
    const int64_t each = reader.tiles == 1 ? reader.rows : 1;
    for (int64_t n = each; n <= period; n += each) {
      const int64_t row = n + (reader.tiles == 1 ? reader.phase : 0);
      const int64_t tile = ceil_div(reader.tiles * row - reader.phase, reader.rows);
      phase = std::max(phase, beat.tiles * end_of_reads(pace, row) - beat.rows * tile);
    }
    return phase;
  }

  /// Beats of what call c makes, which nothing inside reads that has a beat already, and of what it
  /// needs that has none. The first to be placed sets the phase; others are as early as the values
  /// placed before allow.
  void place(size_t c) {
    Beats added;
    added.get(out(c), rates_.at(out(c)));
    for (size_t k = c + 1; k-- > 0;) {
      const Beat* found = reduces_[k] ? nullptr : added.find(out(k));
      if (found == nullptr) continue;
      const Beat reader = *found;
      each_operand(k, [&](const Line& t, const Affine& pace) {
        if (phased_.contains(t)) return;
        Beat beat = rates_.at(t);
        beat.phase = phase_for(t, pace, reader);
        if (aligned()) beat.phase = ceil_div(beat.phase, beat.rows) * beat.rows;
        Beat& known = added.get(t, beat);
        known.phase = std::max(known.phase, beat.phase);
      });
    }
    std::optional<int64_t> shift;
    for (size_t k = 0; k <= c; ++k) {
      const Beat* reader = reduces_[k] ? nullptr : added.find(out(k));
      if (reader == nullptr) continue;
      each_operand(k, [&](const Line& t, const Affine& pace) {
        const Beat* placed = phased_.find(t);
        if (placed == nullptr) return;
        const int64_t early = placed->phase - phase_for(t, pace, *reader);
        const int64_t tiles = floor_div(early, placed->rows);
        shift = std::min(shift.value_or(tiles), tiles);
      });
    }
    for (auto& [t, beat] : added) {
      beat.phase += beat.rows * shift.value_or(0);
      phased_.get(t, beat) = beat;
    }
  }

  /// What goes to storage does so when it is made, however late it is fetched.
  void store_at_once() {
    for (size_t c = 0; c < calls_.size(); ++c) {
      const Instance& copy = flow_.instances.instance(calls_[c].instance);
      if (!flow_.instances.stores(copy)) continue;
      const int axis = inside_.at(made_[c]);
      if (const Beat* held = phased_.find({copy.reads[0], axis}))
        phased_.get(out(c), {}).phase = held->phase;
    }
  }

  /// Whether tiles begin at multiples of as many positions: as many as of other values connected
  /// with them, at their pace.
  [[nodiscard]] bool aligned() const { return loop_.border == Border::kBlocks; }

  /// How far tiles of what is computed again reach back, or less than 0: what nobody reads is left
  /// out. False where a slice would have to be carried over. What is read outside of the loop is
  /// full, so that nothing of it is missing.
  bool reach_back() {
    if (loop_.border == Border::kRoll && loop_.others.empty()) return true;
    for (size_t c = calls_.size(); c-- > 0;) {  // readers first
      if (reduces_[c] || borders_[c] == Border::kRoll || borders_[c] == Border::kBlocks) continue;
      std::optional<int64_t> reach;
      Beat& beat = phased_.get(out(c), {});
      const bool inside = each_reader(c, [&](size_t reader, const Affine& pace) {
        reach = std::max(reach, missing(beat, phased_.at(line(reader)), pace));
      });
      if (!inside) {
        borders_[c] = Border::kSlice;
      } else if (borders_[c] == Border::kRecompute) {
        beat.reach_back = reach.value_or(0);
      } else if (reach.value_or(0) > 0) {
        return false;
      }
    }
    return true;
  }

  /// Positions / tiles by which a tile of `beat` would have to begin earlier for its reader.
  [[nodiscard]] static std::optional<int64_t> missing(const Beat& beat, const Beat& reader,
                                                      const Affine& pace) {
    std::optional<int64_t> most;
    const int64_t period = std::lcm(beat.tiles, reader.tiles * pace.den);
    for (int64_t tile = 0; tile < period; ++tile) {
      if (reader.begin(tile) >= reader.end(tile)) continue;
      const int64_t needed = first_read(pace, reader.begin(tile));
      const int64_t from =
          beat.rows * (tile - 1) + beat.phase - beat.tiles * needed - beat.tiles + 1;
      most = std::max(most.value_or(from), from);
    }
    return most;
  }

  /// Calls visit(call, pace) for each call of the loop that reads what call c makes. False if
  /// others read it, too, or nobody does.
  template <typename Visit>
  bool each_reader(size_t c, Visit visit) const {
    const ValueId v = made_[c];
    bool inside = true;
    const auto read_by = [&](size_t reader) {
      for (size_t k = 0; k < read_[reader].size(); ++k) {
        if (read_[reader][k] != v) continue;
        visit(reader, reduces_[reader]
                          ? Affine{}
                          : flow_.connection(calls_[reader], k, out(reader).second)->pace);
      }
    };
    if (flow_.is_sums(v)) {
      const auto* callers = caller_of_.find(calls_[c].instance);
      if ((*callers)[0] == 0) return false;
      read_by(static_cast<size_t>((*callers)[0]) - 1);
      return true;
    }
    const std::vector<InstanceId>& readers = flow_.readers[v.index()];
    if (readers.empty() || flow_.is_output[v.index()]) return false;
    for (const InstanceId reader : readers) {
      const auto* callers = caller_of_.find(reader);
      if (callers == nullptr) {
        inside = false;
        continue;
      }
      // What accumulates reads it; what finalises reads the sums alone.
      const auto call = static_cast<size_t>((*callers)[1] != 0 ? (*callers)[1] : (*callers)[0]) - 1;
      inside = inside && calls_[call].method != Method::kFinalise;
      read_by(call);
    }
    return inside;
  }

  [[nodiscard]] int64_t extent(const Line& t) const {
    return flow_.shape(t.first)[static_cast<size_t>(t.second)];
  }

  Clock clock() {
    int64_t first = std::numeric_limits<int64_t>::max(), last = std::numeric_limits<int64_t>::min();
    const auto lasts = [&](const Line& t) {
      const Beat& beat = phased_.at(t);
      first = std::min(first, ceil_div(beat.tiles - beat.phase, beat.rows));
      last = std::max(last, ceil_div(beat.tiles * extent(t) - beat.phase, beat.rows));
    };
    for (size_t c = 0; c < calls_.size(); ++c) {
      // What is computed again has no tiles but those of its readers.
      if (reduces_[c] || borders_[c] != Border::kRecompute) lasts(line(c));
    }
    Clock result{.tiles = last - first + 1, .calls = {}};
    for (size_t c = 0; c < calls_.size(); ++c) {
      Beat beat = phased_.at(line(c));
      beat.phase += beat.rows * first;
      if (reduces_[c]) beat.reach_back = 0;  // each position is added once
      result.calls.push_back(
          {line(c).second, beat, reduces_[c], reduces_[c] ? Border::kRoll : borders_[c]});
    }
    for (size_t c = 0; c < calls_.size(); ++c) {
      if (!reduces_[c]) result.calls[c].held = ring(result, c);
    }
    return result;
  }

  [[nodiscard]] int64_t ring(const Clock& clock, size_t c) const {
    int64_t most = 1;
    const bool inside = each_reader(c, [&](size_t reader, const Affine& pace) {
      most = std::max(most, held(clock.tiles, clock.calls[c].beat, extent(out(c)),
                                 clock.calls[reader].beat, extent(line(reader)), pace));
    });
    return inside ? std::min(most, extent(out(c))) : 0;
  }

  /// Positions between the last that is produced and the first that the reader still needs, at the
  /// most; of `made` and `read` positions in all.
  [[nodiscard]] static int64_t held(int64_t tiles, const Beat& from, int64_t made,
                                    const Beat& reader, int64_t read, const Affine& pace) {
    // Where nothing is cut off all repeats, and no more is held than there: one period is enough,
    // if there is one.
    const int64_t first_row = std::max<int64_t>(0, ceil_div(-pace.lo, pace.num));
    const int64_t first = std::max<int64_t>(
        0, 1 + ceil_div(first_row * reader.tiles - reader.phase + reader.reach_back, reader.rows));
    const int64_t last = first + std::lcm(from.tiles, reader.tiles * pace.den);
    const bool repeats =
        last <= tiles && from.end(last - 1) <= made && reader.begin(last - 1) < read;
    int64_t most = 0;
    for (int64_t tile = repeats ? first : 0; tile < (repeats ? last : tiles); ++tile) {
      const int64_t produced = std::min(from.end(tile), made);
      const int64_t next = std::max<int64_t>(reader.begin(tile), 0);
      if (next >= read) break;
      most = std::max(most, produced - std::max<int64_t>(first_read(pace, next), 0));
    }
    return most;
  }

  const Dataflow& flow_;
  const std::vector<InstanceCall>& calls_;
  const TileLoop& loop_;
  std::vector<bool> reduces_;                   ///< per call
  std::vector<ValueId> made_;                   ///< per call
  std::vector<Border> borders_;                 ///< per call, of what it makes
  std::vector<std::span<const ValueId>> read_;  ///< per call
  SmallMap<ValueId, int> inside_;               ///< made in the loop: axis along which it follows
  /// Number of an instance's call, from 1: what computes or finalises, what accumulates.
  SmallMap<InstanceId, std::array<int, 2>> caller_of_;
  Beats rates_;  ///< without phases; operands outside that follow, too
  Beats phased_;
};

}  // namespace

std::optional<Clock> clock_of(const Dataflow& dataflow, const std::vector<InstanceCall>& calls,
                              const TileLoop& loop) {
  return Derivation(dataflow, calls, loop).run();
}

}  // namespace thimble
