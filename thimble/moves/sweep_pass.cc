// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep_pass.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "thimble/moves/sweep_lead.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"

namespace thimble {
namespace {

/// What a choice for the value of the current position comes to, apart from what it asks of others.
struct PricedChoice {
  SweepChoice choice;
  int64_t bytes = 0;
  SweepTimes::Work work;
};

constexpr int64_t kLongestPeriod = 8;

/// A value that is read from some position on, and made before it.
struct OpenValue {
  ValueId value;
  SweepPace pace;      ///< at which rows are read
  int last = 0;        ///< position of its last reader
  bool rests = false;  ///< a reader does
};

/// An operand that follows both loops, by its number among the open values.
struct OpenOperand {
  size_t open;
  Affine rows, columns;
};

class SweepPass {
 public:
  SweepPass(const SweepOrder& order, SweepTimes& times, SweepClocks& clocks, const SweepTile& tile,
            SweepEnd& end)
      : all_(order),
        flow_(order.flow),
        times_(times),
        clocks_(clocks),
        end_(end),
        last_(clocks.last()),
        first_(clocks.first(tile)),
        axes_(tile.axes()),
        rows_(clocks.rows(tile)),
        columns_(clocks.columns(tile)),
        tile_(tile),
        by_macs_(order.options.most_recomputed_macs < kAnyMacs) {}

  void run() {
    if (rows_ == nullptr || (tile_.by_columns() && columns_ == nullptr)) return;
    for (const TiledCall& call : rows_->calls) period_ = std::lcm(period_, call.beat.tiles);
    if (tile_.by_columns()) {
      for (const TiledCall& call : columns_->calls)
        columns_period_ = std::lcm(columns_period_, call.beat.tiles);
    }
    if (period_ > kLongestPeriod || columns_period_ > kLongestPeriod) return;
    for (int p = clocks_.end() - 1; p > last_; --p)
      made_ += flow_.size_bytes(flow_.sums_of(all_.at(p).makes));
    labels_ = SweepLabels(0, period_, columns_period_);
    labels_.add({});
    choices_ = {-1};
    for (int p = last_; p >= first_ && labels_.size() > 0; --p) {
      if (!extend(p)) break;
      never_rests_ = never_rests_ || down(p).beat.tiles == 1;
      if (p + 1 < clocks_.end() && never_rests_) emit(p);
    }
  }

 private:
  using Kind = SweepChoice::Kind;

  /// Positions that a tile needs beyond those it makes, at the most. from: per tile of a period.
  [[nodiscard]] static int64_t back(const Beat& made, std::span<const int64_t> from) {
    int64_t window = 1;
    for (size_t tile = 0; tile < from.size(); ++tile)
      window = std::max(window, made.end(static_cast<int64_t>(tile)) - from[tile]);
    return window - ceil_div(made.rows, made.tiles);
  }
  /// Asks for what tiles of `reader` begin to read, from `reach_back` positions earlier.
  static void ask(std::span<int64_t> from, const Affine& pace, const Beat& reader,
                  int64_t reach_back) {
    int64_t tile = 0;
    for (int64_t& first : from)
      first = std::min(first, first_read(pace, reader.begin(tile++) - reach_back));
  }

  /// What of it is read inside, and outside. False where the run cannot be made longer by it.
  bool describe_readers(int p, SweptValue& made) const {
    bool inside = false, summed = false;
    made.full = flow_.is_output[made.value.index()];
    for (const InstanceId reader : flow_.readers[made.value.index()]) {
      const int at = all_.position[reader.index()];
      made.full = made.full || at >= clocks_.end() || at <= p;
      inside = inside || (at > p && at <= last_);
      summed = summed || (at > last_ && at < clocks_.end());
    }
    made.by_rows = clocks_.receives(p) || (summed && !made.full) || !tile_.by_columns();
    return inside || p == last_;
  }

  [[nodiscard]] const TiledCall& down(int p) const {
    return rows_->calls[static_cast<size_t>(p - first_)];
  }
  [[nodiscard]] const TiledCall& across(int p) const {
    return columns_->calls[static_cast<size_t>(p - first_) - clocks_.received_before(p, tile_)];
  }

