// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_search.h"

#include <algorithm>

#include "thimble/moves/relayout_inputs.h"
#include "thimble/plan/order_problem.h"
#include "thimble/planners/stream_plan.h"

namespace thimble {

StreamAttempt StreamSearch::best() const {
  const Instances given = instances_of(graph_, limits_.ports);
  StreamAttempt best = with_rematerialisation(given, RolledGroups::kImpossible);
  if (best.cut.peak_bytes <= options_.budget_bytes || !limits_.in_place ||
      limits_.ports.input != Place::kResident)
    return best;
  if (const std::optional<Instances> relaid = relayout_inputs(graph_, given)) {
    StreamAttempt other = with_rematerialisation(*relaid, best.cut.peak_bytes);
    if (other.cut.peak_bytes < best.cut.peak_bytes) return other;
  }
  return best;
}

Decision StreamSearch::planned(const StreamAttempt& best, bool apart) const {
  const Dataflow flow(axes_, best.instances);
  LatencyEstimate latency(flow, known_);
  const ApartBudget budget =
      apart ? ApartBudget{&latency, limits_.sram_bytes.value_or(0)} : ApartBudget{};
  Decision result{.plan = stream_plan(flow, best.problem, best.cut, limits_.in_place, budget),
                  .notes = {spans(best.instances, best.cut)}};
  add_notes(best, result.notes);
  for (const auto* ports : {&best.problem.inputs, &best.problem.outputs}) {
    int64_t bytes = 0;
    for (const int t : *ports) bytes += best.problem.size_bytes[static_cast<size_t>(t)];
    result.lower_bound_bytes = std::max(result.lower_bound_bytes, bytes);
  }
  return result;
}

StreamAttempt StreamSearch::attempt(Instances instances, int64_t incumbent_bytes) const {
  StreamAttempt result{
      .instances = std::move(instances), .problem = {}, .cut = {}, .rematerialised = {}};
  const Dataflow flow(axes_, result.instances);
  result.problem = order_problem(graph_, result.instances, limits_.in_place);
  ChannelGroups channels(flow, DType::kInt32);
  LatencyEstimate latency(flow, known_);
  std::optional<StreamCut> best;
  for (const std::vector<int>& order : orders_.orders_of(flow, result.problem, limits_.time)) {
    StreamCuts cuts(channels, result.problem, order, options_);
    StreamCut cut =
        cuts.best(std::min(incumbent_bytes, best ? bytes_to_beat(*best) : incumbent_bytes));
    if (std::optional<StreamCut> fastest = cuts.fastest(latency)) cut = std::move(*fastest);
    if (!best || better(cut, *best)) best = std::move(cut);
    if (late(limits_.time)) break;
  }
  result.cut = std::move(*best);
  return result;
}

bool StreamSearch::better(const StreamCut& a, const StreamCut& b) const {
  const auto cost = [&](const StreamCut& cut) {
    return std::pair(std::max(cut.peak_bytes, options_.budget_bytes), cut.instructions);
  };
  return cost(a) < cost(b);
}

StreamAttempt StreamSearch::with_rematerialisation(const Instances& instances,
                                                   int64_t incumbent_bytes) const {
  const double most_macs = limits_.max_recompute.value_or(0) * static_cast<double>(macs(graph_));
  if (most_macs <= 0) return attempt(instances, incumbent_bytes);
  StreamAttempt best =
      attempt(instances, RolledGroups::kImpossible);  // whatever it needs, it may come to less
  const auto good_enough = [&] { return best.cut.peak_bytes <= options_.budget_bytes; };
  const auto with = [&](const Rematerialisations& chosen) {
    StreamAttempt result = attempt(rematerialise(instances, chosen), RolledGroups::kImpossible);
    result.rematerialised = chosen;
    return result;
  };
  if (good_enough()) return best;
  rematerialise_more(axes_, instances, static_cast<int64_t>(most_macs),
                     [&](const Rematerialisations& chosen, int64_t) {
                       if (late(limits_.time)) return Gain::kEnough;
                       StreamAttempt next = with(chosen);
                       if (next.cut.peak_bytes >= best.cut.peak_bytes) return Gain::kNone;
                       best = std::move(next);
                       return good_enough() ? Gain::kEnough : Gain::kSome;
                     });
  for (size_t k = best.rematerialised.size(); k-- > 0;) {
    Rematerialisations fewer = best.rematerialised;
    fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(k));
    StreamAttempt next = with(fewer);
    if (next.cut.peak_bytes <= std::max(best.cut.peak_bytes, options_.budget_bytes))
      best = std::move(next);
  }
  return best;
}

void StreamSearch::add_notes(const StreamAttempt& best, std::vector<Note>& notes) const {
  const auto in_piece = [&](size_t at) {
    return std::ranges::any_of(best.cut.pieces, [&](const GroupCandidate& piece) {
      return piece.begin <= static_cast<int>(at) && static_cast<int>(at) < piece.end;
    });
  };
  for (size_t at = 0; at < best.cut.order.size(); ++at) {
    const Instance& instance = best.instances.instance({best.cut.order[at]});
    if (instance.op.valid() || in_piece(at)) continue;
    if (best.instances.receives(instance)) {
      notes.push_back(passing_by());
    } else {
      notes.push_back(note::InputRelaid{});
    }
  }
  if (best.rematerialised.empty()) return;
  note::Rematerialised sum{.tensors = static_cast<int64_t>(best.rematerialised.size()), .macs = 0};
  for (const Rematerialisation& value : best.rematerialised) sum.macs += value.macs;
  notes.push_back(sum);
}

note::InputCollected StreamSearch::passing_by() const {
  StreamOptions options = options_;
  options.rolls.collects = false;
  const StreamAttempt passing = StreamSearch(axes_, limits_, options, orders_, known_).best();
  return {.obstacle = passing.cut.why, .passing_peak_bytes = passing.cut.peak_bytes};
}

}  // namespace thimble
