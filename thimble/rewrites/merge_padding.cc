// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "thimble/operators/operators.h"
#include "thimble/rewrites/edit.h"
#include "thimble/rewrites/rewrites.h"

namespace thimble {
namespace {

Window* window_of(Op& op) {
  if (auto* conv = std::get_if<Conv2D>(&op.attributes)) return &conv->window;
  if (auto* depthwise = std::get_if<DepthwiseConv2D>(&op.attributes)) return &depthwise->window;
  return nullptr;  // pools leave padding out of their counts and maxima: not the same
}

// Rows and columns of zeros around an image.
bool pads_image_with_zeros(const Graph& graph, const Op& op) {
  const auto* pad = std::get_if<Pad>(&op.attributes);
  if (pad == nullptr || pad->before.size() != 4) return false;
  const Quantization& quantization = graph.tensor(op.inputs[0]).quantization;
  const bool zeros = is_float32(graph, op) ? pad->value == 0
                                           : quantization.zero_points.size() == 1 &&
                                                 pad->value == quantization.zero_points[0];
  return pad->before[0] == 0 && pad->after[0] == 0 && pad->before[3] == 0 && pad->after[3] == 0 &&
         quantization == graph.tensor(op.outputs[0]).quantization && zeros;
}

}  // namespace

Graph merge_padding(Graph graph) {
  const std::vector<std::vector<OpId>> readers = consumers(graph);
  for (size_t k = 0; k < graph.ops.size(); ++k) {
    if (!pads_image_with_zeros(graph, graph.ops[k])) continue;
    const Pad pad = std::get<Pad>(graph.ops[k].attributes);
    const TensorId in = graph.ops[k].inputs[0], out = graph.ops[k].outputs[0];
    for (const OpId id : readers[out.index()]) {
      Op& reader = graph.ops[id.index()];
      Window* window = window_of(reader);
      if (window == nullptr || reader.inputs[0] != out) continue;
      const Op before = reader;
      window->padding.top += pad.before[1];
      window->padding.bottom += pad.after[1];
      window->padding.left += pad.before[2];
      window->padding.right += pad.after[2];
      reader.inputs[0] = in;
      if (!unsupported_reason(graph, reader).empty()) reader = before;
    }
  }
  return remove_dead_ops(std::move(graph));  // pads that all readers took over
}

}  // namespace thimble
