// SPDX-License-Identifier: Apache-2.0
// The networks before they are quantised, for those who train them.
#include "thimble/model/dequantised.h"
#include "thimble/model/error.h"
#include "thimble/reference/elements.h"
#include "zoo/zoo.h"

namespace thimble {
namespace {

/// A bias of int32: as many scales as channels, or one.
Tensor dequantised_bias(const Tensor& bias) {
  std::vector<float> values;
  const std::vector<float>& scales = bias.quantization.scales;
  for (const int32_t step : reference::integers_from(*bias.data, bias.type))
    values.push_back(static_cast<float>(step) * scales[values.size() % scales.size()]);
  return {bias.name,
          bias.shape,
          DType::kFloat32,
          {},
          std::make_shared<const Bytes>(reference::bytes_from(values))};
}

}  // namespace

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
      tensor = tensor.type == DType::kInt32 ? dequantised_bias(tensor) : dequantised(tensor);
    } else {
      tensor.type = DType::kFloat32;
      tensor.quantization = {};
    }
  }
  check_graph(graph);
  return graph;
}

}  // namespace thimble
