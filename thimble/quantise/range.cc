// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "thimble/model/error.h"
#include "thimble/reference/interpreter.h"
#include "thimble/reference/real_values.h"

namespace thimble {

void Range::include(const Range& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

Range range_of(const std::vector<float>& values, const std::string& where) {
  Range range;
  for (const float value : values) {
    if (!std::isfinite(value))
      throw CompileError(where,
                         fmt::format("has the value {}, which no integer stands for", value));
    range.include({value, value});
  }
  return range;
}

Ranges observed_ranges(const Graph& graph, const std::vector<Bytes>& inputs) {
  const TensorValues values = interpret(graph, inputs);
  Ranges ranges(graph.tensors.size());
  for (size_t t = 0; t < values.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.type != DType::kFloat32 || values[t].empty()) continue;
    ranges[t] = range_of(dequantised(tensor, values[t]), fmt::format("tensor '{}'", tensor.name));
  }
  return ranges;
}

void include(Ranges& all, const Ranges& some) {
  all.resize(some.size());
  for (size_t t = 0; t < some.size(); ++t) all[t].include(some[t]);
}

}  // namespace thimble
