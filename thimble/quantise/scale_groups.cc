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
};

}  // namespace

ScaleGroups::ScaleGroups(const Graph& graph, const DemandsOfOps& demands, const Ranges& ranges)
    : parent_(graph.tensors.size()), scales_(graph.tensors.size()) {
  std::iota(parent_.begin(), parent_.end(), size_t{0});
  tie(graph, demands);

  const std::vector<OpId> producer = producers(graph);
  std::vector<Entering> groups(graph.tensors.size());
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.type != DType::kFloat32) continue;
    const TensorId id{static_cast<int32_t>(t)};
    Entering& group = groups[root(id)];
    group.range.include(tensor.is_constant() ? range_of(dequantised(tensor, *tensor.data))
                                             : ranges[t]);
    const std::optional<Demands>* made =
        producer[t].valid() ? &demands[producer[t].index()] : nullptr;
    if (made != nullptr && *made && (*made)->output == Output::kTied) continue;
    if (made == nullptr || !*made || (*made)->output != Output::kFixed) {
      group.free = true;
    } else if (!group.fixed) {
      group.fixed = (*made)->fixed;
    } else if (*group.fixed != (*made)->fixed) {
      group.free = true;
    }
  }
  for (size_t k = 0; k < groups.size(); ++k)
    scales_[k] =
        groups[k].fixed && !groups[k].free ? *groups[k].fixed : int8_scale(groups[k].range);
}

size_t ScaleGroups::root(TensorId t) const {
  size_t k = t.index();
  while (parent_[k] != k) k = parent_[k];
  return k;
}

void ScaleGroups::join(TensorId a, TensorId b) { parent_[root(a)] = root(b); }

void ScaleGroups::tie(const Graph& graph, const DemandsOfOps& demands) {
  for (size_t o = 0; o < graph.ops.size(); ++o) {
    if (!demands[o]) continue;
    for (const size_t k : demands[o]->tied) join(graph.ops[o].inputs[k], graph.ops[o].outputs[0]);
  }
}

}  // namespace thimble
