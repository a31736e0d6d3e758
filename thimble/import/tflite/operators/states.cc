// SPDX-License-Identifier: Apache-2.0
// SVDF, which keeps something from one inference to the next.
#include "thimble/import/tflite/operators/states.h"

#include <fmt/format.h>

#include <memory>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {

const Tensor& state_operand(const TfliteOp& op, size_t k, const char* what, const Shape& shape) {
  if (!op.inputs[k].valid()) op.damaged(fmt::format("it has no {}", what));
  const Tensor& t = op.input(k);
  if (elements(t.shape) != elements(shape)) {
    op.damaged(
        fmt::format("its {} have shape {}, not {}", what, to_string(t.shape), to_string(shape)));
  }
  return t;
}

const Tensor& variable_of(const TfliteOp& op, size_t k, const char* what, const Shape& shape) {
  const Tensor& t = state_operand(op, k, what, shape);
  if (t.is_constant())
    op.refuse(fmt::format("its {} are a constant; supported are variables", what));
  return t;
}

namespace {

void svdf(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::SvdfOptions>(op);
  const Shape x = op.input(0).shape, features = op.input(1).shape, time = op.input(2).shape;
  if (x.size() != 2 || features.size() != 2 || time.size() != 2 || from.rank < 1 ||
      features[0] % from.rank != 0 || features[0] != time[0]) {
    op.damaged(fmt::format("input {}, weights {} and {}, rank {}", to_string(x),
                           to_string(features), to_string(time), from.rank));
  }
  const Shape shape{x[0], features[0], time[1]};
  const int64_t units = features[0] / from.rank;
  Tensor state = variable_of(op, 4, "states", shape);
  state.shape = shape;
  Tensor column = state;
  column.shape.back() = 1;
  steps.tensor(op.inputs[4]).shape = shape;
  const bool is_float = op.output().type == DType::kFloat32;
  const SvdfOutput output{is_float ? activation(op, from.activation) : Activation::kNone};
  TensorId bias = op.inputs[3];
  if (!bias.valid()) {
    bias = steps.add(
        {.name = op.output().name + "/bias",
         .shape = {units},
         .type = is_float ? DType::kFloat32 : DType::kInt32,
         .data = std::make_shared<const Bytes>(static_cast<size_t>(units) * sizeof(int32_t))});
  }
  const TensorId newest = steps.make_as(SvdfFeatures{}, {op.inputs[0], op.inputs[1]}, column);
  const TensorId shifted = steps.make_as(ShiftIn{.axis = 2}, {op.inputs[4], newest}, state);
  steps.keep(op.inputs[4], shifted);
  steps.finish(output, {shifted, op.inputs[2], bias});
}

}  // namespace

OperatorList state_kinds() {
  using enum tfl::BuiltinOperator;
  static constexpr OperatorKind kKinds[] = {
      {.code = SVDF, .inputs = {5, 5}, .first_optional = 3, .expand = svdf, .shape = not_followed},
  };
  return kKinds;
}

}  // namespace thimble