  /// False where the run cannot be made longer by the instance.
  bool describe(int p, SweptValue& made) const {
    const Beat& rows = down(p).beat;
    if (down(p).axis != axes_.rows || (rows.tiles > 1 && rows.rows > 1)) return false;
    made.value = all_.at(p).makes;
    const Shape& shape = flow_.shape(made.value);
    if (!is_image(shape)) return false;
    made.beat = rows;
    made.height = shape[static_cast<size_t>(axes_.rows)];
    made.width = shape[static_cast<size_t>(axes_.columns)];
    made.pixel_bytes = shape[3] * size_bytes(flow_.graph.tensor(flow_.tensor(made.value)).type);
    if (!describe_readers(p, made)) return false;
    if (!tile_.by_columns() || clocks_.receives(p)) return true;
    if (across(p).axis != axes_.columns) return false;
    made.column_beat = across(p).beat;
    return true;
  }

  /// The open values without the one that is made at p, with what the instance there reads; false
  /// where they do not follow. `from_` has the old number of each that was open before.
  bool open_operands(int p, const SweptValue& made) {
    const Instance& instance = all_.at(p);
    before_ = open_;
    from_.clear();
    own_.reset();
    operands_.clear();
    open_.clear();
    for (size_t k = 0; k < before_.size(); ++k) {
      if (before_[k].value == made.value) {
        own_ = k;
        continue;
      }
      open_.push_back(before_[k]);
      from_.push_back(k);
    }
    const InstanceCall call = all_.call(p);
    for (size_t k = 0; k < instance.reads.size() && instance.op.valid(); ++k) {
      const ValueId v = instance.reads[k];
      const Connection* read =
          flow_.is_constant(v) ? nullptr : flow_.connection(call, k, axes_.rows);
      if (read == nullptr) continue;
      if (read->axis != axes_.rows || read->pace.den != 1) return false;
      auto at = std::ranges::find(open_, v, &OpenValue::value);
      const SweepPace pace = pace_of(made.beat, read->pace.num);
      if (at == open_.end()) at = open_.insert(at, {v, pace, p});
      at->rests = at->rests || made.beat.tiles > 1;
      if (at->pace != pace) return false;
      const Connection* along = flow_.connection(call, k, axes_.columns);
      operands_.push_back(
          {static_cast<size_t>(at - open_.begin()), read->pace,
           along == nullptr || along->axis != axes_.columns ? Affine{} : along->pace});
    }
    return true;
  }

  /// Every label, with the instance at position p as each of its choices.
  bool extend(int p) {
    SweptValue made;
    if (!describe(p, made) || !open_operands(p, made)) return false;
    const Instance& instance = all_.at(p);
    if (made.full) made_ += flow_.size_bytes(made.value);
    if (made.full && instance.op.valid() && is_image_by(axes_.rows, flow_, made.value))
      images_.push_back({made.value, made.height, made.width * made.pixel_bytes, made.beat});
    priced_.clear();
    once_ = instance.op.valid() ? macs(flow_.graph, flow_.graph.op(instance.op)) : 0;
    all_once_ += once_;
    SweepLabels next(open_.size(), period_, columns_period_);
    for (size_t label = 0; label < labels_.size(); ++label) {
      SweepChoice choice;
      if (own_) {
        const SweepDemand demand = labels_.demand(label, *own_);
        choice.back = back(made.beat, demand.rows());
        choice.back_columns = back(made.column_beat, demand.columns());
      }
      for (const Kind kind : {Kind::kKept, Kind::kRecomputeRows, Kind::kRecomputeAll}) {
        choice.kind = kind;
        if (is_worth(p, made, choice)) add(p, label, made, priced(p, made, choice), next);
      }
    }
    next.keep_best(static_cast<size_t>(all_.options.most_labels),
                   all_.options.most_recomputed_macs);
    choices_.clear();
    for (size_t label = 0; label < next.size(); ++label)
      choices_.push_back(end_.choose({next[label].before, next[label].kind}));
    labels_ = std::move(next);
    return true;
  }

