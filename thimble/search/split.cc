// SPDX-License-Identifier: Apache-2.0
// Least states by minimum cuts, one half after the other.
#include "thimble/search/split.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "thimble/search/least_cut.h"
#include "thimble/search/walker.h"

namespace thimble {
namespace {

int64_t live_at_start(const OrderProblem& problem, const OrderLinks& links) {
  return Execution(problem, links).live_bytes();
}

int64_t live_at_end(const OrderProblem& problem) {
  int64_t bytes = 0;
  for (const int t : problem.outputs) bytes += problem.size_bytes[index(t)];
  return bytes;
}

/// Operators executed in a state like M, neither none nor all; nothing if there is no such state.
/// If there are several, it is the one that leaves parts of the most equal size.
std::vector<int> least_state(const OrderProblem& problem, OrderBudget* budget) {
  const OrderLinks links(problem);
  LeastCut cuts(problem, links, budget);
  const OpSet none = empty_set(problem.ops.size());
  const auto count = static_cast<int64_t>(problem.ops.size());
  int64_t least = std::min(live_at_start(problem, links), live_at_end(problem));
  std::vector<int> best;
  // The least state with some operator executed; if that is the end, the end has less than all.
  for (int op = 0; op < static_cast<int>(count); ++op) {
    if (spent(budget)) return {};
    OpSet with_op = none;
    put(with_op, op, true);
    const LiveCut cut = *cuts.between(with_op, none);
    std::vector<int> ops;
    for_each(cut.executed, [&](int o) { ops.push_back(o); });
    const auto size = static_cast<int64_t>(ops.size());
    if (cut.live_bytes > least || size == count) continue;
    const auto unevenness = [&](int64_t n) { return std::abs(count - 2 * n); };
    const bool more_even = best.empty() || unevenness(size) < unevenness(std::ssize(best));
    if (cut.live_bytes < least || more_even) best = std::move(ops);
    least = cut.live_bytes;
  }
  return best;
}

void split_into(const Part& part, OrderBudget* budget, std::vector<Part>& result) {
  const std::vector<int> first =
      part.ops.size() < 2 ? std::vector<int>() : least_state(part.problem, budget);
  if (first.empty()) {
    result.push_back(part);
    return;
  }
  std::vector<int> all(part.ops.size()), second;
  std::iota(all.begin(), all.end(), 0);
  std::set_difference(all.begin(), all.end(), first.begin(), first.end(),
                      std::back_inserter(second));
  for (Part half : {part_of(part.problem, {}, first), part_of(part.problem, first, second)}) {
    for (int& op : half.ops) op = part.ops[index(op)];
    split_into(half, budget, result);
  }
}

}  // namespace

Part part_of(const OrderProblem& problem, const std::vector<int>& done,
             const std::vector<int>& ops) {
  Part part{.problem = {.size_bytes = problem.size_bytes, .inputs = {}, .outputs = {}, .ops = {}},
            .ops = ops};
  std::vector<bool> made(problem.size_bytes.size(), false), needed = made, read_later = made;
  std::vector<bool> known(problem.ops.size(), false);
  for (const int t : problem.inputs) made[index(t)] = true;
  for (const int op : done) {
    known[index(op)] = true;
    for (const int t : problem.ops[index(op)].outputs) made[index(t)] = true;
  }
  for (const int op : ops) {
    known[index(op)] = true;
    part.problem.ops.push_back(problem.ops[index(op)]);
    for (const int t : problem.ops[index(op)].inputs) needed[index(t)] = true;
  }
  for (const int t : problem.outputs) read_later[index(t)] = true;
  for (size_t op = 0; op < problem.ops.size(); ++op) {
    if (known[op]) continue;
    for (const int t : problem.ops[op].inputs) read_later[index(t)] = true;
  }
  for (int t = 0; t < static_cast<int>(made.size()); ++t) {
    if (made[index(t)] && (needed[index(t)] || read_later[index(t)])) {
      part.problem.inputs.push_back(t);
    }
  }
  for (const int op : ops) {
    for (const int t : problem.ops[index(op)].outputs) made[index(t)] = true;
  }
  for (int t = 0; t < static_cast<int>(made.size()); ++t) {
    if (made[index(t)] && read_later[index(t)]) part.problem.outputs.push_back(t);
  }
  return part;
}

std::vector<Part> split(const OrderProblem& problem, OrderBudget* budget) {
  std::vector<int> all(problem.ops.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<Part> result;
  const Part whole{.problem = problem, .ops = all};
  if (regular(problem)) {
    split_into(whole, budget, result);
  } else {
    result.push_back(whole);
  }
  return result;
}

}  // namespace thimble
