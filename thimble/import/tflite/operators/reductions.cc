// SPDX-License-Identifier: Apache-2.0
// One number for many: MEAN, SUM, REDUCE_... (windows over neighbouring axes, of bool, too), the
// position of the greatest; CUMSUM.
#include <fmt/format.h>

#include <algorithm>

#include "thimble/import/tflite/extents.h"
#include "thimble/import/tflite/operators/lists.h"
#include "thimble/import/tflite/shape_rules.h"

namespace thimble {
namespace {

MaxPool2D column(int64_t height, bool least) {
  return {.window = {.kernel_h = height, .padding = {}}, .least = least};
}

std::vector<bool> reduced_axes(const TfliteOp& op) {
  std::vector<bool> reduced(op.input(0).shape.size());
  for (const int64_t axis : integers(op, 1, "axes"))
    reduced[static_cast<size_t>(axis_of(op, axis, reduced.size()))] = true;
  return reduced;
}

/// The axes that lie side by side, as rows of an image of one column: its window is as high as it.
/// x: of the input's shape, and in all else like what is returned.
TensorId in_windows(const TfliteOp& op, Expansion& steps, TensorId x, bool least) {
  Tensor like = steps.tensor(x);
  like.data = nullptr;
  const auto make = [&](Attributes attributes, const Shape& shape) {
    like.shape = shape;
    x = steps.make_as(std::move(attributes), {x}, like);
  };
  const std::vector<bool> reduced = reduced_axes(op);
  Shape shape = like.shape;
  for (size_t begin = 0; begin < shape.size(); ++begin) {
    if (!reduced[begin]) continue;
    size_t end = begin;
    Shape image{1, 1, 1, 1};
    for (size_t axis = 0; axis < begin; ++axis) image[0] *= shape[axis];
    for (; end < shape.size() && reduced[end]; ++end) {
      image[1] *= shape[end];
      shape[end] = 1;
    }
    for (size_t axis = end; axis < shape.size(); ++axis) image[3] *= shape[axis];
    make(Reshape{}, image);
    make(column(image[1], least), {image[0], 1, 1, image[3]});
    begin = end;
  }
  return x;
}

void reduce(const TfliteOp& op, Expansion& steps, bool least) {
  const Shape x = op.input(0).shape, out = op.output().shape;
  const bool is_image =
      reduced_axes(op) == std::vector<bool>{false, true, false, false} && x[2] == 1;
  if (is_image && out == Shape{x[0], 1, 1, x[3]})
    return steps.finish(column(x[1], least), {op.inputs[0]});
  steps.finish(Reshape{}, {in_windows(op, steps, op.inputs[0], least)});
}

/// Reduces bool as 0 and 1 in int8.
void reduce_booleans(const TfliteOp& op, Expansion& steps, bool least) {
  Tensor bytes{.name = "",
               .shape = op.input(0).shape,
               .type = DType::kInt8,
               .quantization = {{0.5F}, {0}, 0},
               .data = nullptr};
  const Shape out = op.output().shape;
  const TensorId numbers = steps.make_as(Cast{}, {op.inputs[0]}, bytes);
  const TensorId found = in_windows(op, steps, numbers, least);
  bytes.shape = out;
  const TensorId shaped = steps.make_as(Reshape{}, {found}, bytes);
  steps.finish(Comparison{Relation::kNotEqual}, {shaped, steps.make_zero(bytes)});
}

/// MEAN and SUM.
template <class Reduction>
Attributes reduction(const TfliteOp& op) {
  Reduction result;
  for (int64_t axis : integers(op, 1, "axes")) {
    result.axes.push_back(axis_of(op, axis, op.input(0).shape.size()));
  }
  std::ranges::sort(result.axes);
  result.axes.erase(std::unique(result.axes.begin(), result.axes.end()), result.axes.end());
  return result;
}

int one_axis(const TfliteOp& op) {
  const std::vector<int64_t> axes = integers(op, 1, "axes");
  if (axes.size() != 1) op.damaged(fmt::format("{} axes instead of 1", axes.size()));
  return axis_of(op, axes[0], op.input(0).shape.size());
}

/// Positions of int64 are found as int32.
void find_extreme(const TfliteOp& op, Expansion& steps, bool least) {
  const ArgMax found{.axis = one_axis(op), .least = least};
  const Tensor out = op.output();
  if (out.type != DType::kInt64) return steps.finish(found, {op.inputs[0]});
  const TensorId positions = steps.make_as(
      found, {op.inputs[0]},
      {.name = "", .shape = out.shape, .type = DType::kInt32, .quantization = {}, .data = nullptr});
  steps.finish(Cast{}, {positions});
}

void arg_max(const TfliteOp& op, Expansion& steps) { find_extreme(op, steps, false); }
void arg_min(const TfliteOp& op, Expansion& steps) { find_extreme(op, steps, true); }

Attributes cumsum(const TfliteOp& op) {
  const auto* from = options_if_any<tfl::CumsumOptions>(op);
  return CumSum{.axis = one_axis(op),
                .exclusive = from != nullptr && from->exclusive,
                .reverse = from != nullptr && from->reverse};
}

void reduce_max(const TfliteOp& op, Expansion& steps) { reduce(op, steps, false); }
void reduce_min(const TfliteOp& op, Expansion& steps) { reduce(op, steps, true); }
void reduce_any(const TfliteOp& op, Expansion& steps) { reduce_booleans(op, steps, false); }
void reduce_all(const TfliteOp& op, Expansion& steps) { reduce_booleans(op, steps, true); }

Shape reduced_shape(const TfliteOp& op) {
  const Shape& x = shape_of(op, 0);
  const auto* from = options_if_any<tfl::ReducerOptions>(op);
  const bool keeps = from != nullptr && from->keep_dims;
  std::vector<bool> gone(x.size());
  for (const int64_t axis : integers(op, 1, "axes"))
    gone[static_cast<size_t>(axis_of(op, axis, x.size()))] = true;
  Shape shape;
  for (size_t k = 0; k < x.size(); ++k) {
    if (!gone[k] || keeps) shape.push_back(gone[k] ? 1 : x[k]);
  }
  return shape;
}

Shape without_axis(const TfliteOp& op) {
  Shape shape = shape_of(op, 0, 1);
  const std::vector<int64_t> axes = integers(op, 1, "axes");
  if (axes.size() != 1) refuse_operands(op);
  shape.erase(shape.begin() + axis_of(op, axes[0], shape.size()));
  return shape;
}

}  // namespace

OperatorList reduction_kinds() {
  using enum tfl::BuiltinOperator;
  using enum OperatorKind::Uint8;
  static constexpr OperatorKind kKinds[] = {
      {.code = ARG_MAX,
       .inputs = {2, 2},
       .expand = arg_max,
       .shape = without_axis,
       .uint8 = kComputes},
      {.code = ARG_MIN,
       .inputs = {2, 2},
       .expand = arg_min,
       .shape = without_axis,
       .uint8 = kComputes},
      {.code = CUMSUM,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = cumsum,
       .shape = first_input},
      {.code = MEAN,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = reduction<Mean>,
       .shape = reduced_shape,
       .uint8 = kComputes},
      {.code = REDUCE_ALL, .inputs = {2, 2}, .expand = reduce_all, .shape = reduced_shape},
      {.code = REDUCE_ANY, .inputs = {2, 2}, .expand = reduce_any, .shape = reduced_shape},
      {.code = REDUCE_MAX,
       .inputs = {2, 2},
       .expand = reduce_max,
       .shape = reduced_shape,
       .uint8 = kComputes},
      {.code = REDUCE_MIN,
       .inputs = {2, 2},
       .expand = reduce_min,
       .shape = reduced_shape,
       .uint8 = kComputes},
      {.code = REDUCE_PROD, .inputs = {2, 2}, .expand = only_extents, .shape = reduced_shape},
      {.code = SUM,
       .inputs = {2, 2},
       .first_parameter = 1,
       .attributes = reduction<Sum>,
       .shape = reduced_shape},
  };
  return kKinds;
}

}  // namespace thimble
