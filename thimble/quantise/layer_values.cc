// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/layer_values.h"

#include <algorithm>

#include "thimble/reference/interpreter.h"
#include "thimble/search/parallel.h"

namespace thimble {
namespace {

/// By operator: the activations that no operator behind it reads.
std::vector<std::vector<TensorId>> last_reads(const Graph& graph) {
  std::vector<std::vector<TensorId>> result(graph.ops.size());
  std::vector<bool> read(graph.tensors.size());
  for (size_t o = graph.ops.size(); o-- > 0;) {
    for (const auto* operands : {&graph.ops[o].inputs, &graph.ops[o].outputs}) {
      for (const TensorId t : *operands) {
        if (read[t.index()] || graph.tensor(t).is_constant()) continue;
        read[t.index()] = true;
        result[o].push_back(t);
      }
    }
  }
  return result;
}

}  // namespace

LayerValues::LayerValues(const Graph& graph, const std::vector<std::vector<Bytes>>& inputs)
    : graph_(graph), last_read_(last_reads(graph)) {
  for (const std::vector<Bytes>& given : inputs) {
    TensorValues& values = values_.emplace_back(graph.tensors.size());
    for (size_t p = 0; p < given.size(); ++p)
      values[graph.inputs[p].tensor.index()] = from_port(graph, graph.inputs[p], given[p]);
  }
}

void LayerValues::compute(OpId next, int jobs) {
  if (done_ >= next.index()) return;
  in_parallel(values_.size(), jobs, [&](size_t k, size_t) {
    TensorValues& values = values_[k];
    for (size_t o = done_; o < next.index(); ++o) {
      const Op& op = graph_.ops[o];
      std::vector<Bytes> outputs = interpret_op(graph_, op, values);
      for (size_t i = 0; i < outputs.size(); ++i)
        values[op.outputs[i].index()] = std::move(outputs[i]);
      for (const TensorId t : last_read_[o]) values[t.index()] = Bytes();
    }
  });
  done_ = next.index();
}

const Bytes& LayerValues::value(size_t inference, TensorId t) const {
  const Tensor& tensor = graph_.tensor(t);
  return tensor.is_constant() ? *tensor.data : values_[inference][t.index()];
}

int64_t LayerValues::peak_bytes(const Graph& graph) {
  const auto reads = last_reads(graph);
  int64_t now = 0, peak = 0;
  for (const Port& port : graph.inputs) now += graph.tensor(port.tensor).size_bytes();
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    for (const TensorId t : graph.ops[o].outputs) now += graph.tensor(t).size_bytes();
    peak = std::max(peak, now);
    for (const TensorId t : reads[o]) now -= graph.tensor(t).size_bytes();
  }
  return peak;
}

}  // namespace thimble
