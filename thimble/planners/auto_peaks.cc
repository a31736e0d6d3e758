// SPDX-License-Identifier: Apache-2.0
// What is tried only where cuts of the front have their peaks: sweeps in strips, runs in parts.
#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "thimble/moves/strips.h"
#include "thimble/operators/operators.h"
#include "thimble/planners/auto_cuts.h"
#include "thimble/search/pareto.h"

namespace thimble {
namespace {

/// Positions [begin, end) in parts: fewer bytes, or fewer instructions.
std::vector<GroupCandidate> undominated_parts(MotesUnits& units, const Partitions& partitions,
                                              int begin, int end, int64_t blocks) {
  std::vector<GroupCandidate> parts = partitions.along_channels(begin, end);
  const auto add = [&](int64_t most, Windows windows) {
    std::ranges::move(partitions.along_rows(begin, end, most, windows), std::back_inserter(parts));
  };
  add(blocks, Windows::kBlocks);
  add(std::numeric_limits<int64_t>::max(), Windows::kRings);
  std::vector<GroupCandidate> measured;
  for (GroupCandidate& part : parts) {
    if (std::optional<GroupCandidate> unit = units.measured(std::move(part)))
      measured.push_back(std::move(*unit));
  }
  return pareto(
      std::move(measured), [](const GroupCandidate& u) { return u.bytes; },
      [](const GroupCandidate& u) { return u.instructions(); });
}

/// What tells sweeps apart, whatever the scratch of their kernels.
using SweepShape = std::tuple<int, int, int64_t, int64_t, int64_t, bool, std::vector<ValueId>,
                              std::vector<ValueId>>;
SweepShape shape_of(const Sweep& s) {
  return {s.begin,       s.end,        s.tile.rows,         s.tile.columns, s.tile.period_tiles,
          s.tile.turned, s.recomputed, s.recomputed_columns};
}

}  // namespace

/// Per position, whether the largest piece of a cut of the front begins there.
std::vector<bool> AutoCuts::begins_of_peaks() const {
  std::vector<bool> result(order_.size(), false);
  for (const FrontCut& cut : cuts(options_.effort.cuts_of_peaks)) {
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
  for (const FrontCut& cut : cuts(options_.effort.cuts_of_peaks)) {
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

void AutoCuts::add_part(GroupCandidate parts) {
  parts.in_slices = parts.by_channels;
  FrontPiece costs{parts.begin, parts.end, parts.bytes, 0, macs_between(parts.begin, parts.end)};
  if (parts.overlap) costs.overlap = front_overlap(*parts.overlap, parts.lead_bytes);
  const PieceTimes times = parts.times;
  add(costs, times, parts);
}

void AutoCuts::add_parts() {
  const Effort& effort = options_.effort;
  const RolledGroups& rolls = cuts_.rolls();
  const auto count = static_cast<int>(order_.size());
  MotesUnits units(flow_, rolls, order_, latency_, options_.in_place);
  const Partitions partitions(flow_, rolls, order_);
  std::set<std::pair<int, int>> tried;
  for (int round = 0; round < effort.rounds_of_parts; ++round) {
    const size_t before = pieces_.size();
    int windows = effort.windows_in_parts;
    for (const FrontPiece& peak : peaks()) {
      const int first = peak.begin, last = peak.end;
      const int64_t below = peak.peak_bytes;
      int here = effort.windows_at_peak;
      const int distance = effort.reach_of_parts + last - first;
      for (const int begin : held_steps(rolls.bytes(), count, last - 1, -1, distance, below)) {
        for (const int end : held_steps(rolls.bytes(), count, first + 1, 1, distance, below)) {
          if (begin >= end || windows == 0 || here == 0 || late(options_.time)) continue;
          if (units.least_bytes(begin, end) >= below || !tried.insert({begin, end}).second)
            continue;
          --windows, --here;
          for (const GroupCandidate& unit :
               undominated_parts(units, partitions, begin, end, effort.blocks)) {
            if (unit.bytes < below) add_part(unit);
          }
        }
      }
    }
    if (pieces_.size() == before) break;
  }
}

void AutoCuts::add_in_strips(const GroupCandidate& sweep, int64_t strips) {
  const std::optional<Group> group = in_strips(flow_, sweep.group, strips);
  const std::optional<Derived> derived = group ? derive(flow_, *group) : std::nullopt;
  if (!derived) return;
  GroupCandidate piece = sweep;
  piece.group = *group;
  piece.overlap.reset();
  piece.bytes = cuts_.rolls().bytes().group(sweep.begin, group_bytes(flow_, *derived));
  const FrontPiece costs{piece.begin, piece.end, piece.bytes, 0, work(flow_, *derived).macs};
  if (costs.macs > options_.most_macs || costs.peak_bytes >= sweep.bytes) return;
  add(costs, latency_.times(*derived), piece);
}

void AutoCuts::add_strips() {
  const Effort& effort = options_.effort;
  if (options_.most_macs <= macs(flow_.graph)) return;
  const OrderBytes& bytes = cuts_.rolls().bytes();
  std::vector<bool> tried(candidates_.size(), false);
  std::set<SweepShape> known;
  for (int round = 0; round < effort.rounds_of_strips; ++round) {
    const std::vector<bool> peaks = begins_of_peaks();
    std::vector<size_t> sweeps;
    for (size_t w = 0; w < tried.size(); ++w) {
      const auto* sweep = std::get_if<Sweep>(&candidates_[w]);
      if (tried[w] || sweep == nullptr || sweep->tile.columns == SweepTile::kAll) continue;
      // What strips cannot change: what is there before, and what comes out.
      const InstanceId last{order_[static_cast<size_t>(sweep->end) - 1]};
      const int64_t around =
          bytes.held(sweep->begin) + bytes.size(flow_.instances.instance(last).makes);
      const auto end = peaks.begin() + sweep->end;
      if ((sweep->bytes - around) * effort.least_in_strips < sweep->bytes) continue;
      if (std::find(peaks.begin() + sweep->begin, end, true) != end) sweeps.push_back(w);
    }
    const size_t before = pieces_.size();
    std::ranges::stable_sort(sweeps, {}, [&](size_t w) { return pieces_[w].peak_bytes; });
    size_t left = effort.sweeps_in_strips;
    for (const size_t w : sweeps) {
      if (left == 0) break;
      tried[w] = true;
      if (!known.insert(shape_of(std::get<Sweep>(candidates_[w]))).second) continue;
      --left;
      const GroupCandidate piece = sweeps_.candidate(std::get<Sweep>(candidates_[w]));
      if (!piece.finalised.empty()) continue;
      for (const int64_t strips : {2, 3, 4}) add_in_strips(piece, strips);
    }
    if (pieces_.size() == before) break;
  }
}

}  // namespace thimble
