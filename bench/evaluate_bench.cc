// SPDX-License-Identifier: Apache-2.0
// Time to evaluate a plan: with all groups known, with one new, and by writing the schedule and
// placing it; and to estimate its instructions. evaluate_bench --benchmark_format=csv >
// bench/results/evaluate.csv
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "thimble/plan/build.h"
#include "thimble/plan/evaluator.h"
#include "thimble/plan/latency_estimate.h"
#include "thimble/plan/order_plan.h"
#include "thimble/plan/order_problem.h"
#include "thimble/plan/placement.h"
#include "thimble/rewrites/rewrites.h"
#include "zoo/zoo.h"

namespace {

using namespace thimble;

/// Rows of up to so many operators, one after the other, roll through a group.
constexpr int kLongest = 6;

struct Case {
  explicit Case(const std::string& network)
      : graph(rewrite(build_zoo(network))),
        axes(graph),
        instances(instances_of(graph, {})),
        flow(axes, instances) {
    std::vector<int> order;
    for (size_t k = 0; k < instances.list.size(); ++k) order.push_back(static_cast<int>(k));
    std::vector<OrderPiece> pieces;
    const auto count = static_cast<int>(order.size());
    for (int begin = 0; begin < count;) {
      int end = std::min(begin + kLongest, count);
      while (end > begin + 1 && !derive(flow, rows(begin, end))) --end;
      if (end > begin + 1) {
        groups.push_back(rows(begin, end));
        pieces.push_back({begin, end, {{groups.back()}}});
      }
      begin = end;
    }
    plan = order_plan(flow, order_problem(graph, instances, true), order, {}, std::move(pieces));
  }

  [[nodiscard]] Group rows(int begin, int end) const {
    Group group;
    for (int k = begin; k < end; ++k) group.members.push_back({InstanceCall{.instance = {k}}});
    group.loop.paced = instances.list[static_cast<size_t>(end) - 1].makes;
    group.loop.axis = kRowAxis;
    return group;
  }

  Graph graph;
  AxisGraph axes;
  Instances instances;
  Dataflow flow;
  std::vector<Group> groups;
  Plan plan;
};

const Case& case_of(const std::string& network) {
  static std::map<std::string, std::unique_ptr<Case>> known;
  std::unique_ptr<Case>& found = known[network];
  if (found == nullptr) found = std::make_unique<Case>(network);
  return *found;
}

void all_groups_known(benchmark::State& state, const std::string& network) {
  const Case& c = case_of(network);
  Evaluator evaluator(c.flow);
  for (auto _ : state) benchmark::DoNotOptimize(evaluator.cost(c.plan));
  state.counters["members"] = static_cast<double>(c.plan.members.size());
  state.counters["groups"] = static_cast<double>(c.groups.size());
}

/// Each group of the plan in turn is derived as if it were new.
void one_group_new(benchmark::State& state, const std::string& network) {
  const Case& c = case_of(network);
  Evaluator evaluator(c.flow);
  size_t next = 0;
  for (auto _ : state) {
    const Group& group = c.groups[next++ % c.groups.size()];
    benchmark::DoNotOptimize(GroupCost(c.flow, *derive(c.flow, group)));
    benchmark::DoNotOptimize(evaluator.cost(c.plan));
  }
}

void built_and_placed(benchmark::State& state, const std::string& network) {
  const Case& c = case_of(network);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        place(c.graph, build(c.flow, c.plan), {.method = LayoutMethod::kGreedyBySize}));
  }
}

/// Instructions of all steps of the plan's groups, which are derived; per step, `steps` of them.
void estimated(benchmark::State& state, const Case& c, bool known) {
  const Core core = core_named("cortex-m4");
  const LatencyModel model = *latency_model(core.name);
  std::vector<Derived> groups;
  size_t steps = 0;
  for (const Group& group : c.groups) {
    groups.push_back(*derive(c.flow, group, Regions::kNone));
    steps += groups.back().steps.size();
  }
  std::optional<LatencyEstimate> estimate;
  for (auto _ : state) {
    if (!known || !estimate) estimate.emplace(c.flow, core, model);
    for (const Derived& group : groups) benchmark::DoNotOptimize(estimate->group(group));
  }
  state.counters["steps"] = static_cast<double>(steps);
}
void estimated_new(benchmark::State& state, const std::string& network) {
  estimated(state, case_of(network), false);
}
void estimated_known(benchmark::State& state, const std::string& network) {
  estimated(state, case_of(network), true);
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string network : {"mobilenet_v2", "nasnet_a_cifar10"}) {
    const auto add = [&](const char* name, auto* run) {
      benchmark::RegisterBenchmark((network + "/" + name).c_str(), [=](benchmark::State& state) {
        run(state, network);
      })->Unit(benchmark::kMicrosecond);
    };
    add("all_groups_known", &all_groups_known);
    add("one_group_new", &one_group_new);
    add("built_and_placed", &built_and_placed);
    add("estimated_new", &estimated_new);
    add("estimated_known", &estimated_known);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
