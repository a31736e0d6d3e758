// SPDX-License-Identifier: Apache-2.0
#include "thimble/moves/sweep.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "thimble/moves/sweep_clocks.h"
#include "thimble/moves/sweep_value.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"

namespace thimble {
namespace {

size_t index_of(int at) { return static_cast<size_t>(at); }

/// Of each begin, leaves those that no other is as good as.
void erase_worse(std::vector<Sweep>& sweeps) {
  std::ranges::stable_sort(sweeps, {}, [](const Sweep& s) {
    return std::tuple(s.begin, s.bytes, s.instructions, s.macs);
  });
  std::vector<Sweep> best;
  size_t same = 0;  // of this begin, the first of the best
  for (Sweep& sweep : sweeps) {
    if (!best.empty() && best.back().begin != sweep.begin) same = best.size();
    const bool worse =
        std::any_of(best.begin() + static_cast<ptrdiff_t>(same), best.end(), [&](const Sweep& b) {
          return b.instructions <= sweep.instructions && b.macs <= sweep.macs;
        });
    if (!worse) best.push_back(std::move(sweep));
  }
  sweeps = std::move(best);
}

/// Copies between kept rows and a window: instructions of a call, a pixel and a byte, about.
constexpr int64_t kLongestPeriod = 8;

/// So many rows for so many tiles.
struct Pace {
  int64_t rows = 1, tiles = 1;
  bool operator==(const Pace&) const = default;
};
/// At which rows are read: so many for each that the reader makes.
Pace pace_of(const Beat& reader, int64_t each) {
  const int64_t divisor = std::gcd(reader.rows * each, reader.tiles);
  return {reader.rows * each / divisor, reader.tiles / divisor};
}

constexpr double kCopyCall = 180, kCopyPixel = 38, kCopyByte = 3;

}  // namespace

/// One end and one tile.
class Sweeps::Pass {
 public:
  Pass(const Sweeps& sweeps, SweepClocks& runs, const SweepTile& tile,
       const std::vector<int64_t>& otherwise_bytes)
      : all_(sweeps),
        flow_(sweeps.flow_),
        runs_(runs),
        end_(runs.end()),
        last_(runs.last()),
        first_(runs.first(tile)),
        rows_(runs.rows(tile)),
        columns_(runs.columns(tile)),
        tile_(tile),
        otherwise_(otherwise_bytes) {}

  std::vector<Sweep> run() {
    if (rows_ == nullptr || (by_columns() && columns_ == nullptr)) return {};
    for (const TiledCall& call : rows_->calls) period_ = std::lcm(period_, call.beat.tiles);
    if (period_ > kLongestPeriod) return {};
    worst_ = std::ranges::max(otherwise_);
    int64_t most = 0;  // bytes that one of the instances needs otherwise
    for (int p = end_ - 1; p > last_; --p) {
      most = std::max(most, otherwise_[index_of(p)]);
      made_ += flow_.size_bytes(flow_.sums_of(all_.at(p).makes));
    }
    pool_.push_back({});
    ways_ = {0};
    for (int p = last_; p >= first_ && !ways_.empty(); --p) {
      most = std::max(most, otherwise_[index_of(p)]);
      if (!extend(p)) break;
      const Beat& beat = rows_->calls[index_of(p - first_)].beat;
      never_rests_ = never_rests_ || beat.tiles == 1;
      if (p + 1 < end_ && never_rests_) emit(p, most);
    }
    return std::move(found_);
  }

 private:
  using Kind = SweepChoice::Kind;

  /// A choice for each value made from some position on.
  struct Way {
    int64_t carried_bytes = 0;  ///< rings, kept rows and windows that live as long as the loops
    std::vector<int64_t> new_bytes;  ///< per instance, last first: of what is new in each tile
    int64_t macs = 0;
    double instructions = 0;
    int before = -1;  ///< the way that it goes on from, with one instance less
    Kind kind = Kind::kKept;
    /// Per open value and tile of a period: the first row that is needed.
    std::vector<int64_t> from;
    std::vector<int64_t> from_columns;  ///< per open value: the first that tile 0 needs

