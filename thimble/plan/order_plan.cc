// SPDX-License-Identifier: Apache-2.0
#include "thimble/plan/order_plan.h"

#include <algorithm>

namespace thimble {
namespace {

/// Whether only a kernel of its own lets the instance into the operand's bytes.
bool has_own_kernel(const Graph& graph, const Instance& instance) {
  return !instance.op.valid() || has_kernel(graph, graph.op(instance.op), Method::kInPlace);
}

}  // namespace

Plan order_plan(const Dataflow& dataflow, const OrderProblem& problem,
                const std::vector<int>& order, const OrderPlanOptions& options,
                std::vector<OrderPiece> pieces) {
  Plan plan{.instances = dataflow.instances};
  const Lives lives = thimble::lives(problem, order);
  const auto count = static_cast<int>(order.size());
  const std::vector<int64_t> held = held_bytes(lives, problem.size_bytes, count);
  auto piece = pieces.begin();
  for (int at = 0; at < count; ++at) {
    if (piece != pieces.end() && piece->begin == at) {
      at = piece->end - 1;
      std::ranges::move(piece++->members, std::back_inserter(plan.members));
      continue;
    }
    const InstanceId id{order[static_cast<size_t>(at)]};
    const Instance& instance = dataflow.instances.instance(id);
    const OrderProblem::Op& op = problem.ops[id.index()];
    const auto dies = [&](int v) { return lives.last_read[static_cast<size_t>(v)] == at; };
    InstanceCall call{.instance = id};
    bool own_kernel = false;
    if (options.in_place && !op.in_place.empty()) {
      own_kernel = has_own_kernel(dataflow.graph, instance);
      const int64_t scratch = options.scratch_bytes.empty() ? 0 : options.scratch_bytes[id.index()];
      const int64_t apart = held[static_cast<size_t>(at)] + op.scratch_bytes + scratch +
                            problem.size_bytes[instance.makes.index()];
      const bool pays = !instance.op.valid() || apart > options.peak_bytes;
      if (own_kernel && pays && dies(op.in_place[0].input)) call.method = Method::kInPlace;
      for (const auto& in_place : op.in_place) {
        if ((call.method == Method::kInPlace || !own_kernel) && dies(in_place.input))
          plan.overlaps.push_back({instance.makes, {in_place.input}});
      }
    }
    if (dataflow.instances.receives(instance)) {
      plan.members.push_back({gathering(dataflow, id)});
    } else {
      plan.members.push_back({call});
    }
  }
  return plan;
}

Group gathering(const Dataflow& dataflow, InstanceId copy) {
  const ValueId made = dataflow.instances.instance(copy).makes;
  return {.loop = {.paced = made, .axis = kStreamAxis, .step = 1, .border = Border::kSlice},
          .members = {{InstanceCall{.instance = copy}}}};
}

}  // namespace thimble
