// SPDX-License-Identifier: Apache-2.0
// Operators that read or write where other operands say: GATHER and GATHER_ND, EMBEDDING_LOOKUP,
// DYNAMIC_UPDATE_SLICE. Constant positions are slices.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "thimble/import/movements.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

Tensor of_int32(Shape shape) {
  return {.name = "",
          .shape = std::move(shape),
          .type = DType::kInt32,
          .quantization = {},
          .data = nullptr};
}

/// Positions in int32; those of int64 by their low bits.
TensorId as_positions(Expansion& steps, TensorId id) {
  const Tensor& given = steps.tensor(id);
  if (given.type != DType::kInt64) return id;
  return steps.make_as(Cast{}, {id}, of_int32(given.shape));
}

void gather_at_run_time(const TfliteOp& op, Expansion& steps, const Gather& gather) {
  const TensorId positions = as_positions(steps, op.inputs[1]);
  steps.finish(gather, {op.inputs[0], positions});
}

/// The position of a tuple of indices, the first axes being one: each index times what follows it.
void gather_nd_at_run_time(const TfliteOp& op, Expansion& steps, size_t depth) {
  const Shape x = op.input(0).shape;
  if (elements(x) == 0) op.damaged("it gathers from a tensor without elements");
  Shape tuples = op.input(1).shape;
  const auto begin = x.begin() + static_cast<int64_t>(depth);
  Shape flat{std::accumulate(x.begin(), begin, int64_t{1}, std::multiplies<>())};
  flat.insert(flat.end(), begin, x.end());
  const TensorId rows = steps.make(Reshape{}, {op.inputs[0]}, flat);
  const TensorId given = as_positions(steps, op.inputs[1]);
  const int last = static_cast<int>(tuples.size()) - 1;
  tuples.pop_back();
  TensorId sum;
  int64_t step = flat[0];
  for (size_t k = 0; k < depth; ++k) {
    Slice slice{std::vector<int64_t>(tuples.size() + 1, 0),
                std::vector<int64_t>(tuples.size() + 1, 1),
                {last}};
    slice.begin.back() = static_cast<int64_t>(k);
    Tensor column = of_int32(tuples);
    column.quantization = steps.tensor(given).quantization;  // a slice keeps what stands there
    TensorId term = steps.make_as(std::move(slice), {given}, std::move(column));
    step /= x[k];
    if (step != 1) {
      const TensorId factor = steps.make_int32(static_cast<int32_t>(step));
      term = steps.make_as(Mul{}, {term, factor}, of_int32(tuples));
    }
    sum = k == 0 ? term : steps.make_as(Add{}, {sum, term}, of_int32(tuples));
  }
  steps.finish(Gather{}, {rows, sum});
}

void gather(const TfliteOp& op, Expansion& steps) {
  const auto& from = options<tfl::GatherOptions>(op);
  const Shape &x = op.input(0).shape, &indices = op.input(1).shape;
  const auto axis = static_cast<size_t>(axis_of(op, from.axis, x.size()));
  const int64_t given = from.batch_dims;
  const auto rank = static_cast<int64_t>(indices.size());
  const auto batch_axes = static_cast<size_t>(given < 0 ? given + rank : given);
  if (given < -rank || given > rank || batch_axes > axis ||
      !std::equal(x.begin(), x.begin() + static_cast<int64_t>(batch_axes), indices.begin())) {
    refuse_shapes(op, fmt::format("{} batch axes", given));
  }
  if (!op.input(1).is_constant()) {
    return gather_at_run_time(
        op, steps, {.axis = static_cast<int>(axis), .batch_axes = static_cast<int>(batch_axes)});
  }
  const std::vector<int64_t> positions = integers(op, 1, "positions");
  Shape shape = x;
  shape.erase(shape.begin() + static_cast<int64_t>(axis));
  shape.insert(shape.begin() + static_cast<int64_t>(axis),
               indices.begin() + static_cast<int64_t>(batch_axes), indices.end());
  expect_shape(op, shape,
               fmt::format("positions [{}] of axis {}", fmt::join(positions, ", "), axis));
  finish_with(steps, batch_axes == 0 ? gathered(op, steps, input_of(op), axis, positions)
                                     : gathered_of_batches(op, steps, axis, batch_axes, positions));
}