    [[nodiscard]] int64_t inner_bytes() const {
      return carried_bytes + (new_bytes.empty() ? 0 : std::ranges::max(new_bytes));
    }
  };

  /// A value that is read from some position on, and made before it.
  struct Open {
    ValueId value;
    Pace pace;                  ///< at which rows are read
    int last = 0;               ///< position of its last reader
    bool whole_columns = true;  ///< readers make as many in each tile
    bool rests = false;         ///< a reader does
  };

  /// Rows that a tile needs beyond those it makes, at the most. from: per tile of a period.
  [[nodiscard]] int64_t rows_back(const SweptValue& made, const int64_t* from) const {
    int64_t window = std::numeric_limits<int64_t>::min();
    for (int64_t tile = 0; tile < period_; ++tile)
      window = std::max(window, made.beat.end(tile) - from[tile]);
    return std::max(window, int64_t{1}) - made.rows();
  }

  [[nodiscard]] bool by_columns() const { return tile_.columns != SweepTile::kAll; }

  /// False where the run cannot be made longer by the instance.
  bool describe(int p, SweptValue& made) {
    const Instance& instance = all_.at(p);
    const TiledCall& down = rows_->calls[index_of(p - first_)];
    if (down.axis != kRowAxis || (down.beat.tiles > 1 && down.beat.rows > 1)) return false;
    const Shape& shape = flow_.shape(instance.makes);
    if (!is_image(shape)) return false;
    made.value = instance.makes;
    made.beat = down.beat;
    made.height = shape[kRowAxis];
    made.width = shape[kColumnAxis];
    made.pixel_bytes = shape[3] * size_bytes(flow_.graph.tensor(flow_.tensor(made.value)).type);
    bool inside = false, summed = false;
    made.full = flow_.is_output[made.value.index()];
    for (const InstanceId reader : flow_.readers[made.value.index()]) {
      const int at = all_.position_[reader.index()];
      made.full = made.full || at >= end_ || at <= p;
      inside = inside || (at > p && at <= last_);
      summed = summed || (at > last_ && at < end_);
    }
    if (!inside && p != last_) return false;
    made.by_rows = runs_.receives(p) || (summed && !made.full) || !by_columns();
    made.row_tiles = ceil_div(made.height, made.rows());
    made.column_tiles = 1;
    made.columns = SweepTile::kAll;
    made.held = made.width;
    if (!by_columns() || runs_.receives(p)) return true;
    const TiledCall& across = columns_->calls[index_of(p - first_) - runs_.received_before(p)];
    if (across.axis != kColumnAxis) return false;
    made.columns = ceil_div(across.beat.rows, across.beat.tiles);
    made.column_tiles = ceil_div(made.width * across.beat.tiles, across.beat.rows);
    made.column_tiles = std::min(made.column_tiles, made.width);
    made.held = std::min(std::max(across.held, made.columns), made.width);
    made.whole_columns = across.beat.tiles == 1;
    made.first_column = across.beat.begin(0);
    return true;
  }

