// SPDX-License-Identifier: Apache-2.0
#include "tests/plan/hand_plans.h"

#include "tests/support/random_network.h"
#include "thimble/plan/placement.h"
#include "thimble/program/host.h"
#include "thimble/program/lower.h"
#include "thimble/program/verify.h"
#include "thimble/schedule/reads.h"

namespace thimble::testing {
namespace {

constexpr int64_t kLayoutWork = 100'000;  // any layout will do

}  // namespace

Cost cost_of(const Graph& graph, const Schedule& schedule) {
  Cost cost{.peak_bytes = place(graph, schedule, {.work = kLayoutWork}).arena().peak_bytes};
  cost.work.macs = macs(graph, schedule);
  execute_steps(schedule, [&](const Step& step, Position, const Counters& counters) {
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
