// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_cuts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "thimble/moves/tile_sizes.h"

namespace thimble {
namespace {

// Rows inside of a group over channels cost a call per row and channel: of a peak, what they save
// must be at least this part, unless that is what it takes to fit.
constexpr int64_t kLeastGainOfBoth = 32;

/// Positions that no piece executes in less than `bytes`.
std::vector<bool> without_piece_below(int64_t bytes, const std::vector<int64_t>& single_bytes,
                                      const std::vector<CutPiece>& pieces) {
  std::vector<bool> result;
  for (const int64_t single : single_bytes) result.push_back(single >= bytes);
  for (const CutPiece& piece : pieces) {
    if (piece.cost.peak_bytes < bytes)
      std::fill(result.begin() + piece.begin, result.begin() + piece.end, false);
  }
  return result;
}

[[nodiscard]] int64_t most(const std::vector<int64_t>& bytes, const PlacedGroup& placed) {
  return *std::max_element(bytes.begin() + placed.begin, bytes.begin() + placed.end);
}

/// To try: of groups by columns also half of them and all.
std::vector<int64_t> tiles(const Dataflow& flow, const Group& group) {
  std::vector<int64_t> result = rolled_tiles();
  for (const Member& member : group.members) {
    const auto* within = std::get_if<Group>(&member.what);
    if (within == nullptr) continue;
    const int64_t columns = flow.shape(within->loop.paced)[static_cast<size_t>(within->loop.axis)];
    for (const int64_t some : {columns / 2, columns}) {
      if (some > result.back()) result.push_back(some);
    }
  }
  return result;
}

}  // namespace

StreamCuts::StreamCuts(ChannelGroups& channels, const OrderProblem& problem,
                       const std::vector<int>& order, const StreamOptions& options)
    : channels_(channels),
      flow_(channels.dataflow()),
      problem_(problem),
      order_(order),
      options_(options),
      rolls_(flow_, problem, order, options.rolls) {}

StreamCut StreamCuts::best(int64_t incumbent_bytes) {
  incumbent_bytes_ = incumbent_bytes;
  add(sliced());
  for (const Granularity granularity : options_.granularities) {
    add(rolls_.all(incumbents(incumbent_bytes_), most_in_group(order_.size()), granularity));
    recut();
    if (cut_.peak_bytes <= options_.budget_bytes || cut_.peak_bytes == RolledGroups::kImpossible)
      continue;
    const int64_t gain = incumbent_bytes_ / kLeastGainOfBoth;
    add(rolled_in_slices(std::max(incumbent_bytes_ - gain, options_.budget_bytes + 1),
                         granularity));
    recut();
  }
  if (cut_.peak_bytes == RolledGroups::kImpossible) {
    StreamCut none;
    none.order = order_;
    none.peak_bytes = cut_.peak_bytes;
    none.why = rolls_.obstacle();
    return none;
  }
  std::vector<GroupCandidate> chosen;
  for (const int p : cut_.pieces) chosen.push_back(candidates_[static_cast<size_t>(p)]);
  return with(std::move(chosen), cut_.peak_bytes);
}

StreamCut StreamCuts::with(std::vector<GroupCandidate> pieces, int64_t peak_bytes) const {
  StreamCut result{
      .order = order_, .pieces = std::move(pieces), .over_input = {}, .peak_bytes = peak_bytes};
  for (GroupCandidate& chosen : result.pieces) {
    widen(chosen, std::max(peak_bytes, options_.budget_bytes));
    result.peak_bytes = std::max(result.peak_bytes, chosen.bytes);
  }
  const std::vector<int64_t> in_place = working_sets(problem_, order_);
  for (size_t at = 0; at < order_.size(); ++at) {
    if (rolls_.single_bytes()[at] < in_place[at] &&
        in_place[at] > std::max(result.peak_bytes, options_.budget_bytes))
      result.over_input.push_back({order_[at]});
  }
  return result;
}

/// Takes as many channels at a time as fit.
void StreamCuts::widen(GroupCandidate& piece, int64_t limit) const {
  if (piece.channels == 0) return;
  GroupBytes bytes = piece.one_channel;
  int64_t& step = piece.group.loop.step;
  step = most_channels(rolls_.bytes(), piece.begin, bytes, piece.channels, limit);
  bytes.inner *= step;
  piece.bytes = rolls_.bytes().group(piece.begin, bytes);
}

double StreamCuts::instructions(const GroupCandidate& piece, LatencyEstimate& latency) const {
  const auto calls = latency.calls(piece.piece().members);
  return calls ? instructions_within(*calls, options_.budget_bytes - piece.bytes)
               : std::numeric_limits<double>::infinity();
}

GroupCandidate StreamCuts::in_fastest_tiles(const GroupCandidate& piece,
                                            LatencyEstimate& latency) const {
  GroupCandidate best = piece;
  if (piece.channels > 0) return best;
  double least = instructions(best, latency);
  for (const int64_t rows : tiles(flow_, piece.group)) {
    std::optional<GroupCandidate> wider = rolls_.in_tiles(piece, rows, options_.budget_bytes + 1);
    if (!wider) continue;
    const double time = instructions(*wider, latency);
    if (time >= least) continue;
    least = time;
    best = std::move(*wider);
  }
  return best;
}

std::optional<StreamCut> StreamCuts::fastest(LatencyEstimate& latency) {
  const int64_t limit = options_.budget_bytes;
  if (cut_.peak_bytes > limit) return std::nullopt;
  std::map<size_t, GroupCandidate> tiled;  // candidates that fit, in their fastest tiles
  auto [cut, sum] =
      fastest_cut(latency, order_, rolls_.single_bytes(), pieces_, limit, [&](size_t p) {
        GroupCandidate piece = candidates_[p];
        widen(piece, limit);
        piece = in_fastest_tiles(piece, latency);
        const double time = instructions(piece, latency);
        tiled.emplace(p, std::move(piece));
        return time;
      });
  std::vector<GroupCandidate> chosen;
  for (const int p : cut.pieces) {
    chosen.push_back(std::move(tiled.at(static_cast<size_t>(p))));
    cut.peak_bytes = std::max(cut.peak_bytes, chosen.back().bytes);
  }
  StreamCut result = with(std::move(chosen), cut.peak_bytes);
  result.instructions = sum;
  return result;
}

void StreamCuts::add(std::vector<GroupCandidate> more) {
  for (GroupCandidate& piece : more) {
    const int count = piece.end - piece.begin;
    pieces_.push_back({piece.begin,
                       piece.end,
                       {.peak_bytes = piece.bytes,
                        .by_pixels = piece.by_pixels ? count : 0,
                        .in_pieces = piece.in_slices ? 2 * count : count}});
    candidates_.push_back(std::move(piece));
  }
}

/// Groups over channels.
std::vector<GroupCandidate> StreamCuts::sliced() {
  placed_ = channel_candidates(channels_, rolls_.bytes(), order_, rolls_.single_bytes(), {});
  std::erase_if(placed_, [&](const PlacedGroup& p) {  // rows pass through rolled groups only
    return most(rolls_.single_bytes(), p) == RolledGroups::kImpossible;
  });
  std::vector<GroupCandidate> result;
  for (const PlacedGroup& p : placed_) result.push_back(piece(p, p.group->group.group));
  return result;
}

GroupCandidate StreamCuts::piece(const PlacedGroup& placed, Group group) const {
  const ChannelGroup& channels = placed.group->group;
  GroupCandidate result{.begin = placed.begin,
                        .end = placed.end,
                        .group = std::move(group),
                        .finalised = {},
                        .overlap = {},
                        .channels = channels.channels,
                        .one_channel = placed.group->bytes[placed.sums]};
  for (const ValueId v : channels.accumulated)
    result.finalised.push_back({flow_.maker[v.index()], Method::kFinalise});
  result.bytes = rolls_.bytes().group(placed.begin, result.one_channel);
  return result;
}

/// Rolled groups inside of groups over channels, with fewer bytes than these and `limit`, at a
/// position that nothing else executes with less than `limit`.
std::vector<GroupCandidate> StreamCuts::rolled_in_slices(int64_t limit,
                                                         Granularity granularity) const {
  const std::vector<bool> wanted = without_piece_below(limit, rolls_.single_bytes(), pieces_);
  const std::vector<int64_t> other = incumbents(limit);
  std::vector<GroupCandidate> result;
  for (const PlacedGroup& p : placed_) {
    const int64_t incumbent_bytes =
        std::min(rolls_.bytes().group(p.begin, p.group->bytes[p.sums]), most(other, p));
    const auto end = wanted.begin() + p.end;
    if (rolls_.bytes().group(p.begin, p.group->wider(p.sums, 0)) >= incumbent_bytes ||
        std::find(wanted.begin() + p.begin, end, true) == end)
      continue;
    for (const GroupCandidate& rolled : rolls_.groups(p.begin, p.end, granularity)) {
      GroupCandidate nested = piece(p, roll_inside(flow_, p.group->group, rolled));
      const std::optional<Derived> derived = derive(flow_, nested.group, Regions::kNone);
      if (!derived) continue;
      nested.one_channel = group_bytes(flow_, *derived);
      nested.bytes = rolls_.bytes().group(p.begin, nested.one_channel);
      nested.by_pixels = rolled.by_pixels;
      nested.in_slices = true;
      if (nested.bytes < incumbent_bytes) result.push_back(std::move(nested));
    }
  }
  return result;
}

std::vector<int64_t> StreamCuts::incumbents(int64_t at_most) const {
  std::vector<int64_t> bytes = rolls_.single_bytes();
  for (int64_t& b : bytes) b = std::min(b, at_most);
  return bytes;
}

// What is slower is wanted only where it needs less than what is there already.
void StreamCuts::recut() {
  cut_ = best_cut(rolls_.single_bytes(), pieces_, options_.budget_bytes);
  incumbent_bytes_ =
      std::min(incumbent_bytes_, std::max(cut_.peak_bytes, options_.budget_bytes + 1));
}

int most_in_group(size_t instances) {
  constexpr size_t kUsual = 1000, kMost = 128, kLeast = 8;
  return static_cast<int>(std::max(kMost * kUsual / std::max(instances, kUsual), kLeast));
}

}  // namespace thimble
