// SPDX-License-Identifier: Apache-2.0
// REDUCE_MAX, REDUCE_MIN, REDUCE_ANY and REDUCE_ALL of a .tflite file.
#include "thimble/import/tflite/expansions.h"

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

}  // namespace

void reduce_max(const TfliteOp& op, Expansion& steps) { reduce(op, steps, false); }
void reduce_min(const TfliteOp& op, Expansion& steps) { reduce(op, steps, true); }
void reduce_any(const TfliteOp& op, Expansion& steps) { reduce_booleans(op, steps, false); }
void reduce_all(const TfliteOp& op, Expansion& steps) { reduce_booleans(op, steps, true); }

}  // namespace thimble
