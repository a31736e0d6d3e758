// SPDX-License-Identifier: Apache-2.0
#include "thimble/operators/step_rows.h"

#include <algorithm>

namespace thimble {
namespace {

bool is_run(const Graph& step, const Op& op) {
  const auto* slice = std::get_if<Slice>(&op.attributes);
  return slice != nullptr && is_row(step.tensor(op.inputs[0]).shape) && slice->stride.back() == 1;
}

/// Whether the operand has the output's extent, or is a constant of one element.
bool fits_row(const Graph& step, TensorId operand, int64_t count) {
  const Tensor& t = step.tensor(operand);
  const int64_t own = elements(t.shape);
  return t.type == DType::kInt8 && (own == count || (own == 1 && t.is_constant()));
}

bool is_layer(const Graph& step, const Op& op) {
  const auto* layer = std::get_if<FullyConnected>(&op.attributes);
  if (layer == nullptr || op.inputs.size() < 2) return false;
  const Tensor &x = step.tensor(op.inputs[0]), &weights = step.tensor(op.inputs[1]);
  const auto& zeros = weights.quantization.zero_points;
  return weights.is_constant() && weights.type == DType::kInt8 && weights.shape.size() == 2 &&
         x.type == DType::kInt8 && elements(x.shape) == weights.shape[1] &&
         std::ranges::all_of(zeros, [](int32_t zero) { return zero == 0; }) &&
         std::all_of(op.inputs.begin() + 2, op.inputs.end(), [&](TensorId bias) {
           return step.tensor(bias).is_constant() && step.tensor(bias).type == DType::kInt32;
         });
}

}  // namespace

bool is_row(const Shape& shape) { return !shape.empty() && elements(shape) == shape.back(); }

bool is_view(const Graph& step, const Op& op) {
  return std::holds_alternative<Reshape>(op.attributes) || is_run(step, op);
}

StepRow step_row(const Graph& step, const std::vector<OpId>& producers, TensorId tensor) {
  StepRow row{tensor};
  for (OpId id = producers[row.tensor.index()]; id.valid() && is_view(step, step.op(id));
       id = producers[row.tensor.index()]) {
    const Op& op = step.op(id);
    if (const auto* slice = std::get_if<Slice>(&op.attributes)) row.begin += slice->begin.back();
    row.tensor = op.inputs[0];
  }
  return row;
}

bool is_step_operator(const Graph& step, const Op& op) {
  if (op.outputs.size() != 1 || op.attributes.arithmetic != Arithmetic::kTflite) return false;
  const Tensor& out = step.tensor(op.outputs[0]);
  if (out.type != DType::kInt8) return false;
  if (is_view(step, op)) return !step.tensor(op.inputs[0]).is_constant();
  if (!is_row(out.shape)) return false;
  if (std::holds_alternative<FullyConnected>(op.attributes)) return is_layer(step, op);
  const auto has_rows = [&](size_t count) {
    return op.inputs.size() == count && std::ranges::all_of(op.inputs, [&](TensorId operand) {
             return fits_row(step, operand, out.shape.back());
           });
  };
  if (std::holds_alternative<Logistic>(op.attributes) ||
      std::holds_alternative<Tanh>(op.attributes))
    return has_rows(1);
  return (std::holds_alternative<Add>(op.attributes) ||
          std::holds_alternative<Sub>(op.attributes) ||
          std::holds_alternative<Mul>(op.attributes)) &&
         has_rows(2);
}

}  // namespace thimble
