// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/range.h"

#include <algorithm>
#include <cmath>

#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"

namespace thimble {

void Range::include(const Range& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

bool Range::is_finite() const { return empty() || (std::isfinite(min) && std::isfinite(max)); }

Range range_of(const std::vector<float>& values) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Range range;
  for (const float value : values)
    range.include(std::isnan(value) ? Range{-kInfinity, kInfinity} : Range{value, value});
  return range;
}

Ranges ranges_of_values(const Graph& graph, const TensorValues& values) {
  Ranges ranges(graph.tensors.size());
  for (size_t t = 0; t < values.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.type != DType::kFloat32 || values[t].empty()) continue;
    ranges[t] = range_of(dequantised(tensor, values[t]));
  }
  return ranges;
}

Ranges observed_ranges(const Graph& graph, const std::vector<Bytes>& inputs) {
  return ranges_of_values(graph, interpret(graph, inputs));
}

void include(Ranges& all, const Ranges& some) {
  all.resize(some.size());
  for (size_t t = 0; t < some.size(); ++t) all[t].include(some[t]);
}

}  // namespace thimble
