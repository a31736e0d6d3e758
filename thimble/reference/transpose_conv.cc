// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: each pixel of the input spreads over a window of the output.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/real_products.h"
#include "thimble/reference/unfolded_sums.h"
#include "thimble/reference/window.h"

namespace thimble::reference {

std::vector<Bytes> evaluate(const TransposeConv& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& output = context.output();
  const Image in(input.shape), out(output.shape);
  const Image shape(context.input(1).shape);
  const std::vector<int32_t> x = integers_from(context.input_bytes(0), input.type);
  const std::vector<int8_t> weights = context.read<int8_t>(1);
  std::vector<int64_t> sums(static_cast<size_t>(elements(output.shape)));
  for (int64_t pixel = 0; pixel < in.n * in.h * in.w; ++pixel) {
    const int64_t first_row = pixel / in.w % in.h * op.window.stride_h - op.window.padding.top;
    const int64_t first_column = pixel % in.w * op.window.stride_w - op.window.padding.left;
    for (int64_t ky = 0; ky < shape.h; ++ky) {
      const int64_t row = first_row + ky;
      if (row < 0 || row >= out.h) continue;
      for (int64_t kx = 0; kx < shape.w; ++kx) {
        const int64_t column = first_column + kx;
        if (column < 0 || column >= out.w) continue;
        for (int64_t o = 0; o < out.c; ++o) {
          const int64_t w = shape.pixel(o, ky, kx);
          int64_t sum = 0;
          for (int64_t c = 0; c < in.c; ++c) {
            sum += (x[static_cast<size_t>(pixel * in.c + c)] - zero_point_of(input)) *
                   weights[static_cast<size_t>(w + c)];
          }
          sums[static_cast<size_t>(out.pixel(pixel / (in.w * in.h), row, column) + o)] += sum;
        }
      }
    }
  }
  return finish_sums(
      context, op.activation, std::move(sums),
      convolution_factors(context.arithmetic(), input, context.input(1), scale_of(output), out.c));
}

RealValues real_of(const TransposeConv& op, const RealContext& c) {
  return clamped(op.activation, real_transpose_conv(op.window, product_of(c)));
}

// Sums of 64 bits.
ValueRanges bounds_of(const TransposeConv& op, const BoundsContext& c) {
  return within_activation(c, op.activation);
}

}  // namespace thimble::reference
