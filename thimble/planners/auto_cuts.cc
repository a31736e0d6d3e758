// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto_cuts.h"

#include <algorithm>
#include <limits>
#include <set>

#include "thimble/moves/strips.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"

namespace thimble {
namespace {

constexpr int kMostWays = 16, kMostWaysOfSmall = 40;  // to execute what stands behind a position
constexpr size_t kSmall = 16;                         // instances, at effort 1
constexpr size_t kMany = 150;                         // likewise: fewer tiles are tried, no parts
constexpr size_t kLarge = 300;         // likewise: rolled groups are not searched for the front
constexpr size_t kMostInStrips = 150;  // sweeps each time, at effort 1
constexpr int kRoundsOfStrips = 3;
constexpr int64_t kLeastInStrips = 8;  // of a sweep, what strips can change is this part, or more
constexpr int kMostInParts = 24;       // windows each time, at effort 1
constexpr int kMostAtPeak = 12;
constexpr int kRoundsOfParts = 3;
constexpr int kReachOfParts = 32;   // instances around a peak
constexpr int64_t kMostBlocks = 4;  // each is written down
constexpr int kMostCuts = 400;      // of the operators behind a position, at effort 1

/// Of small networks all that may help; else those that did in others.
std::vector<SweepTile> sweep_tiles(size_t instances, int64_t effort) {
  const bool all = is_small(instances, effort);
  const bool few = has_many(instances, effort);
  std::vector<SweepTile> tiles;
  const auto add = [&](int64_t rows, int64_t columns, int64_t among) {
    tiles.push_back({.rows = rows, .columns = columns, .among = among});
  };
  for (const int64_t rows : {1, 2, 3, 4, 6, 8}) {
    for (const int64_t columns :
         {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, SweepTile::kAll}) {
      const bool usual = (rows == 1 || rows == 2 || rows == 4) && columns != 1 && columns != 4;
      const bool likely =
          rows == 1 || columns == SweepTile::kAll || (rows <= 4 && columns != 8) || columns == 0;
      if (all || (few ? usual : likely)) add(rows, columns, 1);
    }
  }
  for (const int64_t among : {2, 4, 8}) {
    for (const int64_t columns :
         {int64_t{0}, int64_t{1}, int64_t{2}, int64_t{4}, SweepTile::kAll}) {
      const bool usual = columns == 0 || columns == 2;
      if (all || (usual && !few && among == 2)) add(1, columns, among);
    }
  }
  return tiles;
}

/// Positions [begin, end) in parts: fewer bytes, or fewer instructions.
std::vector<MotesUnit> undominated_parts(MotesUnits& units, const Partitions& partitions, int begin,
                                         int end) {
  std::vector<Partition> parts = partitions.along_channels(begin, end);
  const auto add = [&](int64_t most, Windows windows) {
    std::ranges::move(partitions.along_rows(begin, end, most, windows), std::back_inserter(parts));
  };
  add(kMostBlocks, Windows::kBlocks);
  add(std::numeric_limits<int64_t>::max(), Windows::kRings);
  std::vector<MotesUnit> measured;
  for (Partition& part : parts) {
    if (std::optional<MotesUnit> unit = units.measured(std::move(part)))
      measured.push_back(std::move(*unit));
  }
  std::ranges::stable_sort(measured, {},
                           [](const MotesUnit& u) { return std::pair(u.bytes, u.instructions); });
  std::vector<MotesUnit> result;
  for (MotesUnit& unit : measured) {
    if (result.empty() || unit.instructions < result.back().instructions)
      result.push_back(std::move(unit));
  }
  return result;
}

/// Columns outside, rows within.
std::vector<SweepTile> turned_tiles() {
  std::vector<SweepTile> tiles;
  for (const int64_t columns : {1, 2, 4}) {
    for (const int64_t rows : {int64_t{0}, int64_t{2}, int64_t{8}, SweepTile::kAll})
      tiles.push_back({.rows = columns, .columns = rows, .turned = true});
  }
  return tiles;
}

bool has_wide_images(const Dataflow& flow) {
  return std::ranges::any_of(flow.instances.list, [&](const Instance& instance) {
    const Shape& shape = flow.shape(instance.makes);
    return is_image(shape) && shape[kColumnAxis] > shape[kRowAxis] && shape[kRowAxis] > 1;
  });
}

/// Whether an operator reads some rows of its operand only: what makes the others, and what that
/// reads, may be left out, to compute something else again.
bool leaves_out(const Dataflow& flow) {
  for (const Instance& instance : flow.instances.list) {
    for (size_t k = 0; k < instance.reads.size() && instance.op.valid(); ++k) {
      const Connection* read = flow.axes.connection(instance.op, k, kRowAxis);
      if (read != nullptr && read->pace.num > read->pace.hi - read->pace.lo + 1) return true;
    }
  }
  return false;
}

/// What is left of the MACs when each instance has executed once, or may be if rows are left out.
int64_t macs_again(const Dataflow& flow, int64_t most_macs) {
  if (most_macs == kAnyMacs) return kAnyMacs;
  int64_t once = 0;
  for (const Instance& instance : flow.instances.list)
    once += instance.op.valid() ? macs(flow.graph, flow.graph.op(instance.op)) : 0;
  return std::max<int64_t>(most_macs - once, 0) + (leaves_out(flow) ? once : 0);
}

FrontOverlap front_overlap(const OrderBytes& bytes, const OverlapChoice& choice,
                           int64_t lead_bytes) {
  return {static_cast<int>(choice.out.index()), static_cast<int>(choice.in.index()), lead_bytes,
          bytes.size(choice.in), bytes.lives().made[choice.in.index()]};
}

RolledPiece rolled_piece(const Sweeps& sweeps, const Sweep& sweep) {
  OrderPiece piece = sweeps.piece(sweep);
  RolledPiece result{.begin = sweep.begin,
                     .end = sweep.end,
                     .group = std::get<Group>(std::move(piece.members[0].what)),
                     .finalised = {},
                     .bytes = sweep.bytes,
                     .overlap = sweep.overlap,
                     .by_pixels = sweep.tile.columns != SweepTile::kAll};
  for (size_t k = 1; k < piece.members.size(); ++k)
    result.finalised.push_back(std::get<InstanceCall>(piece.members[k].what));
  return result;
}

}  // namespace

bool is_small(size_t instances, int64_t effort) {
  return instances <= kSmall * static_cast<size_t>(effort);
}

bool has_many(size_t instances, int64_t effort) {
  return instances > kMany * static_cast<size_t>(effort);
}

bool is_large(size_t instances, int64_t effort) {
  return instances > kLarge * static_cast<size_t>(effort);
}

AutoCuts::AutoCuts(ChannelGroups& channels, const OrderProblem& problem,
                   const std::vector<int>& order, LatencyEstimate& latency,
                   const AutoCutOptions& options)
    : flow_(channels.dataflow()),
      problem_(problem),
      order_(order),
      latency_(latency),
      options_(options),
      rolls_{.granularities = {Granularity::kRow, Granularity::kPixel},
             .rolls = {.in_place = options.in_place}},
      cuts_(channels, problem, order, rolls_),
      sweeps_(
          flow_, cuts_.rolls().bytes(), order, latency,
          {.in_place = options.in_place,
           .recomputes = options.most_macs > macs(flow_.graph) || leaves_out(flow_),
           .columns_again = !is_large(order.size(), options.effort),
           .most_macs_again = macs_again(flow_, options.most_macs),
           .most_instances = most_in_group(order.size()),
           .most_ways = is_small(order.size(), options.effort) ? kMostWaysOfSmall : kMostWays}) {
  add_single();
  add_swept();
}

int64_t AutoCuts::macs_of(InstanceId id) const {
  const OpId op = flow_.instances.instance(id).op;
  return op.valid() ? macs(flow_.graph, flow_.graph.op(op)) : 0;
}

double AutoCuts::instructions(const std::vector<Member>& members) const {
  double sum = 0;
  for (const Member& member : members) {
    if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
      sum += latency_.whole(*call, true);
    } else if (const auto derived = derive(flow_, std::get<Group>(member.what), Regions::kNone)) {
      sum += latency_.group(*derived);
    }
  }
  return sum;
}

