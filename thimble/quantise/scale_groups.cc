// SPDX-License-Identifier: Apache-2.0
#include "thimble/quantise/scale_groups.h"

#include <numeric>

#include "thimble/quantise/scales.h"
#include "thimble/reference/real_values.h"

namespace thimble {
namespace {

using Output = Demands::Output;

/// What enters a group of tensors from without.
struct Entering {
  std::optional<Quantization> fixed;
  bool free = false;  ///< something that has no fixed scale, or another one
  Range range;

  /// made: by whom, in the group's type; null: by QUANTIZE, or by the caller.
  void include(const Demands* made) {
    if (made != nullptr && made->output == Output::kTied) return;
    if (made == nullptr || made->output != Output::kFixed) {
      free = true;
    } else if (!fixed) {
      fixed = made->fixed;
    } else if (*fixed != made->fixed) {
      free = true;
    }
  }
};

}  // namespace

ScaleGroups::ScaleGroups(const Graph& graph, const DemandsOfOps& demands, const Ranges& ranges)
    : parent_(2 * graph.tensors.size()), scales_(parent_.size()) {
  std::iota(parent_.begin(), parent_.end(), size_t{0});
  tie(graph, demands);

  const std::vector<OpId> producer = producers(graph);
  std::vector<Entering> groups(parent_.size());
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.type != DType::kFloat32) continue;
    const TensorId id{static_cast<int32_t>(t)};
    const Range range =
        tensor.is_constant() ? range_of(dequantised(tensor, *tensor.data)) : ranges[t];
    const std::optional<Demands>* made =
        producer[t].valid() ? &demands[producer[t].index()] : nullptr;
    for (const DType type : {DType::kInt8, DType::kInt16}) {
      Entering& group = groups[root(node(id, type))];
      group.range.include(range);
      const bool here =
          made != nullptr && made->has_value() && activation_type((*made)->format) == type;
      group.include(here ? &**made : nullptr);
    }
  }
  for (size_t k = 0; k < groups.size(); ++k) {
    scales_[k] = groups[k].fixed && !groups[k].free ? *groups[k].fixed
                 : k % 2 == 0                       ? int8_scale(groups[k].range)
                                                    : int16_scale(groups[k].range);
  }
}

size_t ScaleGroups::root(size_t node) const {
  while (parent_[node] != node) node = parent_[node];
  return node;
}

void ScaleGroups::tie(const Graph& graph, const DemandsOfOps& demands) {
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    if (!demands[o]) continue;
    const Op& op = graph.ops[o];
    const DType type = activation_type(demands[o]->format);
    for (const size_t k : demands[o]->tied)
      parent_[root(node(op.inputs[k], type))] = root(node(op.outputs[0], type));
  }
}

}  // namespace thimble
