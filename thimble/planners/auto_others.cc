// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/auto_others.h"

#include <algorithm>
#include <functional>

#include "thimble/planners/motes.h"
#include "thimble/planners/patch.h"
#include "thimble/planners/pex.h"
#include "thimble/planners/stream.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

class OtherPlanners {
 public:
  OtherPlanners(const Graph& graph, const Limits& limits, AutoDrafts& drafts)
      : graph_(graph),
        limits_(limits),
        drafts_(drafts),
        effort_(drafts.given().list.size(), limits.effort) {}

  std::vector<Decision> answers() {
    std::vector<Ask> all;
    if (drafts_.all().empty() || (effort_.motes && !late(limits_.time))) {
      if (std::optional<Ask> motes = ask_motes()) all.push_back(std::move(*motes));
    }
    // Within a budget, `stream` has the fewest groups that fit; sweeps may be slower than priced.
    const bool few = may_ask_others();
    if ((limits_.sram_bytes && few) || !effort_.rolled_and_strips)
      all.emplace_back([&] { return plan_stream(graph_, limits_, {}, drafts_.orders()); });
    for (const auto plan : {plan_patch, plan_pex}) {
      if (few) all.emplace_back([this, plan] { return plan(graph_, limits_, {}); });
    }
    std::vector<std::optional<PlannerDecision>> answers(all.size());
    in_parallel(all.size(), limits_.jobs, [&](size_t k, size_t) {
      if ((k == 0 && drafts_.all().empty()) || !late(limits_.time)) answers[k] = all[k]();
    });
    std::vector<Decision> found;
    for (std::optional<PlannerDecision>& answer : answers) {
      auto* decision = answer ? std::get_if<Decision>(&*answer) : nullptr;
      if (decision != nullptr) found.push_back(std::move(*decision));
    }
    return found;
  }

 private:
  using Ask = std::function<PlannerDecision()>;

  /// Instructions of the fastest draft, as a ratio of those of whole operators: `motes` counts its
  /// limit from these.
  double fastest_of_whole(AutoAttempt& of) const {
    double whole = drafts_.model().program;
    for (int id = 0; id < std::ssize(of.instances.list); ++id)
      whole += of.latency.whole({.instance = {id}}, false);
    double fastest = whole;
    for (const AutoDraft& draft : drafts_.all())
      fastest = std::min(fastest, draft.cut.instructions + drafts_.model().program);
    if (fastest <= 0) return 1;  // nothing is known of its kernels, or there is nothing to do
    return fastest / whole;
  }

  /// Parts along connected axes, as `motes` finds them in the last order: with blocks where that is
  /// little work.
  std::optional<Ask> ask_motes() {
    if (limits_.ports.input == Place::kStreamed || limits_.ports.output == Place::kStreamed)
      return std::nullopt;
    AutoAttempt& of = drafts_.first();
    std::vector<std::vector<int>> orders =
        drafts_.orders().orders_of(of.flow, of.problem, limits_.time);
    if (effort_.last_order) orders.erase(orders.begin(), orders.end() - 1);
    const double latency =
        std::clamp(limits_.max_latency * fastest_of_whole(of), 1.0, effort_.latency_of_motes);
    const PlannerOptions options{{"windows", effort_.others ? "any" : "rings"},
                                 {"parts", "8"},
                                 {"beam", "3"},
                                 {"schemes", "8"},
                                 {"max_latency", std::to_string(latency)}};
    return [this, options, orders] { return plan_motes(graph_, limits_, options, orders); };
  }

  /// Whether that is little work: they search orders themselves, and walk over images.
  [[nodiscard]] bool may_ask_others() const {
    int64_t bytes = 0;
    for (const Tensor& tensor : graph_.tensors)
      bytes += tensor.is_constant() ? 0 : tensor.size_bytes();
    if (limits_.ports.input == Place::kStreamed || limits_.ports.output == Place::kStreamed)
      return false;
    return effort_.others && bytes <= effort_.most_bytes_of_others;
  }

  const Graph& graph_;
  const Limits& limits_;
  AutoDrafts& drafts_;
  const Effort effort_;
};

}  // namespace

std::vector<Decision> other_answers(const Graph& graph, const Limits& limits, AutoDrafts& drafts) {
  return OtherPlanners(graph, limits, drafts).answers();
}

}  // namespace thimble