/// While the instance at a position executes, its output apart from its operands.
int64_t AutoCuts::out_of_place_bytes(int at) const {
  const int instance = order_[static_cast<size_t>(at)];
  const OrderBytes& bytes = cuts_.rolls().bytes();
  return bytes.held(at) + problem_.ops[static_cast<size_t>(instance)].scratch_bytes +
         bytes.size(flow_.instances.instance({instance}).makes);
}

/// Whether a kernel of its own, which is slower, executes it in place (order_plan.h).
bool AutoCuts::in_place_kernel(InstanceId id) const {
  const OpId op = flow_.instances.instance(id).op;
  return op.valid() && has_kernel(flow_.graph, flow_.graph.op(op), Method::kInPlace);
}

void AutoCuts::add_single() {
  const std::vector<int64_t> apart = working_sets(problem_, order_);
  const Rolls& rolls = cuts_.rolls();
  for (int at = 0; at < static_cast<int>(order_.size()); ++at) {
    const auto p = static_cast<size_t>(at);
    if (rolls.single_bytes()[p] == Rolls::kImpossible) continue;
    const InstanceId id{order_[p]};
    const double time = latency_.whole({.instance = id}, false);
    FrontPiece piece{at, at + 1, apart[p], time, macs_of(id)};
    if (const int64_t room = out_of_place_bytes(at); room > apart[p] && in_place_kernel(id)) {
      piece.peak_bytes = room;
      pieces_.push_back(piece);
      ways_.emplace_back();
      piece.peak_bytes = apart[p];
      piece.time = latency_.whole({.instance = id, .method = Method::kInPlace}, false);
    }
    pieces_.push_back(piece);
    ways_.emplace_back();
    const auto over = rolls.single_overlap(at);
    if (!over) continue;
    pieces_.push_back(piece);
    pieces_.back().peak_bytes = rolls.single_bytes()[p];
    if (rolls.single_bytes()[p] < apart[p]) pieces_.back().time = time;
    pieces_.back().overlap = front_overlap(rolls.bytes(), over->first, over->second);
    ways_.emplace_back();
  }
}