  /// Every way, with the instance at position p as each of its choices.
  bool extend(int p) {
    SweptValue made;
    if (!describe(p, made)) return false;
    times_.clear();
    const Instance& instance = all_.at(p);
    const InstanceCall call{.instance = {all_.order_[index_of(p)]}};
    // Operands, and where the open values stand now.
    struct Demand {
      size_t open;
      Affine rows, columns;
    };
    std::vector<Open> open;
    std::vector<size_t> from;  // per open value: its old number
    std::optional<size_t> own;
    for (size_t k = 0; k < open_.size(); ++k) {
      if (open_[k].value == made.value) {
        own = k;
        continue;
      }
      open.push_back(open_[k]);
      from.push_back(k);
    }
    std::vector<Demand> operands;
    for (size_t k = 0; k < instance.reads.size() && instance.op.valid(); ++k) {
      const ValueId v = instance.reads[k];
      const Connection* read = flow_.is_constant(v) ? nullptr : flow_.connection(call, k, kRowAxis);
      if (read == nullptr) continue;
      const Connection* across = flow_.connection(call, k, kColumnAxis);
      if (read->axis != kRowAxis || read->pace.den != 1) return false;
      auto at = std::ranges::find(open, v, &Open::value);
      const Pace pace = pace_of(made.beat, read->pace.num);
      if (at == open.end()) at = open.insert(at, {v, pace, p});
      at->whole_columns = at->whole_columns && made.whole_columns;
      at->rests = at->rests || made.beat.tiles > 1;
      if (at->pace != pace) return false;
      operands.push_back(
          {static_cast<size_t>(at - open.begin()), read->pace,
           across == nullptr || across->axis != kColumnAxis ? Affine{} : across->pace});
    }
    if (made.full) made_ += flow_.size_bytes(made.value);
    if (made.full && instance.op.valid() && row_major(made.value))
      outs_.push_back({made.value, made.beat});
    if (instance.op.valid()) scratch_ = std::max(scratch_, flow_.scratch_bytes(call));
    std::vector<int> next;
    const bool may_again = all_.options_.recomputes && instance.op.valid();
    const int64_t network_macs =
        instance.op.valid() ? macs(flow_.graph, flow_.graph.op(instance.op)) : 0;
    if (own) made.whole_columns = made.whole_columns && open_[*own].whole_columns;
    const bool rests = made.beat.tiles > 1;
    // The value stays until its last reader has executed: so many instances later.
    const auto later = static_cast<size_t>(own ? open_[*own].last - p : 0);
    for (const int before : ways_) {
      const Way& old = pool_[index_of(before)];
      SweepChoice choice;
      if (own) {
        choice.back = rows_back(made, &old.from[*own * index_of(period_)]);
        choice.back_columns = made.first_column - old.from_columns[*own];
      }
      for (const Kind kind : {Kind::kKept, Kind::kRowsAgain, Kind::kAllAgain}) {
        choice.kind = kind;
        const bool shares = choice.back > 0 || choice.back_columns > 0;
        if (kind != Kind::kKept && (made.full || made.by_rows || (shares && !may_again))) continue;
        if (kind == Kind::kRowsAgain && choice.back == 0) continue;
        if (kind == Kind::kAllAgain &&
            (!made.whole_columns || (shares && !all_.options_.columns_again)))
          continue;
        if (kind != Kind::kKept && rests) continue;  // it would be computed where it rests, too
        if (kind == Kind::kKept && made.rows() > 1 && own && open_[*own].rests && by_columns() &&
            !made.full && !made.by_rows)
          continue;  // such a window has no form
        // What tiles do not share may as well be new in each.
        const bool may_be_new = made.whole_columns && !made.full && !made.by_rows && !rests;
        if (kind == Kind::kKept && !shares && may_be_new) continue;
        Way way = pool_[index_of(before)];
        way.before = before;
        way.kind = kind;
        way.new_bytes.push_back(0);
        const int64_t bytes = made.full ? 0 : made.bytes(choice);
        if (kind == Kind::kAllAgain) {
          for (size_t k = 0; k <= later; ++k) way.new_bytes[way.new_bytes.size() - 1 - k] += bytes;
        } else {
          way.carried_bytes += bytes;
        }
        way.macs += made.macs(choice, network_macs);
        way.instructions += instructions(p, made, choice);
        const int64_t first_column = made.first_column - choice.columns_again();
        const size_t period = index_of(period_);
        std::vector<int64_t> rows(open.size() * period, std::numeric_limits<int64_t>::max());
        std::vector<int64_t> columns(open.size(), std::numeric_limits<int64_t>::max());
        for (size_t k = 0; k < from.size(); ++k) {
          std::copy_n(&way.from[from[k] * period], period, &rows[k * period]);
          columns[k] = way.from_columns[from[k]];
        }
        for (const Demand& operand : operands) {
          for (int64_t tile = 0; tile < period_; ++tile) {
            int64_t& row = rows[operand.open * period + index_of(tile)];
            row = std::min(row,
                           first_read(operand.rows, made.beat.begin(tile) - choice.rows_again()));
          }
          int64_t& column = columns[operand.open];
          column = std::min(column, first_read(operand.columns, first_column));
        }
        way.from = std::move(rows);
        way.from_columns = std::move(columns);
        if (way.inner_bytes() >= worst_) continue;
        next.push_back(static_cast<int>(pool_.size()));
        pool_.push_back(std::move(way));
      }
    }
    open_ = std::move(open);
    ways_ = without_worse(std::move(next));
    return true;
  }