  [[nodiscard]] bool is_worth(int p, const SweptValue& made, const SweepChoice& choice) const {
    const bool shares = choice.back > 0 || choice.back_columns > 0;
    // Where it rests, it would be computed again, too.
    const bool may_be_new = !made.full && !made.by_rows && made.beat.tiles == 1;
    const bool may_recompute = all_.options.recomputes && all_.at(p).op.valid();
    switch (choice.kind) {
      case Kind::kKept:
        if (made.rows() > 1 && own_ && before_[*own_].rests && tile_.by_columns() && !made.full &&
            !made.by_rows)
          return false;  // such a window has no form
        // What tiles do not share may as well be new in each.
        return shares || !may_be_new || made.column_beat.tiles > 1;
      case Kind::kRecomputeRows:
        return may_be_new && choice.back != 0 && may_recompute;
      case Kind::kRecomputeAll:
        return may_be_new && made.column_beat.tiles == 1 &&
               (!shares || (may_recompute && all_.options.recomputes_columns));
    }
    return false;
  }

  /// The label, with the choice for what is made at p.
  void add(int p, size_t from, const SweptValue& made, const PricedChoice& priced,
           SweepLabels& next) {
    const SweepChoice& choice = priced.choice;
    SweepLabel label = labels_[from];
    label.before = choices_[from];
    label.kind = choice.kind;
    label.macs += priced.work.macs;
    if (by_macs_ && label.macs - all_once_ > all_.options.most_recomputed_macs) return;
    for (size_t r = 0; r < label.with.size(); ++r) {
      const ScratchTime& more = priced.work.with[r];
      label.with[r].scratch_bytes = std::max(label.with[r].scratch_bytes, more.scratch_bytes);
      label.with[r].instructions += more.instructions;
    }
    int64_t here = 0;  // new in each tile, while this instance executes
    if (choice.kind == Kind::kRecomputeAll) {
      here = priced.bytes;
    } else {
      label.carried_bytes += priced.bytes;
    }
    set_demands(from, here, label, next);
    if (made_ + label.with.front().scratch_bytes + label.inner_bytes >= end_.budget_bytes(p))
      return;
    for (const OpenOperand& operand : operands_) {
      const SweepDemand demand = next.demand(next.size(), operand.open);
      ask(demand.rows(), operand.rows, made.beat, choice.recomputed_rows());
      ask(demand.columns(), operand.columns, made.column_beat, choice.recomputed_columns());
    }
    next.add(label);
  }

  /// What is asked of the open values but for operands of this instance, and the label's bytes.
  void set_demands(size_t from, int64_t here, SweepLabel& label, SweepLabels& next) {
    int64_t most_new = 0;
    if (own_) {  // what it outlived is outlived by the value before it, if there is one
      const int64_t outlived = labels_.demand(from, *own_).new_bytes() + here;
      if (*own_ == 0) label.past_bytes = std::max(label.past_bytes, outlived);
    }
    for (size_t k = open_.size(); k-- > 0;) {
      const SweepDemand demand = next.demand(next.size(), k);
      if (k < from_.size()) {
        std::ranges::copy(labels_.demand(from, from_[k]).numbers, demand.numbers.begin());
        // The value made here stays until its last reader has executed.
        if (own_ && k >= *own_) demand.new_bytes() += here;
        if (own_ && k + 1 == *own_)
          demand.new_bytes() =
              std::max(demand.new_bytes(), labels_.demand(from, *own_).new_bytes() + here);
      } else {
        std::ranges::fill(demand.numbers, std::numeric_limits<int64_t>::max());
        demand.new_bytes() = SweepDemand::kNoBytes;
      }
      if (k + 1 == open_.size()) demand.new_bytes() = std::max(demand.new_bytes(), here);
      most_new = std::max(most_new, demand.new_bytes());
    }
    if (open_.empty()) label.past_bytes = std::max(label.past_bytes, here);
    label.inner_bytes = label.carried_bytes + std::max(most_new, label.past_bytes);
  }

  const PricedChoice& priced(int p, const SweptValue& made, const SweepChoice& choice) {
    const auto known = std::ranges::find(priced_, choice, &PricedChoice::choice);
    if (known != priced_.end()) return *known;
    const SweptCall call{
        .position = p,
        .call = all_.call(p),
        .macs = once_,
        .outer = &down(p),
        .inner = tile_.by_columns() && all_.at(p).op.valid() ? &across(p) : nullptr,
        .executes = all_.at(p).op.valid(),
        .reads_whole = p == first_};
    const SweepTimes::Work& work = times_.work_of(call, made, choice);
    const int64_t bytes = made.full ? 0 : made.bytes(choice);
    return priced_.emplace_back(PricedChoice{choice, bytes, work});
  }

