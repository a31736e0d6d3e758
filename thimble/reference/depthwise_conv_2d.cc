// SPDX-License-Identifier: Apache-2.0
// DEPTHWISE_CONV_2D: weights [1][kernel_h][kernel_w][out channel]; output channel o reads o /
// multiplier.
#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/real_products.h"
#include "thimble/reference/sum_bounds.h"
#include "thimble/reference/unfolded_sums.h"
#include "thimble/reference/window.h"

namespace thimble::reference {
namespace {

struct DepthwiseOperands {
  Image in, weights_shape;
  std::vector<int8_t> x, weights;
  int32_t input_zero_point, weight_zero_point;
  int64_t multiplier;
};

/// Adds the taps of one output pixel to the sums of its channels, which wrap around at 32 bits.
void add_taps(const DepthwiseOperands& a, int64_t n, const Taps& rows, const Taps& columns,
              std::vector<uint32_t>& sums) {
  for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
    for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
      const int8_t* x =
          &a.x[static_cast<size_t>(a.in.pixel(n, rows.position(ky), columns.position(kx)))];
      const int8_t* w = &a.weights[static_cast<size_t>(a.weights_shape.pixel(0, ky, kx))];
      for (int64_t i = 0; i < a.in.c; ++i) {
        const int32_t centred = x[i] - a.input_zero_point;
        for (int64_t o = i * a.multiplier; o < (i + 1) * a.multiplier; ++o) {
          sums[static_cast<size_t>(o)] +=
              static_cast<uint32_t>(centred * (w[o] - a.weight_zero_point));
        }
      }
    }
  }
}

}  // namespace

std::vector<Bytes> evaluate(const DepthwiseConv2D& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  if (input.type == DType::kInt16) return convolve_int16(op, context);
  const Tensor& weights = context.input(1);
  const Tensor& output = context.output();
  const DepthwiseOperands operands{.in = Image(input.shape),
                                   .weights_shape = Image(weights.shape),
                                   .x = context.read<int8_t>(0),
                                   .weights = context.read<int8_t>(1),
                                   .input_zero_point = zero_point_of(input),
                                   .weight_zero_point = weight_zero_point_of(weights),
                                   .multiplier = op.multiplier};
  const Image out(output.shape);
  check(operands.in.c * op.multiplier == out.c && operands.weights_shape.c == out.c,
        "a depthwise convolution has multiplier output channels per input channel");
  const std::vector<int32_t> bias = bias_of(context, out.c);
  const std::vector<FixedFactor> factors =
      convolution_factors(context.arithmetic(), input, weights, scale_of(output), out.c);
  const ActivationRange range = activation_range(op.activation, output);
  const int32_t zero_point = zero_point_of(output);

  std::vector<int8_t> result;
  result.reserve(static_cast<size_t>(elements(output.shape)));
  for (int64_t n = 0; n < out.n; ++n) {
    for (int64_t y = 0; y < out.h; ++y) {
      const Taps rows = taps_of_row(op.window, y, operands.in.h);
      for (int64_t x = 0; x < out.w; ++x) {
        std::vector<uint32_t> sums(bias.begin(), bias.end());
        add_taps(operands, n, rows, taps_of_column(op.window, x, operands.in.w), sums);
        for (size_t o = 0; o < sums.size(); ++o) {
          result.push_back(
              requantise(static_cast<int32_t>(sums[o]), factors[o], zero_point, range));
        }
      }
    }
  }
  return {bytes_from(result)};
}

RealValues real_of(const DepthwiseConv2D& op, const RealContext& c) {
  return clamped(op.activation, real_depthwise(op.window, op.multiplier, product_of(c)));
}

ValueRanges bounds_of(const DepthwiseConv2D& op, const BoundsContext& c) {
  if (!is_plain(c)) return within_activation(c, op.activation);
  const std::vector<int8_t> weights = elements_from<int8_t>(*c.input(1).data);
  const int32_t weight_zero_point = weight_zero_point_of(c.input(1));
  const std::vector<SumBounds> x = centred(c.input_bounds(0), zero_point_of(c.input(0)));
  TapSums sums{op.window, Image(c.input(0).shape), Image(c.output().shape), {}};
  const auto channels = static_cast<size_t>(sums.out.c);
  const size_t taps = weights.size() / channels;
  for (size_t o = 0; o < channels; ++o) {
    const SumBounds& of_channel = x[o / static_cast<size_t>(op.multiplier)];
    for (size_t tap = 0; tap < taps; ++tap)
      sums.taps.push_back(times(weights[tap * channels + o] - weight_zero_point, of_channel));
  }
  return requantised_channels(c, sums.over_positions(), convolution_factors_of(c), op.activation);
}

}  // namespace thimble::reference