  /// Of all calls of the instance, and of the copies of what is kept.
  [[nodiscard]] double instructions(int p, const SweptValue& made, const SweepChoice& choice) {
    if (!all_.at(p).op.valid()) return 0;
    if (const auto known = times_.find(choice); known != times_.end()) return known->second;
    LoopAround rows{rows_->calls[index_of(p - first_)], rows_->tiles};
    rows.tile.beat.again = choice.rows_again();
    std::vector<LoopAround> loops = {rows};
    if (by_columns()) {
      loops.push_back(
          {columns_->calls[index_of(p - first_) - runs_.received_before(p)], columns_->tiles});
      loops.back().tile.beat.again = choice.columns_again();
    }
    const bool again = choice.kind != Kind::kKept;
    const Lies inside = choice.kind == Kind::kAllAgain      ? Lies::kTile
                        : !by_columns() || made.rows() == 1 ? Lies::kRing
                                                            : Lies::kWindow;
    double result =
        all_.latency_.tiled({.instance = {all_.order_[index_of(p)]}}, loops,
                            p == first_ ? Lies::kWhole : inside, made.full ? Lies::kWhole : inside);
    if (!again && choice.back > 0 && !made.by_rows && !made.full && made.rows() > 1) {
      const auto pixels = static_cast<double>(choice.back * made.columns);
      result +=
          2 * static_cast<double>(made.row_tiles * made.column_tiles) *
          (kCopyCall + pixels * (kCopyPixel + kCopyByte * static_cast<double>(made.pixel_bytes)));
    }
    return times_[choice] = result;
  }

  [[nodiscard]] static bool no_worse(const Way& a, const Way& b) {
    if (a.inner_bytes() > b.inner_bytes() || a.carried_bytes > b.carried_bytes || a.macs > b.macs ||
        a.instructions > b.instructions)
      return false;
    for (size_t k = 0; k < a.from.size(); ++k) {
      if (a.from[k] < b.from[k]) return false;
    }
    for (size_t k = 0; k < a.from_columns.size(); ++k) {
      if (a.from_columns[k] < b.from_columns[k]) return false;
    }
    return true;
  }

  /// Those that no other is as good as; not too many of them.
  std::vector<int> without_worse(std::vector<int> ways) const {
    const auto way = [&](int number) -> const Way& { return pool_[index_of(number)]; };
    std::ranges::stable_sort(ways, {}, [&](int w) {
      return std::tuple(way(w).inner_bytes(), way(w).macs, way(w).instructions);
    });
    std::vector<int> best;
    for (const int w : ways) {
      if (std::ranges::none_of(best, [&](int b) { return no_worse(way(b), way(w)); }))
        best.push_back(w);
    }
    const auto most = static_cast<size_t>(all_.options_.most_ways);
    if (best.size() <= most) return best;
    std::vector<int> some;  // from the fewest bytes to the most
    for (size_t k = 0; k < most; ++k) some.push_back(best[k * (best.size() - 1) / (most - 1)]);
    return some;
  }