  /// What of the runs that begin at p may lie over what.
  struct Pair {
    size_t open;
    const WrittenImage* out;
    int64_t largest;  ///< bytes that they may share
  };
  [[nodiscard]] std::vector<Pair> pairs(int p) const {
    std::vector<Pair> result;
    for (size_t k = 0; k < open_.size(); ++k) {
      const ValueId in = open_[k].value;
      if (!is_image_by(axes_.rows, flow_, in)) continue;
      if (!std::ranges::binary_search(end_.consumed(p), in)) continue;
      for (const WrittenImage& out : images_)
        result.push_back({k, &out, std::min(all_.bytes.size(out.value), all_.bytes.size(in))});
    }
    return result;
  }

  [[nodiscard]] ReadImage read_image(size_t label, size_t open) {
    const ValueId value = open_[open].value;
    const int64_t height = flow_.shape(value)[static_cast<size_t>(axes_.rows)];
    return {height, all_.bytes.size(value) / height, open_[open].pace,
            labels_.demand(label, open).rows()};
  }

  /// The runs that begin at p.
  void emit(int p) {
    const std::vector<Pair> overlaps = pairs(p);
    const int64_t around = all_.bytes.held(p) + made_;
    for (size_t number = 0; number < labels_.size(); ++number) {
      const SweepLabel& label = labels_[number];
      SweepFound found{.bytes = around + label.inner_bytes,
                       .macs = label.macs,
                       .choice = choices_[number],
                       .overlap = {},
                       .tile = tile_};
      found.bytes -= overlap(p, number, overlaps, found);
      const int64_t without_scratch = found.bytes;
      int64_t scratch = -1;
      for (const ScratchTime& with : label.with) {
        if (with.scratch_bytes == scratch) continue;
        scratch = with.scratch_bytes;
        found.bytes = without_scratch + scratch;
        found.instructions = with.instructions;
        if (found.bytes < end_.most(p)) end_.find(p, found);
      }
    }
  }

  /// The bytes that the best overlap saves, and which one that is.
  int64_t overlap(int p, size_t label, const std::vector<Pair>& overlaps, SweepFound& found) {
    int64_t saved = 0;
    for (const auto& [k, out, sharing] : overlaps) {
      if (sharing <= saved || found.bytes - sharing >= end_.most(p)) continue;
      const int64_t ahead = sweep_lead(*out, read_image(label, k));
      const int64_t shared =
          overlap_bytes(all_.bytes.size(out->value), all_.bytes.size(open_[k].value), ahead);
      if (shared <= saved) continue;
      saved = shared;
      found.overlap = OverlapChoice{out->value, open_[k].value};
      found.lead_bytes = ahead;
    }
    return saved;
  }

  const SweepOrder& all_;
  const Dataflow& flow_;
  SweepTimes& times_;
  SweepClocks& clocks_;
  SweepEnd& end_;
  const int last_, first_;
  const SweepAxes axes_;
  const Clock *rows_, *columns_;
  const SweepTile tile_;
  const bool by_macs_;
  int64_t period_ = 1;                 ///< tiles of rows, after which all repeats
  int64_t columns_period_ = 1;         ///< likewise, of columns
  bool never_rests_ = false;           ///< some value makes rows in each tile
  int64_t made_ = 0;                   ///< bytes
  int64_t once_ = 0, all_once_ = 0;    ///< the network's MACs: of the current position; up to it
  std::vector<PricedChoice> priced_;   ///< of the current position
  std::vector<WrittenImage> images_;   ///< made in full
  std::vector<OpenValue> open_;        ///< last read first
  std::vector<OpenValue> before_;      ///< open before the current position
  std::vector<size_t> from_;           ///< per open value that was open before: its number then
  std::optional<size_t> own_;          ///< what is made at the current position, in before_
  std::vector<OpenOperand> operands_;  ///< of the current position
  SweepLabels labels_{0, 1, 1};        ///< from the current position on
  std::vector<int> choices_;           ///< of each, in end_
};

}  // namespace

void find_sweeps(const SweepOrder& order, SweepTimes& times, SweepClocks& clocks,
                 const SweepTile& tile, SweepEnd& end) {
  SweepPass(order, times, clocks, tile, end).run();
}

}  // namespace thimble
