// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/evaluate.h"

namespace thimble::reference {

const Tensor& OpContext::input(size_t i) const {
  check(has_input(i), "an operator lacks an operand");
  return graph.tensor(op.inputs[i]);
}

const Tensor& OpContext::output() const {
  check(!op.outputs.empty(), "an operator lacks an output");
  return graph.tensor(op.outputs[0]);
}

const Bytes& OpContext::input_bytes(size_t i) const {
  const Tensor& tensor = input(i);
  const Bytes& bytes = tensor.is_constant() ? *tensor.data : values.at(op.inputs[i].index());
  check(static_cast<int64_t>(bytes.size()) == tensor.size_bytes(),
        "an operand's value does not have the size of its tensor");
  return bytes;
}

float scale_of(const Tensor& tensor) {
  check(tensor.quantization.scales.size() == 1, "an activation has one scale");
  return tensor.quantization.scales[0];
}

int32_t zero_point_of(const Tensor& tensor) {
  const std::vector<int32_t>& zero_points = tensor.quantization.zero_points;
  check(zero_points.size() == 1, "an activation has one zero point");
  return zero_points[0];
}

std::vector<int32_t> bias_of(const OpContext& context, int64_t count) {
  if (!context.has_input(2)) return std::vector<int32_t>(static_cast<size_t>(count), 0);
  std::vector<int32_t> bias = context.read<int32_t>(2);
  check(static_cast<int64_t>(bias.size()) == count, "a bias has one value per output channel");
  return bias;
}

}  // namespace thimble::reference
