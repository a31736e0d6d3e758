// SPDX-License-Identifier: Apache-2.0
#include "thimble/program/explain.h"

#include <algorithm>

#include "thimble/program/estimate.h"
#include "thimble/schedule/kernel_fit.h"

namespace thimble {
namespace {

int64_t packed_bytes(const Graph& graph, const Op& op, KernelId kernel) {
  int64_t bytes = 0;
  for (const PackedConstant& constant : pack(graph, op, kernel)) bytes += std::ssize(constant.data);
  return bytes;
}

// The kernels of one step, the one that is taken first, and what each takes in all calls.
struct StepKernels {
  std::vector<KernelCost> costs;
  std::vector<KernelParams> params;

  void add(const Graph& graph, const Op& op, const KernelUse& use, KernelId kernel) {
    costs.push_back({.kernel = kernel, .scratch_bytes = scratch_bytes(kernel, use)});
    params.push_back(params_of(graph, op, kernel, use));
  }
};

// Per position; empty where no operator is executed.
std::vector<StepKernels> kernels_of_steps(const Graph& graph, const Schedule& schedule,
                                          const Core& core, const LatencyModel& model) {
  const KernelUses all(graph);
  KernelFits fits(graph, schedule, all);
  const KernelCoefficients known(model);
  std::vector<StepKernels> steps;
  for_each_step(schedule, [&](const Step& step, Position) {
    StepKernels& kernels = steps.emplace_back();
    if (!step.op.valid()) return;
    const Op& op = graph.op(step.op);
    const std::vector<KernelUse>& uses = fits.uses_of(step.op, step.method);
    if (uses.empty()) return;
    const KernelId taken = chosen(step.kernel, uses.front());
    kernels.add(graph, op, uses.front(), taken);
    if (uses.size() > 1) return;
    for (const Candidate& candidate : candidates(uses.front(), core)) {
      Step other = step;
      other.kernel = candidate.kernel;
      if (known.knows(candidate.kernel) && candidate.kernel != taken && fits.fault(other).empty())
        kernels.add(graph, op, uses.front(), candidate.kernel);
    }
  });
  return steps;
}

// Without the bytes of weights.
std::vector<KernelChoice> choices(const Graph& graph, const Schedule& schedule,
                                  const Program& program, const Core& core,
                                  const LatencyModel& model) {
  std::vector<StepKernels> steps = kernels_of_steps(graph, schedule, core, model);
  const KernelCoefficients known(model);
  for_each_call(program, [&](const Call& call, CallShape shape) {
    StepKernels& kernels = steps[static_cast<size_t>(call.position)];
    for (size_t k = 0; k < kernels.costs.size(); ++k) {
      KernelCost& cost = kernels.costs[k];
      if (k == 0) {
        cost.scratch_bytes = call.scratch.valid() ? program.buffer(call.scratch).size_bytes : 0;
      } else {
        shape.kernel = cost.kernel;
        shape.params = kernels.params[k];
      }
      const Features* each = known.coefficients_of(shape.kernel);
      if (each != nullptr) cost.instructions += dot(features(shape), *each);
    }
  });
  std::vector<KernelChoice> result;
  for (size_t position = 0; position < steps.size(); ++position) {
    std::vector<KernelCost>& costs = steps[position].costs;
    if (costs.empty()) continue;
    KernelChoice choice{
        .position = static_cast<Position>(position), .taken = costs.front(), .runner_up = {}};
    const auto best = std::min_element(
        costs.begin() + 1, costs.end(),
        [](const auto& a, const auto& b) { return a.instructions < b.instructions; });
    if (best != costs.end()) choice.runner_up = *best;
    result.push_back(choice);
  }
  return result;
}

}  // namespace

std::vector<KernelChoice> explain(const Graph& graph, const Schedule& schedule,
                                  const Program& program, Core core, const LatencyModel& model) {
  core.weights = Weights::kFast;  // what they would gain is part of the answer
  std::vector<KernelChoice> result = choices(graph, schedule, program, core, model);
  auto next = result.begin();
  for_each_step(schedule, [&](const Step& step, Position position) {
    if (next == result.end() || next->position != position) return;
    const auto weigh = [&](KernelCost& cost) {
      cost.weight_bytes = packed_bytes(graph, graph.op(step.op), cost.kernel);
    };
    weigh(next->taken);
    if (next->runner_up) weigh(*next->runner_up);
    ++next;
  });
  return result;
}

}  // namespace thimble
