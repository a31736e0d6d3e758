// SPDX-License-Identifier: Apache-2.0
// Comparisons, logic, and choices between two tensors.
#include <fmt/format.h>

#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

Tensor of_type(DType type, const Shape& shape) {
  return {.name = "", .shape = shape, .type = type, .quantization = {}, .data = nullptr};
}

/// The condition has the shape of the others, or is one for each index of the first axis or for
/// all.
void select(const TfliteOp& op, Expansion& steps) {
  const Shape condition = op.input(0).shape, x = op.input(1).shape, y = op.input(2).shape;
  const bool of_rows = condition.size() == 1 && !x.empty() && condition[0] == x[0];
  if (x != y || !(condition == x || condition.empty() || of_rows)) {
    op.refuse(
        fmt::format("a condition of shape {} for {} and {} is not supported; supported are two of "
                    "one shape, and a condition that has it, or its first extent alone, or is a "
                    "scalar",
                    to_string(condition), to_string(x), to_string(y)));
  }
  TensorId chosen = op.inputs[0];
  if (of_rows && x.size() > 1) {
    Shape rows(x.size(), 1);
    rows[0] = x[0];
    chosen = steps.make_as(Reshape{}, {chosen}, of_type(DType::kBool, rows));
  }
  steps.finish(Select{}, {chosen, op.inputs[1], op.inputs[2]});
}

/// Behind the condition, which may have another shape.
Shape chosen_from(const TfliteOp& op) { return shape_of(op, 1); }

/// Whether it is equal to false.
void logical_not(const TfliteOp& op, Expansion& steps) {
  steps.finish(Comparison{Relation::kEqual},
               {op.inputs[0], steps.make_zero(of_type(DType::kBool, {}))});
}

template <Relation kRelation>
Attributes comparison(const TfliteOp&) {
  return Comparison{kRelation};
}

Shape broadcast_all(const TfliteOp& op) {
  return broadcast_shape(op, broadcast_inputs(op), shape_of(op, 2));
}

}  // namespace

OperatorList choice_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = EQUAL,
       .inputs = {2, 2},
       .attributes = comparison<Relation::kEqual>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = GREATER,
       .inputs = {2, 2},
       .attributes = comparison<Relation::kGreater>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = GREATER_EQUAL,
       .inputs = {2, 2},
       .attributes = comparison<Relation::kGreaterEqual>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = LESS,
       .inputs = {2, 2},
       .attributes = comparison<Relation::kLess>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = LESS_EQUAL,
       .inputs = {2, 2},
       .attributes = comparison<Relation::kLessEqual>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = LOGICAL_AND,
       .inputs = {2, 2},
       .attributes = plain<Minimum>,
       .shape = broadcast_inputs},
      {.code = LOGICAL_NOT, .expand = logical_not, .shape = first_input},
      {.code = LOGICAL_OR,
       .inputs = {2, 2},
       .attributes = plain<Maximum>,
       .shape = broadcast_inputs},
      {.code = NOT_EQUAL,
       .inputs = {2, 2},
       .attributes = comparison<Relation::kNotEqual>,
       .shape = broadcast_inputs,
       .uint8 = kComputes},
      {.code = SELECT,
       .inputs = {3, 3},
       .expand = select,
       .shape = chosen_from,
       .uint8 = kComputes},
      {.code = SELECT_V2,
       .inputs = {3, 3},
       .attributes = plain<Select>,
       .shape = broadcast_all,
       .uint8 = kComputes},
  };
  return kKinds;
}

}  // namespace thimble
