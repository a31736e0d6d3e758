// SPDX-License-Identifier: Apache-2.0
#include "zoo/shared_scales.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <variant>

namespace thimble::zoo {
namespace {

bool keeps_the_scale(const Attributes& attributes) {
  return std::holds_alternative<AveragePool2D>(attributes) ||
         std::holds_alternative<MaxPool2D>(attributes) ||
         std::holds_alternative<Reshape>(attributes) || std::holds_alternative<Pad>(attributes) ||
         std::holds_alternative<Transpose>(attributes) ||
         std::holds_alternative<Concat>(attributes) || std::holds_alternative<Slice>(attributes) ||
         std::holds_alternative<ResizeNearestNeighbor>(attributes) ||
         std::holds_alternative<ResizeBilinear>(attributes);
}

/// The operands that have the output's scale.
std::span<const TensorId> moved_operands(const Op& op) {
  const std::span<const TensorId> inputs = op.inputs;
  if (std::holds_alternative<Gather>(op.attributes)) return inputs.first(1);       // no indices
  if (std::holds_alternative<UpdateSlice>(op.attributes)) return inputs.first(2);  // no begins
  if (std::holds_alternative<Select>(op.attributes)) return inputs.subspan(1);     // no condition
  // An input has the same range in float32 and in int8.
  const bool port = std::holds_alternative<Quantize>(op.attributes);
  return port || keeps_the_scale(op.attributes) ? inputs : inputs.first(0);
}

}  // namespace

void share_scales(const Graph& graph, std::vector<Range>& ranges) {
  std::vector<size_t> leader(ranges.size());
  std::iota(leader.begin(), leader.end(), size_t{0});
  const auto find = [&](size_t t) {
    while (leader[t] != t) t = leader[t] = leader[leader[t]];
    return t;
  };
  for (const Op& op : graph.ops) {
    for (const TensorId t : moved_operands(op)) {
      leader[find(t.index())] = find(op.outputs[0].index());
    }
  }
  for (const State& state : graph.states) leader[find(state.in.index())] = find(state.out.index());
  for (size_t t = 0; t < ranges.size(); ++t) {
    Range& whole = ranges[find(t)];
    whole = {std::min(whole.min, ranges[t].min), std::max(whole.max, ranges[t].max)};
  }
  for (size_t t = 0; t < ranges.size(); ++t) ranges[t] = ranges[find(t)];
}

}  // namespace thimble::zoo