void AutoCuts::add_swept() {
  std::vector<SweepTile> tiles = sweep_tiles(order_.size(), options_.effort);
  if (has_wide_images(flow_)) std::ranges::copy(turned_tiles(), std::back_inserter(tiles));
  for (int end = 1; end <= static_cast<int>(order_.size()) && !late(options_.time); ++end) {
    for (Sweep& sweep : sweeps_.ending_at(end, tiles, cuts_.rolls().single_bytes())) {
      pieces_.push_back({sweep.begin, sweep.end, sweep.bytes, sweep.instructions, sweep.macs});
      if (sweep.overlap)
        pieces_.back().overlap =
            front_overlap(cuts_.rolls().bytes(), *sweep.overlap, sweep.lead_bytes);
      ways_.emplace_back(std::move(sweep));
    }
  }
}

void AutoCuts::add_rolled() {
  static_cast<void>(cuts_.best(Rolls::kImpossible));
  for (const RolledPiece& piece : cuts_.candidates()) {
    FrontPiece costs{piece.begin, piece.end, piece.bytes};
    for (int p = piece.begin; p < piece.end; ++p)
      costs.macs += macs_of({order_[static_cast<size_t>(p)]});
    costs.time = instructions(piece.piece().members);
    pieces_.push_back(costs);
    ways_.emplace_back(piece);
    if (!piece.overlap) continue;
    // With the overlap, and apart, which asks for no room below what is consumed.
    const OrderBytes& bytes = cuts_.rolls().bytes();
    const int64_t shared = overlap_bytes(bytes.size(piece.overlap->out),
                                         bytes.size(piece.overlap->in), piece.lead_bytes);
    pieces_.back().overlap = front_overlap(bytes, *piece.overlap, piece.lead_bytes);
    costs.peak_bytes += shared;
    pieces_.push_back(costs);
    ways_.emplace_back(piece);
    std::get<RolledPiece>(ways_.back()).overlap.reset();
  }
}

