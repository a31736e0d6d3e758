// SPDX-License-Identifier: Apache-2.0
#include "thimble/import/onnx/scope.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "thimble/import/refusal.h"
#include "thimble/import/utf8.h"

namespace thimble::onnx {

std::vector<const NodeRecord*> needed_in_order(const std::vector<NodeRecord>& nodes,
                                               const std::vector<std::string_view>& wanted,
                                               const std::string& where) {
  std::unordered_map<std::string_view, size_t> maker;
  for (size_t k = 0; k < nodes.size(); ++k)
    for (const std::string_view output : nodes[k].outputs)
      if (!output.empty() && !maker.emplace(output, k).second)
        throw Damage(where, fmt::format("two nodes make '{}'", printable(output)));
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(nodes.size(), State::kNew);
  std::vector<const NodeRecord*> order;
  std::vector<std::pair<size_t, bool>> stack;
  const auto want = [&](std::string_view name) {
    const auto found = maker.find(name);
    if (found != maker.end() && states[found->second] == State::kNew)
      stack.emplace_back(found->second, false);
  };
  for (const std::string_view name : wanted) {
    want(name);
    while (!stack.empty()) {
      const auto [k, read] = stack.back();
      stack.pop_back();
      if (read) {
        states[k] = State::kDone;
        order.push_back(&nodes[k]);
      } else if (states[k] == State::kNew) {
        states[k] = State::kOpen;
        stack.emplace_back(k, true);
        for_each_read(nodes[k], want);
      }
    }
  }
  // As the file has them, where that is an order.
  std::vector<size_t> place(nodes.size(), nodes.size());
  for (size_t k = 0; k < order.size(); ++k) place[static_cast<size_t>(order[k] - nodes.data())] = k;
  bool sorted = true;
  for (const NodeRecord* node : order) {
    const auto own = static_cast<size_t>(node - nodes.data());
    for_each_read(*node, [&](std::string_view name) {
      const auto found = maker.find(name);
      if (found != maker.end() && found->second >= own) sorted = false;
    });
  }
  if (sorted) std::ranges::sort(order);
  return order;
}

}  // namespace thimble::onnx
