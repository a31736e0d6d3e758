// SPDX-License-Identifier: Apache-2.0
// Level by level; what can be taken at once leads several levels on.
#include "thimble/search/beam_search.h"

#include <algorithm>
#include <tuple>

namespace thimble {
namespace {

int members(const OpSet& set) {
  int result = 0;
  for (const uint64_t word : set) result += std::popcount(word);
  return result;
}

}  // namespace

BeamResult beam_search(const OrderProblem& problem, const OrderLinks& links, Direction direction,
                       const BeamLimits& limits) {
  const size_t count = problem.ops.size();
  Walker walker(problem, links, direction, limits.budget);
  StateTable table(count);
  std::vector<std::vector<int>> levels(count + 1);  // by number of moves
  const auto add = [&](int64_t cost, int last_move, const std::vector<int>& moves) {
    charge(limits.budget, walker.executed().size());
    const int executed = members(walker.executed());
    const int state = table.add(
        walker.executed(), {.cost = cost, .live_bytes = walker.live_bytes()}, last_move, moves);
    const auto all = static_cast<int>(count);
    const int level = direction == Direction::kForward ? executed : all - executed;
    if (state >= 0) levels[index(level)].push_back(state);
  };
  add(limits.at_least, -1, {});
  for (size_t k = 0; k < count && !spent(limits.budget); ++k) {
    std::vector<int>& level = levels[k];
    const auto key = [&](int s) {
      return std::tuple(table.state(s).cost, table.state(s).live_bytes, s);
    };
    std::sort(level.begin(), level.end(), [&](int a, int b) { return key(a) < key(b); });
    level.erase(std::unique(level.begin(), level.end()), level.end());
    const int64_t keep = table.size() < limits.states ? limits.width : 1;
    if (std::ssize(level) > keep) level.resize(static_cast<size_t>(keep));
    for (const int s : level) {
      const StateTable::State state = table.state(s);
      walker.go_to(table.executed(s), state.live_bytes);
      walker.each_continuation(
          state.cost, limits.below,
          [&](int64_t cost, const std::vector<int>& moves) { add(cost, state.last_move, moves); });
    }
  }
  BeamResult result{.found = {}, .states = table.size()};
  if (levels[count].empty() || spent(limits.budget)) return result;
  const int goal = levels[count].back();
  result.found = {.ops = table.moves_to(goal), .peak_bytes = table.state(goal).cost};
  if (direction == Direction::kBackward) {
    std::reverse(result.found->ops.begin(), result.found->ops.end());
  }
  return result;
}

}  // namespace thimble
