// SPDX-License-Identifier: Apache-2.0
// Tensors side by side, and one many times.
#include <fmt/format.h>

#include "thimble/import/movements.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

Attributes concatenation(const TfliteOp& op) {
  const auto& from = options<tfl::AxisOptions>(op);
  return Concat{.axis = axis_of(op, from.axis, op.output().shape.size()),
                .activation = activation(op, from.activation)};
}

void pack(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::AxisOptions>(op);
  const int axis = axis_of(op, from.axis, op.output().shape.size());
  std::vector<TensorId> parts;
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    Shape shape = op.input(k).shape;
    if (shape.size() + 1 != op.output().shape.size()) refuse_shapes(op, "an axis more");
    shape.insert(shape.begin() + axis, 1);
    parts.push_back(steps.make(Reshape{}, {op.inputs[k]}, shape));
  }
  steps.finish(Concat{.axis = axis}, parts);
}

void broadcast_to(const TfliteOp& op, Expansion& steps) {
  (void)integers(op, 1, "extents");     // the output's shape repeats them
  const Shape out = op.output().shape;  // steps make tensors: no references into them
  Moved x = input_of(op);
  if (x.shape.size() > out.size()) refuse_shapes(op, "more axes");
  if (x.shape.size() < out.size()) {
    x.shape.insert(x.shape.begin(), out.size() - x.shape.size(), 1);
    x.tensor = steps.make(Reshape{}, {x.tensor}, x.shape);
  }
  std::vector<int64_t> times;
  for (size_t axis = 0; axis < out.size(); ++axis)
    times.push_back(x.shape[axis] == 1 ? out[axis] : 1);
  finish_repeated(op, steps, x, times);
}

void tile(const TfliteOp& op, Expansion& steps) {
  const std::vector<int64_t> times = integers(op, 1, "numbers of copies");
  if (times.size() != op.input(0).shape.size()) refuse_shapes(op, "other numbers of copies");
  finish_repeated(op, steps, input_of(op), times);
}

Shape concatenated(const TfliteOp& op) {
  const auto& o = options<tfl::AxisOptions>(op);
  Shape shape = shape_of(op, 0);
  const auto axis = static_cast<size_t>(axis_of(op, o.axis, shape.size()));
  for (size_t k = 1; k < op.inputs.size(); ++k) shape[axis] += shape_of(op, k, shape.size())[axis];
  return shape;
}

Shape packed(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const auto& o = options<tfl::AxisOptions>(op);
  shape.insert(shape.begin() + axis_of(op, o.axis, shape.size() + 1), std::ssize(op.inputs));
  return shape;
}

Shape tiled(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const std::vector<int64_t> times = integers(op, 1, "numbers of copies");
  if (times.size() != shape.size()) refuse_operands(op);
  for (size_t k = 0; k < times.size(); ++k) {
    if (times[k] < 1 || times[k] > INT32_MAX) refuse_operands(op);
    shape[k] *= times[k];
  }
  return shape;
}

Shape broadcast_extents(const TfliteOp& op) { return integers(op, 1, "extents"); }

}  // namespace

OperatorList join_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = BROADCAST_TO,
       .inputs = {2, 2},
       .expand = broadcast_to,
       .shape = broadcast_extents,
       .repeats_shape = always,
       .uint8 = kMoves},
      {.code = CONCATENATION,
       .inputs = {1, OperatorKind::kNoLimit},
       .attributes = concatenation,
       .shape = concatenated,
       .uint8 = kMoves},
      {.code = PACK,
       .inputs = {1, OperatorKind::kNoLimit},
       .expand = pack,
       .shape = packed,
       .uint8 = kMoves},
      {.code = TILE, .inputs = {2, 2}, .expand = tile, .shape = tiled, .uint8 = kMoves},
  };
  return kKinds;
}

}  // namespace thimble
