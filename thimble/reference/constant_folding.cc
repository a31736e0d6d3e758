// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/constant_folding.h"

#include <algorithm>
#include <cmath>

#include "thimble/operators/element_reads.h"
#include "thimble/reference/elements.h"

namespace thimble {
namespace {

bool is_finite(const Tensor& tensor, const Bytes& bytes) {
  if (tensor.type != DType::kFloat32) return true;
  return std::ranges::all_of(reference::elements_from<float>(bytes),
                             [](float value) { return std::isfinite(value); });
}

}  // namespace

bool ConstantFolding::fold(Graph& graph, const Op& op) {
  const auto is_constant = [&](TensorId id) { return graph.tensor(id).is_constant(); };
  if (!std::ranges::all_of(op.inputs, is_constant)) return false;
  int64_t bytes = 0;
  for (const TensorId t : op.outputs) bytes += graph.tensor(t).size_bytes();
  const double reads = element_reads(graph, op);
  if (bytes > bytes_left_ || reads > reads_left_) return false;
  bytes_left_ -= bytes;
  reads_left_ -= reads;
  if (none_.size() < graph.tensors.size()) none_.resize(graph.tensors.size());
  std::vector<Bytes> values = interpret_op(graph, op, none_);
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    if (!is_finite(graph.tensor(op.outputs[k]), values[k])) return false;
  }
  for (size_t k = 0; k < op.outputs.size(); ++k)
    graph.tensor(op.outputs[k]).data = std::make_shared<const Bytes>(std::move(values[k]));
  return true;
}

}  // namespace thimble
