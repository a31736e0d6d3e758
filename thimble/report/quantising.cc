// SPDX-License-Identifier: Apache-2.0
#include "thimble/report/quantising.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "thimble/model/division.h"
#include "thimble/target/size.h"

namespace thimble {
namespace {

constexpr int64_t kFloatBytes = 4;  ///< of an element; int8 has one

bool is_bias(const Op& op, size_t input) {
  if (std::holds_alternative<Lstm>(op.attributes) ||
      std::holds_alternative<Recurrent>(op.attributes))
    return input == 4;
  const bool weighted = std::holds_alternative<Conv2D>(op.attributes) ||
                        std::holds_alternative<DepthwiseConv2D>(op.attributes) ||
                        std::holds_alternative<TransposeConv>(op.attributes) ||
                        std::holds_alternative<FullyConnected>(op.attributes);
  return weighted && input == 2;
}

}  // namespace

std::optional<Quantising> quantising(const Graph& graph) {
  Quantising result;
  std::set<TensorId> counted;
  for (const Op& op : graph.ops) {
    for (size_t k = 0; k < op.inputs.size(); ++k) {
      const Tensor& t = graph.tensor(op.inputs[k]);
      if (t.type != DType::kFloat32 || !t.is_constant() || is_bias(op, k)) continue;
      if (counted.insert(op.inputs[k]).second) result.float_weight_bytes += t.size_bytes();
    }
    for (const TensorId t : op.outputs) {
      if (graph.tensor(t).type != DType::kFloat32) result.all_activations = false;
    }
  }
  for (const Port& port : graph.inputs) {
    if (graph.tensor(port.tensor).type != DType::kFloat32) result.all_activations = false;
  }
  if (result.float_weight_bytes == 0 && (!result.all_activations || graph.ops.empty()))
    return std::nullopt;
  return result;
}

std::string quantising_text(const Graph& graph, int64_t weight_bytes, int64_t sram_bytes) {
  const std::optional<Quantising> found = quantising(graph);
  if (!found) return "";
  const int64_t saved =
      found->float_weight_bytes - ceil_div(found->float_weight_bytes, kFloatBytes);
  std::vector<std::string> parts;
  if (saved > 0) {
    parts.push_back(fmt::format("weights about {} instead of {}", human_size(weight_bytes - saved),
                                human_size(weight_bytes)));
  }
  if (found->all_activations) {
    parts.push_back(fmt::format("SRAM about {} instead of {}",
                                human_size(ceil_div(sram_bytes, kFloatBytes)),
                                human_size(sram_bytes)));
  }
  return fmt::format("in int8 instead of float32, estimated: {}", fmt::join(parts, ", "));
}

}  // namespace thimble
