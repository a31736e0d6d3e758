// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL: for each batch, each row of x times each column of y.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/matrices.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/real_products.h"
#include "thimble/reference/sum_bounds.h"

namespace thimble::reference {
namespace {

/// Strides along the output's axes; those of its last two are 0.
Strides batch_strides(const Shape& from, const Shape& out) {
  const Strides own = row_major_strides(from);
  Strides result(out.size(), 0);
  for (size_t axis = 0; axis + 2 < from.size(); ++axis) {
    if (from[axis] != 1) result[out.size() - from.size() + axis] = own[axis];
  }
  return result;
}

}  // namespace

Matrices matrices(const BatchMatMul& op, const Shape& x, const Shape& y, const Shape& out) {
  Strides x_strides = batch_strides(x, out), y_strides = batch_strides(y, out);
  Matrices result;
  result.depth = op.adjoint_x ? x[x.size() - 2] : x.back();
  result.x_step = op.adjoint_x ? x.back() : 1;
  result.y_step = op.adjoint_y ? 1 : y.back();
  x_strides[out.size() - 2] = op.adjoint_x ? 1 : x.back();
  y_strides.back() = op.adjoint_y ? y.back() : 1;
  result.x_first = offsets(out, x_strides);
  result.y_first = offsets(out, y_strides);
  return result;
}

FixedFactor matrix_factor(Arithmetic arithmetic, const Tensor& a, const Tensor& b,
                          const Tensor& output) {
  // The originals form the product of the scales in float32.
  const float product = scale_of(a) * scale_of(b);
  return arithmetic == Arithmetic::kOnnx
             ? float_factor(product / scale_of(output))
             : to_fixed_factor(double{product} / double{scale_of(output)});
}

std::vector<Bytes> evaluate(const BatchMatMul& op, const OpContext& context) {
  const Tensor& x = context.input(0);
  const Tensor& y = context.input(1);
  const Tensor& output = context.output();
  const Matrices at = matrices(op, x.shape, y.shape, output.shape);
  const std::vector<int32_t> a = integers_from(context.input_bytes(0), x.type);
  const std::vector<int32_t> b = integers_from(context.input_bytes(1), y.type);
  const FixedFactor factor = matrix_factor(context.arithmetic(), x, y, output);
  const ActivationRange range = activation_range(Activation::kNone, output);
  std::vector<int32_t> result;
  for (size_t i = 0; i < at.x_first.size(); ++i) {
    int64_t sum = 0;
    for (int64_t k = 0; k < at.depth; ++k) {
      const int32_t left = a[static_cast<size_t>(at.x_first[i] + k * at.x_step)];
      const int32_t right = b[static_cast<size_t>(at.y_first[i] + k * at.y_step)];
      sum += (left - zero_point_of(x)) * (right - zero_point_of(y));
    }
    // Sums of int8 wrap around, as the original's; those of int16 have 64 bits.
    const int32_t scaled = output.type == DType::kInt16
                               ? multiply_once(sum, factor)
                               : multiply(static_cast<int32_t>(sum), factor);
    result.push_back(std::clamp(wrapping_add(scaled, zero_point_of(output)), range.min, range.max));
  }
  return {bytes_from_integers(result, output.type)};
}

RealValues real_of(const BatchMatMul& op, const RealContext& c) {
  return real_batch_matmul(op, product_of(c));
}

ValueRanges bounds_of(const BatchMatMul& op, const BoundsContext& c) {
  if (c.output().type == DType::kInt16) return any_value(c.output());  // sums of 64 bits
  const Tensor &x = c.input(0), &y = c.input(1);
  const auto depth =
      static_cast<size_t>(op.adjoint_x ? x.shape.at(x.shape.size() - 2) : x.shape.back());
  // By index of the summed axis, and by output channel: known where these are a last axis.
  ValueRanges left(depth, hull(c.input_bounds(0)));
  if (!op.adjoint_x) left = c.input_bounds(0);
  ValueRanges right(channels_of(c.output()), hull(c.input_bounds(1)));
  if (!op.adjoint_y) right = c.input_bounds(1);
  const std::vector<SumBounds> a = centred(left, zero_point_of(x));
  const std::vector<SumBounds> b = centred(right, zero_point_of(y));
  const FixedFactor factor = matrix_factor(c.op.attributes.arithmetic, x, y, c.output());
  const ActivationRange range = activation_range(Activation::kNone, c.output());
  ValueRanges result;
  for (const SumBounds& column : b) {
    SumBounds sum;
    for (const SumBounds& value : a) sum = sum + product(value, column);
    result.push_back(requantised(sum, factor, zero_point_of(c.output()), range));
  }
  return result;
}

}  // namespace thimble::reference