std::vector<FrontCut> AutoCuts::cuts() const {
  const FrontCutOptions limits{.most_macs = options_.most_macs,
                               .most_time = std::numeric_limits<double>::infinity(),
                               .most_ways = kMostCuts * static_cast<int>(options_.effort)};
  return front_cuts(static_cast<int>(order_.size()), pieces_, limits);
}

/// Per position, whether the largest piece of a cut of the front begins there.
std::vector<bool> AutoCuts::begins_of_peaks() const {
  std::vector<bool> result(order_.size(), false);
  for (const FrontCut& cut : cuts()) {
    if (cut.pieces.empty()) continue;  // a network without operators
    const auto bytes = [&](int p) { return pieces_[static_cast<size_t>(p)].peak_bytes; };
    const int largest = *std::ranges::max_element(cut.pieces, {}, bytes);
    result[static_cast<size_t>(pieces_[static_cast<size_t>(largest)].begin)] = true;
  }
  return result;
}

/// The largest pieces of cuts of the front, each once, those of the most bytes first.
std::vector<FrontPiece> AutoCuts::peaks() const {
  std::vector<FrontPiece> result;
  for (const FrontCut& cut : cuts()) {
    if (cut.pieces.empty()) continue;
    const auto bytes = [&](int p) { return pieces_[static_cast<size_t>(p)].peak_bytes; };
    result.push_back(
        pieces_[static_cast<size_t>(*std::ranges::max_element(cut.pieces, {}, bytes))]);
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &FrontPiece::peak_bytes);
  const auto same = [](const FrontPiece& a, const FrontPiece& b) {
    return a.begin == b.begin && a.end == b.end;
  };
  result.erase(std::unique(result.begin(), result.end(), same), result.end());
  return result;
}

void AutoCuts::add_part(const MotesUnit& unit) {
  const Partition& parts = unit.partition;
  RolledPiece piece{.begin = parts.begin,
                    .end = parts.end,
                    .group = parts.group,
                    .finalised = parts.finalised,
                    .bytes = unit.bytes,
                    .overlap = unit.overlap,
                    .lead_bytes = unit.lead_bytes,
                    .in_slices = parts.by_channels};
  FrontPiece costs{parts.begin, parts.end, unit.bytes, unit.instructions};
  for (int p = parts.begin; p < parts.end; ++p)
    costs.macs += macs_of({order_[static_cast<size_t>(p)]});
  if (unit.overlap)
    costs.overlap = front_overlap(cuts_.rolls().bytes(), *unit.overlap, unit.lead_bytes);
  pieces_.push_back(costs);
  ways_.emplace_back(std::move(piece));
}

void AutoCuts::add_parts() {
  const Rolls& rolls = cuts_.rolls();
  const auto count = static_cast<int>(order_.size());
  MotesUnits units(flow_, rolls, order_, latency_, options_.in_place);
  const Partitions partitions(flow_, rolls, order_);
  std::set<std::pair<int, int>> tried;
  for (int round = 0; round < kRoundsOfParts; ++round) {
    const size_t before = pieces_.size();
    int windows = kMostInParts * static_cast<int>(options_.effort);
    for (const FrontPiece& peak : peaks()) {
      const int first = peak.begin, last = peak.end;
      const int64_t below = peak.peak_bytes;
      int here = kMostAtPeak;
      const int distance = kReachOfParts + last - first;
      for (const int begin : held_steps(rolls.bytes(), count, last - 1, -1, distance, below)) {
        for (const int end : held_steps(rolls.bytes(), count, first + 1, 1, distance, below)) {
          if (begin >= end || windows == 0 || here == 0 || late(options_.time)) continue;
          if (units.least_bytes(begin, end) >= below || !tried.insert({begin, end}).second)
            continue;
          --windows, --here;
          for (const MotesUnit& unit : undominated_parts(units, partitions, begin, end)) {
            if (unit.bytes < below) add_part(unit);
          }
        }
      }
    }
    if (pieces_.size() == before) break;
  }
}

