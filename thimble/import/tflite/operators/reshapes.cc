// SPDX-License-Identifier: Apache-2.0
// RESHAPE, SQUEEZE, EXPAND_DIMS and TRANSPOSE.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "thimble/import/checked_size.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

Attributes reshape(const TfliteOp& op) {
  if (op.inputs.size() > 1) (void)integers(op, 1, "new extents");
  return Reshape{};
}

Attributes transpose(const TfliteOp& op) {
  const size_t rank = op.input(0).shape.size();
  Transpose result;
  for (int64_t axis : integers(op, 1, "axes"))
    result.permutation.push_back(axis_of(op, axis, rank));
  std::vector<int> sorted = result.permutation;
  std::ranges::sort(sorted);
  if (sorted.size() != rank || std::ranges::adjacent_find(sorted) != sorted.end()) {
    op.damaged(fmt::format("{{{}}} is not a permutation of {} axes",
                           fmt::join(result.permutation, ", "), rank));
  }
  return result;
}

/// The options count where no vector of extents is an input.
const tfl::ReshapeOptions* extents_in_options(const TfliteOp& op) {
  if (op.inputs.size() > 1 && op.input(1).shape.size() == 1) return nullptr;
  const auto* from = options_if_any<tfl::ReshapeOptions>(op);
  return from != nullptr && from->has_shape ? from : nullptr;
}

/// One extent may be -1: what is left. Of options, a single 0 is a scalar's.
Shape reshaped(const TfliteOp& op) {
  Shape shape;
  if (const auto* from = extents_in_options(op)) {
    shape.assign(from->new_shape.begin(), from->new_shape.end());
    if (shape == Shape{0}) shape.clear();
  } else if (op.inputs.size() > 1) {
    shape = integers(op, 1, "new extents");
  }
  const auto open = std::ranges::find(shape, -1);
  if (open == shape.end()) return shape;
  const Shape given = shape;
  *open = 1;
  const bool fits =
      std::ranges::all_of(shape, [](int64_t extent) { return extent >= 1 && extent <= INT32_MAX; });
  const auto rest = fits ? checked_size_bytes(shape, DType::kInt8, INT32_MAX) : std::nullopt;
  if (!rest || elements(op.input(0).shape) % *rest != 0) {
    if (op.open_shapes) refuse_operands(op);
    op.damaged(
        fmt::format("new extents of [{}] for an input of "
                    "shape {}",
                    fmt::join(given, ", "), to_string(op.input(0).shape)));
  }
  *open = elements(op.input(0).shape) / *rest;
  return shape;
}

Shape squeezed(const TfliteOp& op) {
  const Shape& x = shape_of(op, 0);
  std::vector<bool> dropped(x.size());
  const auto* from = options_if_any<tfl::SqueezeOptions>(op);
  if (from != nullptr && !from->squeeze_dims.empty()) {
    for (const int64_t axis : from->squeeze_dims)
      dropped[static_cast<size_t>(axis_of(op, axis, x.size()))] = true;
  } else {
    for (size_t k = 0; k < x.size(); ++k) dropped[k] = x[k] == 1;
  }
  Shape shape;
  for (size_t k = 0; k < x.size(); ++k) {
    if (!dropped[k]) shape.push_back(x[k]);
  }
  return shape;
}

Shape with_axis(const TfliteOp& op) {
  Shape shape = shape_of(op, 0);
  const std::vector<int64_t> axis = integers(op, 1, "axes");
  if (axis.size() != 1) refuse_operands(op);
  shape.insert(shape.begin() + axis_of(op, axis[0], shape.size() + 1), 1);
  return shape;
}

Shape transposed(const TfliteOp& op) {
  const Shape& x = shape_of(op, 0);
  Shape shape;
  for (const int64_t axis : integers(op, 1, "axes"))
    shape.push_back(x[static_cast<size_t>(axis_of(op, axis, x.size()))]);
  return shape;
}

/// Some have none.
bool has_new_extents(const TfliteOp& op) {
  return op.inputs.size() > 1 || extents_in_options(op) != nullptr;
}

}  // namespace

OperatorList reshape_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = EXPAND_DIMS,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = reshape,
       .shape = with_axis,
       .repeats_shape = always,
       .uint8 = kMoves},
      {.code = RESHAPE,
       .inputs = {1, 2},
       .first_parameter = 1,
       .attributes = reshape,
       .shape = reshaped,
       .repeats_shape = has_new_extents,
       .uint8 = kMoves},
      {.code = SQUEEZE,
       .attributes = plain<Reshape>,
       .shape = squeezed,
       .repeats_shape = always,
       .uint8 = kMoves},
      {.code = TRANSPOSE,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = transpose,
       .shape = transposed,
       .uint8 = kMoves},
  };
  return kKinds;
}

}  // namespace thimble
