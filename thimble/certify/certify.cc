// SPDX-License-Identifier: Apache-2.0
#include "thimble/certify/certify.h"

#include <fmt/format.h>

#include "thimble/certify/networks.h"
#include "thimble/certify/operator_fault.h"
#include "thimble/certify/whole_networks.h"

namespace thimble {
namespace {

/// Products and elements: some hundredths of a second each.
constexpr int64_t kWorkOnOperators = 16'000'000;
constexpr int64_t kWorkOnNetworks = 32'000'000;

/// What the rewritten network reads before it is there, or computes twice.
std::string order_fault(const Graph& graph) {
  std::vector<bool> made(graph.tensors.size());
  const auto make = [&](TensorId t) {
    const bool is_new = !made[t.index()] && !graph.tensor(t).is_constant();
    made[t.index()] = true;
    return is_new;
  };
  const auto is_there = [&](TensorId t) {
    return made[t.index()] || graph.tensor(t).is_constant();
  };
  for (const Port& port : graph.inputs) {
    if (!make(port.tensor)) return "an input is there twice";
  }
  for (const State& state : graph.states) {
    if (!make(state.in)) return "a variable is there twice";
  }
  for (const Op& op : graph.ops) {
    for (const TensorId t : op.inputs) {
      if (!is_there(t)) return label(op) + " reads what is not there yet";
    }
    for (const TensorId t : op.outputs) {
      if (!make(t)) return label(op) + " makes what is there already";
    }
  }
  for (const Port& port : graph.outputs) {
    if (!is_there(port.tensor)) return "an output is never made";
  }
  for (const State& state : graph.states) {
    if (!is_there(state.out)) return "a variable is never made anew";
  }
  return "";
}

Certification certified(const Graph& file, const RewrittenGraph& rewritten, Interface interface) {
  Certification result;
  check_graph(rewritten.graph);
  const Networks networks(file, rewritten);
  result.fault = order_fault(rewritten.graph);
  if (!result.ok()) return result;
  const Edges edges = proven_edges(networks, interface);
  int64_t work = kWorkOnOperators;
  for (const Op& op : rewritten.graph.ops) {
    if (is_of_the_file(networks, op)) {
      ++result.same_ops;
      continue;
    }
    ++result.checked_ops;
    for (const TensorId t : op.outputs) {
      if (!networks.is_of_the_file(networks.file_tensor(t)))
        result.fault = fmt::format("{} makes a tensor that nothing stands for", label(op));
    }
    if (!result.ok()) return result;
    result.fault = operator_fault(networks, op, work);
    if (result.ok()) continue;
    result.fault = fmt::format("{} {}", label(op), result.fault);
    return result;
  }
  const ExecutedNetworks inferences = executed(networks, edges, kWorkOnNetworks);
  result.inferences = inferences.count;
  result.fault = inferences.fault;
  return result;
}

}  // namespace

Certification certify(const Graph& file, const RewrittenGraph& rewritten, Interface interface) {
  try {
    return certified(file, rewritten, interface);
  } catch (const WrongClaim& claim) {
    return {.fault = claim.what};
  }
}

}  // namespace thimble
