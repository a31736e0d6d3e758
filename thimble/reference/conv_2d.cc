// SPDX-License-Identifier: Apache-2.0
// CONV_2D: weights [out channel][kernel_h][kernel_w][channel of the group]; padding at the zero
// point.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/window.h"

namespace thimble::reference {
namespace {

struct Operands {
  Image in, weights_shape, out;
  std::vector<int8_t> x, weights;
  int32_t input_zero_point;
};

/// Sum over the window and the group's channels of (x - zero point) * weight, for one output
/// element. Unsigned, because the original's 32-bit sums wrap around.
uint32_t dot(const Operands& a, int64_t n, const Taps& rows, const Taps& columns,
             int64_t out_channel) {
  const int64_t per_group = a.weights_shape.c;
  const int64_t groups = a.in.c / per_group;
  const int64_t first_channel = out_channel / (a.out.c / groups) * per_group;
  uint32_t sum = 0;
  for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
    for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
      const int8_t* x = &a.x[static_cast<size_t>(
          a.in.pixel(n, rows.position(ky), columns.position(kx)) + first_channel)];
      const int8_t* w = &a.weights[static_cast<size_t>(a.weights_shape.pixel(out_channel, ky, kx))];
      for (int64_t i = 0; i < per_group; ++i) {
        sum += static_cast<uint32_t>((x[i] - a.input_zero_point) * w[i]);
      }
    }
  }
  return sum;
}

}  // namespace

std::vector<Bytes> evaluate(const Conv2D& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& weights = context.input(1);
  const Tensor& output = context.output();
  const Operands operands{.in = Image(input.shape),
                          .weights_shape = Image(weights.shape),
                          .out = Image(output.shape),
                          .x = context.read<int8_t>(0),
                          .weights = context.read<int8_t>(1),
                          .input_zero_point = zero_point_of(input)};
  const Image& out = operands.out;
  check(operands.weights_shape.n == out.c, "a convolution has one filter per output channel");
  const std::vector<int32_t> bias = bias_of(context, out.c);
  const std::vector<FixedFactor> factors = channel_factors(input, weights, output, out.c);
  const ActivationRange range = activation_range(op.activation, output);
  const int32_t zero_point = zero_point_of(output);

  std::vector<int8_t> result;
  result.reserve(static_cast<size_t>(elements(output.shape)));
  for (int64_t n = 0; n < out.n; ++n) {
    for (int64_t y = 0; y < out.h; ++y) {
      const Taps rows = taps_of_row(op.window, y, operands.in.h);
      for (int64_t x = 0; x < out.w; ++x) {
        const Taps columns = taps_of_column(op.window, x, operands.in.w);
        for (int64_t o = 0; o < out.c; ++o) {
          const size_t channel = static_cast<size_t>(o);
          const int32_t sum = static_cast<int32_t>(dot(operands, n, rows, columns, o) +
                                                   static_cast<uint32_t>(bias[channel]));
          result.push_back(requantise(sum, factors[channel], zero_point, range));
        }
      }
    }
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
