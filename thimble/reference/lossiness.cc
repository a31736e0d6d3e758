// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/lossiness.h"

#include <algorithm>
#include <cmath>

#include "thimble/reference/elements.h"
#include "thimble/reference/partial_sums.h"

namespace thimble {

std::vector<Lossiness> lossiness(const Graph& graph) {
  const Graph exact = with_accumulators(graph, {});
  const std::vector<OpId> producer = producers(exact);
  std::vector<Lossiness> result;
  for (const Accumulator& a : graph.accumulators) {
    const Op& op = exact.op(producer[a.tensor.index()]);
    const SumRange bound = bounded_sums(exact, op);
    const double scale = static_cast<double>(a.scale);
    const double step = static_cast<double>(graph.tensor(a.tensor).quantization.scales.at(0));
    const reference::IntegerRange values = reference::range_of(a.type);
    const double low = scale * static_cast<double>(values.min - a.zero_point);
    const double high = scale * static_cast<double>(values.max - a.zero_point);
    const auto depth = static_cast<double>(graph.tensor(op.inputs[0]).shape.back());
    const double chunks = std::ceil(depth / static_cast<double>(a.chunk));
    // The bound itself is met to half a step of the accumulator.
    const double beyond = std::max({low - bound.low, bound.high - high, 0.0});
    result.push_back({.tensor = a.tensor,
                      .rounding_steps = chunks * scale / step + 1,
                      .saturation_steps = beyond <= scale ? 0 : beyond / step,
                      .derived = a == accumulator_for(a.tensor, a.type, a.chunk, bound)});
  }
  return result;
}

}  // namespace thimble