void AutoCuts::add_in_strips(const RolledPiece& sweep, int64_t strips) {
  const std::optional<Group> group = in_strips(flow_, sweep.group, strips);
  const std::optional<Derived> derived = group ? derive(flow_, *group) : std::nullopt;
  if (!derived) return;
  RolledPiece piece = sweep;
  piece.group = *group;
  piece.overlap.reset();
  piece.bytes = cuts_.rolls().bytes().group(sweep.begin, group_bytes(flow_, *derived));
  const FrontPiece costs{piece.begin, piece.end, piece.bytes, latency_.group(*derived),
                         work(flow_, *derived).macs};
  if (costs.macs > options_.most_macs || costs.peak_bytes >= sweep.bytes) return;
  pieces_.push_back(costs);
  ways_.emplace_back(std::move(piece));
}

void AutoCuts::add_strips() {
  if (options_.most_macs <= macs(flow_.graph)) return;
  const OrderBytes& bytes = cuts_.rolls().bytes();
  std::vector<bool> tried(ways_.size(), false);
  for (int round = 0; round < kRoundsOfStrips; ++round) {
    const std::vector<bool> peaks = begins_of_peaks();
    std::vector<size_t> sweeps;
    for (size_t w = 0; w < tried.size(); ++w) {
      const auto* sweep = std::get_if<Sweep>(&ways_[w]);
      if (tried[w] || sweep == nullptr || sweep->tile.columns == SweepTile::kAll) continue;
      // What strips cannot change: what is there before, and what comes out.
      const InstanceId last{order_[static_cast<size_t>(sweep->end) - 1]};
      const int64_t around =
          bytes.held(sweep->begin) + bytes.size(flow_.instances.instance(last).makes);
      const auto end = peaks.begin() + sweep->end;
      if ((sweep->bytes - around) * kLeastInStrips < sweep->bytes) continue;
      if (std::find(peaks.begin() + sweep->begin, end, true) != end) sweeps.push_back(w);
    }
    const size_t before = pieces_.size();
    std::ranges::stable_sort(sweeps, {}, [&](size_t w) { return pieces_[w].peak_bytes; });
    sweeps.resize(std::min(sweeps.size(), kMostInStrips * static_cast<size_t>(options_.effort)));
    for (const size_t w : sweeps) {
      tried[w] = true;
      const RolledPiece piece = rolled_piece(sweeps_, std::get<Sweep>(ways_[w]));
      if (!piece.finalised.empty()) continue;
      for (const int64_t strips : {2, 3, 4}) add_in_strips(piece, strips);
    }
    if (pieces_.size() == before) break;
  }
}

std::vector<AutoCut> AutoCuts::front() const {
  std::vector<AutoCut> result;
  for (const FrontCut& found : cuts()) {
    std::vector<RolledPiece> chosen;
    for (const int p : found.pieces) {
      const auto& way = ways_[static_cast<size_t>(p)];
      if (const auto* rolled = std::get_if<RolledPiece>(&way)) chosen.push_back(*rolled);
      if (const auto* sweep = std::get_if<Sweep>(&way))
        chosen.push_back(rolled_piece(sweeps_, *sweep));
    }
    result.push_back({cuts_.with(std::move(chosen), found.peak_bytes), found.macs, found.time});
  }
  return result;
}

}  // namespace thimble
