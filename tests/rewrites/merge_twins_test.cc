// SPDX-License-Identifier: Apache-2.0
// Operators that are copies of one another, in random networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/random_network.h"
#include "tests/support/workload.h"
#include "thimble/plan/order_problem.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

/// Some of its operators twice, some of their readers at the copies; some outputs, too.
Graph with_twins(const Graph& graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  Graph result = graph;
  result.ops.clear();
  std::vector<TensorId> twin(graph.tensors.size());
  for (const Op& op : graph.ops) {
    Op first = op;
    const auto either = [&](TensorId t) {
      return twin[t.index()].valid() && random() % 2 == 0 ? twin[t.index()] : t;
    };
    std::ranges::transform(first.inputs, first.inputs.begin(), either);
    result.ops.push_back(first);
    if (op.outputs.size() != 1 || random() % 3 == 0) continue;
    // Now and then of other operands that are the same once these are merged.
    if (random() % 2 == 0) std::ranges::transform(op.inputs, first.inputs.begin(), either);
    first.outputs = {TensorId{static_cast<int32_t>(result.tensors.size())}};
    twin[op.outputs[0].index()] = first.outputs[0];
    result.tensors.push_back(Tensor(graph.tensor(op.outputs[0])));
    result.ops.push_back(first);
  }
  for (Port& port : result.outputs) {
    const TensorId other = twin[port.tensor.index()];
    if (other.valid() && random() % 2 == 0) port.tensor = other;
  }
  return result;
}

Order least_order(const Graph& graph, Place input) {
  return reorder(order_problem(graph, instances_of(graph, {.input = input}), true));
}

TEST(MergeTwins, ComputesTheSameInNoMoreBytes) {
  size_t merged = 0;
  for (uint64_t seed = 1; seed <= testing::random_cases(300, 5'000); ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph = seed % 2 == 0 ? testing::random_network(seed) : testing::random_chain(seed);
    const Graph before = with_twins(graph, seed);
    check_graph(before);
    const Graph after = merge_twins(before);
    check_graph(after);
    merged += before.ops.size() - after.ops.size();
    const std::vector<Bytes> inputs = testing::noise(before, seed);
    ASSERT_EQ(testing::expected_outputs(after, inputs), testing::expected_outputs(before, inputs));
    const Place input = seed % 3 == 0 ? Place::kResident : Place::kUser;
    const Order of_before = least_order(before, input), of_after = least_order(after, input);
    if (!of_before.proven_optimal || !of_after.proven_optimal) continue;
    ASSERT_LE(of_after.peak_bytes, of_before.peak_bytes);
  }
  EXPECT_GT(merged, 50U);
}

}  // namespace
}  // namespace thimble
