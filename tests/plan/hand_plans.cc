// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/hand_plans.h"

#include "tests/support/random_network.h"
#include "tests/support/test_graph.h"
#include "thimble/plan/placement.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/schedule/reads.h"

namespace thimble::testing {
namespace {

constexpr int64_t kLayoutWork = 100'000;  // any layout will do

HandPlan hand_plan(std::string name, const Graph& graph, std::vector<Member> members) {
  return {std::move(name), graph,
          Plan{.instances = instances_of(graph, {}),
               .members = std::move(members),
               .overlaps = {},
               .accumulators = {}}};
}

HandPlan sweep() {
  TestGraph g(1);
  const TensorId narrow =
      g.conv(g.depthwise(g.conv(g.input({1, 32, 32, 3}), 8, 3, 2), 3, 1), 4, 1, 1);
  const TensorId wide = g.conv(narrow, 24, 1, 1), down = g.depthwise(wide, 3, 2);
  g.output(g.conv(down, 6, 1, 1));
  return hand_plan(
      "sweep", g.graph(),
      {group(tiles(value_of(down), 1, 1, Border::kRoll, {{value_of(wide), Border::kRecompute}}),
             {group(tiles(value_of(down), 2, 0), computed(0, 6))})});
}

/// Three strips of columns, in each of them rows, some again, and within column by column; a window
/// with kept rows where two rows of `down` make a tile.
HandPlan strips(int64_t rows) {
  TestGraph g(1);
  const TensorId narrow =
      g.conv(g.depthwise(g.conv(g.input({1, 32, 36, 3}), 8, 3, 2), 3, 1), 4, 1, 1);
  const TensorId wide = g.conv(narrow, 24, 1, 1), down = g.depthwise(wide, 3, 2);
  g.output(g.depthwise(g.conv(down, 6, 1, 1), 3, 1));
  const ValueId paced = value_of(down);
  return hand_plan(
      rows == 1 ? "strips" : "strips_with_kept_rows", g.graph(),
      {group(tiles(paced, 2, 3, Border::kRecompute),
             {group(tiles(paced, 1, rows, Border::kRoll, {{value_of(wide), Border::kRecompute}}),
                    {group(tiles(paced, 2, 0), computed(0, 7))})})});
}

/// x -> expand -> depthwise -> project
struct Bottleneck {
  TestGraph g{1};
  TensorId expand, depthwise, project;
  Bottleneck() {
    expand = g.conv(g.input({1, 12, 12, 4}), 16, 1, 1);
    depthwise = g.depthwise(expand, 3, 1);
    project = g.conv(depthwise, 4, 1, 1);
  }
};

HandPlan channels() {
  Bottleneck net;
  net.g.output(net.project);
  return hand_plan("channels", net.g.graph(),
                   {group(tiles(value_of(net.expand), 3, 1, Border::kSlice),
                          {call(0), call(1), call(2, Method::kAccumulate)}),
                    call(2, Method::kFinalise)});
}

HandPlan channels_within_rows() {
  Bottleneck net;
  net.g.output(net.g.depthwise(net.project, 3, 1));
  const Member inner = group(tiles(value_of(net.expand), 3, 2, Border::kSlice),
                             {call(0), call(1), call(2, Method::kAccumulate)});
  return hand_plan("channels_within_rows", net.g.graph(),
                   {group(tiles(value_of(net.project), 1, 4, Border::kSlice,
                                {{value_of(net.expand), Border::kRecompute}}),
                          {inner, call(2, Method::kFinalise)}),
                    call(3)});
}

HandPlan sums_that_outlive_their_group() {
  Bottleneck net;
  net.g.output(net.g.depthwise(net.g.depthwise(net.project, 3, 1), 3, 1));
  const ValueId last = value_of(net.g.graph().outputs[0].tensor);
  return hand_plan("sums_that_outlive_their_group", net.g.graph(),
                   {group(tiles(value_of(net.expand), 3, 4, Border::kSlice),
                          {call(0), call(1), call(2, Method::kAccumulate)}),
                    group(tiles(last, 1, 1), {call(2, Method::kFinalise), call(3), call(4)})});
}

/// docs/ir.md, "A residual in halves".
HandPlan blocks() {
  TestGraph g(1);
  const TensorId s = g.conv(g.input({1, 8, 8, 8}), 16, 3, 1);
  const TensorId y = g.conv(g.add(s, g.depthwise(s, 3, 1)), 32, 1, 1);
  g.output(y);
  return hand_plan("blocks", g.graph(),
                   {group(tiles(value_of(y), 1, 4, Border::kBlocks), computed(0, 4))});
}

}  // namespace

std::vector<HandPlan> hand_plans() {
  return {sweep(),
          strips(1),
          strips(2),
          channels(),
          channels_within_rows(),
          sums_that_outlive_their_group(),
          blocks()};
}

Cost cost_of(const Graph& graph, const Schedule& schedule) {
  Cost cost{.peak_bytes = place(graph, schedule, {.work = kLayoutWork}).arena().peak_bytes};
  cost.work.macs = macs(graph, schedule);
  execute_steps(schedule, [&](const Step& step, Position, const Counters& counters) {
    if (step.transfer == TransferPart::kErase || step.transfer == TransferPart::kWait) return;
    const Tensor& t = graph.tensor(written_tensor(graph, schedule, step));
    const int64_t count = elements(evaluate(step.region, counters, t.shape));
    ++cost.work.calls;
    if (!step.op.valid()) {
      cost.work.traffic_bytes += count * size_bytes(t.type);
    } else if (step.method != Method::kAccumulate) {
      cost.work.elements += count;
    }
  });
  return cost;
}

std::string fault_of(const Graph& graph, const Schedule& schedule) {
  if (std::string why = malformed(graph, schedule); !why.empty()) return "malformed: " + why;
  const Program program = lower(graph, schedule, place(graph, schedule, {.work = kLayoutWork}));
  if (std::string why = verify(graph, program).fault; !why.empty()) return "verify: " + why;
  const std::vector<Bytes> inputs = noise(graph, 1);
  if (execute(program, inputs) != expected_outputs(graph, inputs)) return "other outputs";
  return "";
}

}  // namespace thimble::testing