  /// The most that bytes of `out` written run ahead of bytes of the open value still needed, by
  /// rows and tiles.
  struct Out {
    ValueId value;
    Beat beat;
  };
  /// from: per tile of a period.
  [[nodiscard]] int64_t lead(const Out& out, const Open& in, const int64_t* from) const {
    int64_t most = std::numeric_limits<int64_t>::min();
    for (int64_t tile = 0; tile < period_; ++tile) {
      most = std::max(most, lead_at(out, in, tile, from[tile]));
    }
    return most;
  }
  /// Of each tile that is as many periods later or earlier.
  [[nodiscard]] int64_t lead_at(const Out& out, const Open& in, int64_t tile, int64_t from) const {
    const int64_t out_rows = out.beat.rows * period_ / out.beat.tiles;
    const int64_t in_rows = in.pace.rows * period_ / in.pace.tiles;
    const int64_t end = out.beat.end(tile);
    const Shape& to = flow_.shape(out.value);
    const Shape& of = flow_.shape(in.value);
    const int64_t out_row = all_.bytes_.size(out.value) / to[kRowAxis];
    const int64_t in_row = all_.bytes_.size(in.value) / of[kRowAxis];
    int64_t most = -all_.bytes_.size(in.value);
    const int64_t first = ceil_div(1 - end, out_rows);
    const int64_t last = ceil_div(of[kRowAxis] - from, in_rows) - 1;
    // Concave in the tile: the most is at an end, or where one of the two is cut off.
    const int64_t all_written = floor_div(to[kRowAxis] - end, out_rows);
    const int64_t none_read = floor_div(-from, in_rows);
    for (const int64_t at : {first, last, all_written, all_written + 1, none_read, none_read + 1}) {
      if (at < first || at > last) continue;
      const int64_t written = std::min(end + out_rows * at, to[kRowAxis]);
      const int64_t read = std::max<int64_t>(from + in_rows * at, 0);
      most = std::max(most, written * out_row - read * in_row);
    }
    return most;
  }

  [[nodiscard]] bool row_major(ValueId v) const {
    return flow_.instances.value(v).axis_order.empty() && is_image(flow_.shape(v)) &&
           flow_.shape(v)[0] == 1;
  }

  /// The runs that begin at p.
  void emit(int p, int64_t most) {
    const std::vector<ValueId> consumed = all_.bytes_.consumed(p, end_);
    struct Pair {
      size_t open;
      const Out* out;
      int64_t largest;  ///< bytes that they may share
    };
    std::vector<Pair> pairs;
    for (size_t k = 0; k < open_.size() && all_.options_.in_place; ++k) {
      const ValueId in = open_[k].value;
      if (!std::ranges::binary_search(consumed, in) || !row_major(in)) continue;
      for (const Out& out : outs_)
        pairs.push_back({k, &out, std::min(all_.bytes_.size(out.value), all_.bytes_.size(in))});
    }
    const int64_t around = all_.bytes_.held(p) + made_ + scratch_;
    const auto largest = std::ranges::max_element(pairs, {}, &Pair::largest);
    if (around - (largest == pairs.end() ? 0 : largest->largest) >= most) return;
    std::vector<std::pair<Sweep, int>> runs;
    for (const int number : ways_) {
      const Way& way = pool_[index_of(number)];
      Sweep run{.begin = p,
                .end = end_,
                .tile = tile_,
                .again = {},
                .overlap = {},
                .bytes = around + way.inner_bytes(),
                .macs = way.macs,
                .instructions = way.instructions};
      int64_t saved = 0;
      for (const auto& [k, out, sharing] : pairs) {
        if (sharing <= saved || run.bytes - sharing >= most) continue;
        const int64_t ahead = lead(*out, open_[k], &way.from[k * index_of(period_)]);
        const int64_t shared =
            overlap_bytes(all_.bytes_.size(out->value), all_.bytes_.size(open_[k].value), ahead);
        if (shared <= saved) continue;
        saved = shared;
        run.overlap = OverlapChoice{out->value, open_[k].value};
        run.lead_bytes = ahead;
      }
      run.bytes -= saved;
      if (run.bytes < most) runs.emplace_back(std::move(run), number);
    }
    for (auto& [run, number] : runs) {
      for (int w = number, at = p; w > 0; w = pool_[index_of(w)].before, ++at) {
        const Kind kind = pool_[index_of(w)].kind;
        if (kind != Kind::kKept) run.again.push_back(all_.at(at).makes);
        if (kind == Kind::kAllAgain) run.columns_again.push_back(all_.at(at).makes);
      }
      found_.push_back(std::move(run));
    }
  }

