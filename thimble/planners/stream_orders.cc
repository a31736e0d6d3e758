// SPDX-License-Identifier: Apache-2.0
#include "thimble/planners/stream_orders.h"

#include <algorithm>
#include <functional>
#include <set>

#include "thimble/moves/resident_first.h"
#include "thimble/search/narrow_early.h"

namespace thimble {
namespace {

constexpr size_t kMostWithAllOrders = 300;  // instances

/// Rows are received before everything else, and delivered behind it.
std::vector<int> ports_at_the_ends(const Dataflow& flow, std::vector<int> order) {
  const Instances& all = flow.instances;
  const auto receives = [&](int i) { return all.receives(all.instance({i})); };
  const auto delivers = [&](int i) { return all.delivers(all.instance({i})); };
  std::stable_partition(order.begin(), order.end(), receives);
  std::stable_partition(order.begin(), order.end(), std::not_fn(delivers));
  return order;
}

}  // namespace

std::vector<std::vector<int>> stream_orders(const Dataflow& dataflow, const OrderProblem& problem,
                                            const TimeLimit* time) {
  const std::vector<int> least = reorder(problem, kOrderStates, time).ops;
  const std::vector<int> narrow = narrow_early(problem, least).ops;
  std::vector<std::vector<int>> orders;
  const auto add = [&](const std::vector<int>& order) {
    if (std::ranges::find(orders, order) == orders.end()) orders.push_back(order);
  };
  // In large networks of cells others gain nothing, and take long.
  const bool few = narrow != least && least.size() > kMostWithAllOrders;
  if (!few) add(original_order(problem).ops);
  add(ports_at_the_ends(dataflow, least));
  if (!few) add(resident_first_order(dataflow.axes, dataflow.instances));
  add(ports_at_the_ends(dataflow, narrow));
  return orders;
}

const std::vector<std::vector<int>>& KnownOrders::orders_of(const Dataflow& dataflow,
                                                            const OrderProblem& problem,
                                                            const TimeLimit* time) {
  const auto same = [&](const Known& k) {
    return k.problem == problem && k.instances == dataflow.instances;
  };
  {
    const std::lock_guard lock(mutex_);
    const auto at = std::ranges::find_if(known_, same);
    if (at != known_.end()) return at->orders;
  }
  Known found{dataflow.instances, problem, stream_orders(dataflow, problem, time)};
  const std::lock_guard lock(mutex_);
  return known_.emplace_back(std::move(found)).orders;
}

std::vector<std::vector<int>> more_orders(const Dataflow& dataflow, const OrderProblem& problem,
                                          size_t most) {
  std::set<std::vector<int>> orders;
  for (std::vector<int>& order : all_orders(problem, most))
    orders.insert(ports_at_the_ends(dataflow, std::move(order)));
  return {orders.begin(), orders.end()};
}

}  // namespace thimble