/// Positions along the first axes, taken as one.
void gather_nd(const TfliteOp& op, Expansion& steps) {
  const Shape x = op.input(0).shape, indices = op.input(1).shape;
  const auto depth = indices.empty() ? 0 : static_cast<size_t>(indices.back());
  if (depth < 1 || depth > x.size()) refuse_shapes(op, "positions of other axes");
  if (!op.input(1).is_constant()) return gather_nd_at_run_time(op, steps, depth);
  const std::vector<int64_t> table = integers(op, 1, "positions");
  const auto begin = x.begin() + static_cast<int64_t>(depth);
  Shape flat{elements(Shape(x.begin(), begin))}, shape = indices;
  flat.insert(flat.end(), begin, x.end());
  shape.pop_back();
  shape.insert(shape.end(), begin, x.end());
  expect_shape(op, shape, "other positions");
  std::vector<int64_t> positions;
  for (size_t k = 0; k < table.size(); k += depth) {
    int64_t position = 0;
    for (size_t axis = 0; axis < depth; ++axis) {
      const int64_t index = table[k + axis];
      if (index < 0 || index >= x[axis]) refuse_shapes(op, "positions beyond an axis");
      position = position * x[axis] + index;
    }
    positions.push_back(position);
  }
  const Moved rows{steps.make(Reshape{}, {op.inputs[0]}, flat), flat};
  finish_with(steps, gathered(op, steps, rows, 0, positions));
}

/// Rows of a table; those of int8 may become float32.
void embedding_lookup(const TfliteOp& op, Expansion& steps) {
  const Tensor table = op.input(1);
  Tensor rows = op.output();
  if (table.type == rows.type) return steps.finish(Gather{}, {op.inputs[1], op.inputs[0]});
  rows.type = table.type;
  rows.quantization = table.quantization;
  const TensorId found = steps.make_as(Gather{}, {op.inputs[1], op.inputs[0]}, std::move(rows));
  steps.finish(Dequantize{}, {found});
}

void dynamic_update_slice(const TfliteOp& op, Expansion& steps) {
  const TensorId begins = as_positions(steps, op.inputs[2]);
  steps.finish(UpdateSlice{}, {op.inputs[0], op.inputs[1], begins});
}

Shape gathered_shape(const TfliteOp& op) {
  const auto& o = options<tfl::GatherOptions>(op);
  const Shape &x = shape_of(op, 0, 1), &indices = shape_of(op, 1);
  const auto axis = axis_of(op, o.axis, x.size());
  const int64_t batch = o.batch_dims < 0 ? o.batch_dims + std::ssize(indices) : o.batch_dims;
  if (batch < 0 || batch > std::ssize(indices) || batch > axis) refuse_operands(op);
  Shape shape(x.begin(), x.begin() + axis);
  shape.insert(shape.end(), indices.begin() + batch, indices.end());
  shape.insert(shape.end(), x.begin() + axis + 1, x.end());
  return shape;
}

/// A position of several indices each.
Shape gathered_nd_shape(const TfliteOp& op) {
  const Shape &x = shape_of(op, 0, 1), &indices = shape_of(op, 1, 1);
  if (indices.back() > std::ssize(x)) refuse_operands(op);
  Shape shape(indices.begin(), indices.end() - 1);
  shape.insert(shape.end(), x.begin() + indices.back(), x.end());
  return shape;
}

Shape looked_up_shape(const TfliteOp& op) {
  Shape shape = shape_of(op, 1, 2);
  shape[0] = shape_of(op, 0, 1)[0];
  return shape;
}

}  // namespace

OperatorList gather_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = DYNAMIC_UPDATE_SLICE,
       .inputs = {3, 3},
       .expand = dynamic_update_slice,
       .shape = first_input,
       .uint8 = kMoves},
      {.code = EMBEDDING_LOOKUP,
       .inputs = {2, 2},
       .expand = embedding_lookup,
       .shape = looked_up_shape,
       .uint8 = kMoves},
      {.code = GATHER,
       .inputs = {2, 2},
       .expand = gather,
       .shape = gathered_shape,
       .uint8 = kMoves},
      {.code = GATHER_ND,
       .inputs = {2, 2},
       .expand = gather_nd,
       .shape = gathered_nd_shape,
       .uint8 = kMoves},
  };
  return kKinds;
}

}  // namespace thimble
