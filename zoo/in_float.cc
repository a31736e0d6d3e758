// SPDX-License-Identifier: Apache-2.0
// The networks before they are quantised, for those who train them.
#include "thimble/model/dequantised.h"
#include "thimble/model/error.h"
#include "zoo/zoo.h"

namespace thimble {

Graph build_zoo_float(const std::string& spec) {
  Graph graph = build_zoo(spec);
  for (const Op& op : graph.ops) {
    if (std::holds_alternative<Quantize>(op.attributes) ||
        std::holds_alternative<Dequantize>(op.attributes)) {
      throw CompileError("zoo:" + spec,
                         "is partly float32 already: it has no form in float32 alone");
    }
  }
  for (Tensor& tensor : graph.tensors) {
    if (tensor.quantization.scales.empty()) continue;
    if (tensor.is_constant()) {
      tensor = dequantised(tensor);
    } else {
      tensor.type = DType::kFloat32;
      tensor.quantization = {};
    }
  }
  check_graph(graph);
  return graph;
}

}  // namespace thimble
