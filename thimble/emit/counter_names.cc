// SPDX-License-Identifier: Apache-2.0
#include "thimble/emit/counter_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace thimble {
namespace {

// What one iteration is, and all of them.
struct Unit {
  const char *one, *all;
  bool operator==(const Unit&) const = default;
};
constexpr Unit kUnits[kKernelAxes] = {{"image", kAxisWords[0]},
                                      {"row", kAxisWords[1]},
                                      {"column", kAxisWords[2]},
                                      {"channel", kAxisWords[3]}};
constexpr Unit kOuter = {"outer", "outer_axes"};
constexpr Unit kPass = {"pass", "passes"};  // nothing in it follows the counter

struct Counted {
  Unit unit = kPass;
  bool several = false;  // of these in an iteration
};

// How often calls follow a loop along an axis, and whether any goes on by more than one.
struct Votes {
  std::array<int, kKernelAxes> calls = {};
  std::array<bool, kKernelAxes> several = {};
  bool outer = false;

  void add(const IntervalExpr& interval, LoopId loop, size_t axis) {
    bool follows = false;
    each_bound(interval, [&](const IndexExpr& bound) {
      for (const Term& term : bound.terms) {
        if (term.loop != loop) continue;
        follows = true;
        if (std::abs(term.coefficient) > bound.divisor) several[axis] = true;
      }
    });
    if (follows) ++calls[axis];
  }
};

Counted counted(const ProgramLoop& loop) {
  constexpr size_t kRows = 1, kChannels = 3;
  Votes votes;
  written_calls(loop.body, [&](const Call& call) {
    for (size_t axis = 0; axis < kKernelAxes; ++axis)
      votes.add(call.axes[axis].interval, loop.id, axis);
    if (call.chunk) {
      const bool rows = info(call.kernel).family == Family::kSumAccumulate;
      votes.add(call.chunk->interval, loop.id, rows ? kRows : kChannels);
    }
    for (const IndexExpr& coordinate : call.leading) {
      for (const Term& term : coordinate.terms) votes.outer = votes.outer || term.loop == loop.id;
    }
  });
  const size_t axis =
      static_cast<size_t>(std::ranges::max_element(votes.calls) - votes.calls.begin());
  if (votes.calls[axis] > 0) return {kUnits[axis], votes.several[axis]};
  return {votes.outer ? kOuter : kPass, false};
}

void each_loop(std::span<const ProgramNode> nodes,
               const std::function<void(const ProgramLoop&)>& visit) {
  for (const ProgramNode& node : nodes) {
    visit_node(
        node, [](const Call&) {}, [](const TransferCall&) {},
        [&](const ProgramLoop& loop) {
          visit(loop);
          each_loop(loop.body, visit);
        });
  }
}

}  // namespace

void CounterNames::add(std::span<const ProgramNode> nodes) { add(nodes, {}); }

void CounterNames::add(std::span<const ProgramNode> nodes, const std::set<std::string>& taken) {
  for (const ProgramNode& node : nodes) {
    visit_node(
        node, [](const Call&) {}, [](const TransferCall&) {},
        [&](const ProgramLoop& loop) {
          const Counted what = counted(loop);
          const std::string name = fmt::format("{}{}", what.unit.one, what.several ? "_tile" : "");
          std::set<std::string> within = taken;
          std::string unique = name;
          for (int number = 2; !within.insert(unique).second; ++number)
            unique = fmt::format("{}_{}", name, number);
          names_[loop.id] = unique;
          add(loop.body, within);
        });
  }
}

std::string loop_words(std::span<const ProgramNode> nodes) {
  std::vector<std::string> words;
  each_loop(nodes, [&](const ProgramLoop& loop) {
    const std::string word = counted(loop).unit.all;
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  });
  return words.empty() ? "" : fmt::format("_by_{}", fmt::join(words, "_and_"));
}

}  // namespace thimble