  const Sweeps& all_;
  const Dataflow& flow_;
  SweepClocks& runs_;
  const int end_, last_, first_;
  const Clock *rows_, *columns_;
  const SweepTile tile_;
  const std::vector<int64_t>& otherwise_;
  int64_t period_ = 1;        ///< tiles of rows, after which all repeats
  bool never_rests_ = false;  ///< some value makes rows in each tile
  int64_t worst_ = 0, made_ = 0, scratch_ = 0;
  std::map<SweepChoice, double> times_;  ///< instructions() of the current position
  std::vector<Out> outs_;                ///< made full, row-major
  std::vector<Open> open_;
  std::vector<Way> pool_;
  std::vector<int> ways_;  ///< in the pool: of the current position
  std::vector<Sweep> found_;
};

Sweeps::Sweeps(const Dataflow& dataflow, const OrderBytes& bytes, const std::vector<int>& order,
               LatencyEstimate& latency, const SweepOptions& options)
    : flow_(dataflow),
      bytes_(bytes),
      order_(order),
      latency_(latency),
      options_(options),
      position_(order.size()) {
  for (size_t p = 0; p < order.size(); ++p) position_[index_of(order[p])] = static_cast<int>(p);
}

std::vector<Sweep> Sweeps::ending_at(int end, const std::vector<SweepTile>& tiles,
                                     const std::vector<int64_t>& otherwise_bytes) const {
  SweepClocks clocks(flow_, order_, end, options_.most_instances);
  std::vector<Sweep> result;
  for (const SweepTile& tile : tiles)
    std::ranges::move(Pass(*this, clocks, tile, otherwise_bytes).run(), std::back_inserter(result));
  erase_worse(result);
  return result;
}

OrderPiece Sweeps::piece(const Sweep& sweep) const {
  SweepClocks clocks(flow_, order_, sweep.end, options_.most_instances);
  const int last = clocks.last();
  const ValueId paced = at(last).makes;
  Group rows{.loop = *clocks.row_loop(sweep.begin, sweep.tile)};
  Group columns{.loop = {.paced = paced, .axis = kColumnAxis, .step = sweep.tile.columns}};
  for (const ValueId v : sweep.again) rows.loop.others.emplace_back(v, Border::kAgain);
  for (const ValueId v : sweep.columns_again) columns.loop.others.emplace_back(v, Border::kAgain);
  const bool by_columns = sweep.tile.columns != SweepTile::kAll;
  OrderPiece result{.begin = sweep.begin, .end = sweep.end, .members = {}};
  for (int p = sweep.begin; p <= last; ++p) {
    const InstanceCall call{.instance = {order_[index_of(p)]}};
    const bool inside = by_columns && !flow_.instances.receives(at(p));
    (inside ? columns : rows).members.push_back({call});
  }
  if (by_columns) rows.members.push_back({std::move(columns)});
  std::vector<Member> finalised;
  for (int p = last + 1; p < sweep.end; ++p) {
    const InstanceId id{order_[index_of(p)]};
    rows.members.push_back({InstanceCall{id, Method::kAccumulate, {}}});
    finalised.push_back({InstanceCall{id, Method::kFinalise, {}}});
  }
  result.members.push_back({std::move(rows)});
  std::ranges::move(finalised, std::back_inserter(result.members));
  return result;
}

}  // namespace thimble
