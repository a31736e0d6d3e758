// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto_cuts.h"

#include <algorithm>
#include <limits>

#include "thimble/moves/tile_sizes.h"
#include "thimble/operators/operators.h"
#include "thimble/plan/group_lead.h"

namespace thimble {
namespace {

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
int64_t most_recomputed_macs(const Dataflow& flow, int64_t most_macs) {
  if (most_macs == kAnyMacs) return kAnyMacs;
  int64_t once = 0;
  for (const Instance& instance : flow.instances.list)
    once += instance.op.valid() ? macs(flow.graph, flow.graph.op(instance.op)) : 0;
  return std::max<int64_t>(most_macs - once, 0) + (leaves_out(flow) ? once : 0);
}

}  // namespace

FrontOverlap AutoCuts::front_overlap(const OverlapChoice& choice, int64_t lead_bytes) const {
  const OrderBytes& bytes = cuts_.rolls().bytes();
  return {static_cast<int>(choice.out.index()), static_cast<int>(choice.in.index()), lead_bytes,
          bytes.size(choice.in), bytes.lives().made[choice.in.index()]};
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
      sweeps_(flow_, cuts_.rolls().bytes(), order, latency,
              {.in_place = options.in_place,
               .recomputes = options.most_macs > macs(flow_.graph) || leaves_out(flow_),
               .recomputes_columns = options.effort.rolled_and_strips,
               .most_recomputed_macs = most_recomputed_macs(flow_, options.most_macs),
               .most_instances = most_in_group(order.size()),
               .most_labels = options.effort.sweep_labels,
               .jobs = options.jobs,
               .time = options.time}) {
  add_single();
  add_swept();
}

int64_t AutoCuts::macs_between(int begin, int end) const {
  int64_t sum = 0;
  for (int p = begin; p < end; ++p) sum += macs_of({order_[static_cast<size_t>(p)]});
  return sum;
}

int64_t AutoCuts::macs_of(InstanceId id) const {
  const OpId op = flow_.instances.instance(id).op;
  return op.valid() ? macs(flow_.graph, flow_.graph.op(op)) : 0;
}

double AutoCuts::wait_of(const std::vector<Member>& members) const {
  double sum = 0;
  for (const Member& member : members)
    sum += member_wait(latency_, flow_, member, *options_.storage, options_.storage_cycles);
  return sum;
}

double AutoCuts::wait_of(const FrontPiece& single, std::monostate) const {
  const InstanceId id{order_[static_cast<size_t>(single.begin)]};
  return wait_of(std::vector<Member>{{InstanceCall{.instance = id}}});
}

std::optional<PieceTimes> AutoCuts::times(const std::vector<Member>& members) const {
  std::vector<PieceTimes> each;
  for (const Member& member : members) {
    if (const auto* call = std::get_if<InstanceCall>(&member.what)) {
      each.push_back(piece_times({&latency_.whole_times(*call, true)}, {0}));
    } else if (const auto derived = derive(flow_, std::get<Group>(member.what), Regions::kNone)) {
      each.push_back(latency_.times(*derived));
    } else {
      return std::nullopt;
    }
    const int64_t portable = each.back().front().live_bytes;
    for (PieceTime& time : each.back()) time.live_bytes -= portable;
  }
  std::vector<const PieceTimes*> all;
  for (const PieceTimes& one : each) all.push_back(&one);
  return piece_times(all);
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
  const RolledGroups& rolls = cuts_.rolls();
  for (int at = 0; at < static_cast<int>(order_.size()); ++at) {
    const auto p = static_cast<size_t>(at);
    if (rolls.single_bytes()[p] == RolledGroups::kImpossible) continue;
    const InstanceId id{order_[p]};
    const KernelTimes* alone = &latency_.whole_times({.instance = id});
    bool in_place = false;
    FrontPiece piece{at, at + 1, apart[p], 0, macs_of(id)};
    if (const int64_t bytes = out_of_place_bytes(at); bytes > apart[p] && in_place_kernel(id)) {
      piece.peak_bytes = bytes;
      add(piece, *alone, std::monostate{});
      piece.peak_bytes = apart[p];
      alone = &latency_.whole_times({.instance = id, .method = Method::kInPlace});
      in_place = true;
    }
    add(piece, *alone, std::monostate{});
    const auto over = rolls.single_overlap(at);
    if (!over) continue;
    if (rolls.single_bytes()[p] < apart[p] || !in_place)
      alone = &latency_.whole_times({.instance = id}, true);
    piece.peak_bytes = rolls.single_bytes()[p];
    piece.overlap = front_overlap(over->first, over->second);
    add(piece, *alone, std::monostate{});
  }
}

void AutoCuts::add_swept() {
  const Effort& effort = options_.effort;
  std::vector<SweepTile> tiles = sweep_tiles(effort.more_tiles    ? SweepTiles::kAll
                                             : effort.fewer_tiles ? SweepTiles::kFew
                                                                  : SweepTiles::kLikely);
  if (has_wide_images(flow_)) std::ranges::copy(turned_tiles(), std::back_inserter(tiles));
  for (Sweep& sweep : sweeps_.all(tiles, cuts_.rolls().single_bytes())) {
    pieces_.push_back({sweep.begin, sweep.end, sweep.bytes, sweep.instructions, sweep.macs});
    if (sweep.overlap) pieces_.back().overlap = front_overlap(*sweep.overlap, sweep.lead_bytes);
    candidates_.emplace_back(std::move(sweep));
  }
}

void AutoCuts::add_rolled() {
  static_cast<void>(cuts_.best(RolledGroups::kImpossible));
  for (const GroupCandidate& piece : cuts_.candidates()) {
    const std::optional<PieceTimes> takes = times(piece.piece().members);
    if (!takes) continue;
    FrontPiece costs{piece.begin, piece.end, piece.bytes, 0, macs_between(piece.begin, piece.end)};
    FrontPiece over = costs;
    if (piece.overlap) over.overlap = front_overlap(*piece.overlap, piece.lead_bytes);
    add(over, *takes, piece);
    if (!piece.overlap) continue;
    // With the overlap, and apart, which asks for no room below what is consumed.
    const OrderBytes& bytes = cuts_.rolls().bytes();
    costs.peak_bytes += overlap_bytes(bytes.size(piece.overlap->out), bytes.size(piece.overlap->in),
                                      piece.lead_bytes);
    GroupCandidate apart = piece;
    apart.overlap.reset();
    add(costs, *takes, apart);
  }
}

std::vector<FrontCut> AutoCuts::cuts(int most_labels) const {
  const FrontCutOptions limits{.most_macs = options_.most_macs,
                               .most_time = std::numeric_limits<double>::infinity(),
                               .most_labels = most_labels};
  return front_cuts(static_cast<int>(order_.size()), pieces_, limits);
}

std::vector<AutoCut> AutoCuts::front() const {
  std::vector<AutoCut> result;
  for (const FrontCut& found : cuts(options_.effort.cuts)) {
    std::vector<GroupCandidate> chosen;
    for (const int p : found.pieces) {
      const auto& candidate = candidates_[static_cast<size_t>(p)];
      if (const auto* rolled = std::get_if<GroupCandidate>(&candidate)) chosen.push_back(*rolled);
      if (const auto* sweep = std::get_if<Sweep>(&candidate))
        chosen.push_back(sweeps_.candidate(*sweep));
    }
    result.push_back({cuts_.with(std::move(chosen), found.peak_bytes), found.macs, found.time});
  }
  return result;
}

}  // namespace thimble
