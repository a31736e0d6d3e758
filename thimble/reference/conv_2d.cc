// SPDX-License-Identifier: Apache-2.0
// CONV_2D: weights [out channel][kernel_h][kernel_w][channel of the group]; padding at the zero
// point.
#include <algorithm>

#include "thimble/reference/activation_range.h"
#include "thimble/reference/bounds_of.h"
#include "thimble/reference/evaluate.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/narrow_sums.h"
#include "thimble/reference/real_of.h"
#include "thimble/reference/real_products.h"
#include "thimble/reference/sum_bounds.h"
#include "thimble/reference/unfolded_sums.h"
#include "thimble/reference/window.h"

namespace thimble::reference {
namespace {

struct Operands {
  Image in, weights_shape, out;
  std::vector<int8_t> x, weights;
  int32_t input_zero_point, weight_zero_point;
};

Operands operands_of(const OpContext& context) {
  Operands a{.in = Image(context.input(0).shape),
             .weights_shape = Image(context.input(1).shape),
             .out = Image(context.output().shape),
             .x = context.read<int8_t>(0),
             .weights = context.read<int8_t>(1),
             .input_zero_point = zero_point_of(context.input(0)),
             .weight_zero_point = weight_zero_point_of(context.input(1))};
  check(a.weights_shape.n == a.out.c, "a convolution has one filter per output channel");
  return a;
}

/// One output element.
struct Site {
  int64_t n = 0;
  Taps rows, columns;
  int64_t out_channel = 0;
};

/// Sum over the window and the channels [begin, end) of the group of (x - zero point) * (weight
/// - zero point). Unsigned, because the original's 32-bit sums wrap around.
uint32_t dot(const Operands& a, const Site& site, int64_t begin, int64_t end) {
  const int64_t per_group = a.weights_shape.c;
  const int64_t groups = a.in.c / per_group;
  const int64_t first_channel = site.out_channel / (a.out.c / groups) * per_group;
  uint32_t sum = 0;
  for (int64_t ky = site.rows.begin; ky < site.rows.end; ++ky) {
    for (int64_t kx = site.columns.begin; kx < site.columns.end; ++kx) {
      const int8_t* x = &a.x[static_cast<size_t>(
          a.in.pixel(site.n, site.rows.position(ky), site.columns.position(kx)) + first_channel)];
      const int8_t* w =
          &a.weights[static_cast<size_t>(a.weights_shape.pixel(site.out_channel, ky, kx))];
      for (int64_t i = begin; i < end; ++i) {
        sum += static_cast<uint32_t>((x[i] - a.input_zero_point) * (w[i] - a.weight_zero_point));
      }
    }
  }
  return sum;
}

/// visit(site) in row-major order of the output.
template <class Visit>
void each_site(const Conv2D& op, const Operands& a, const Visit& visit) {
  Site site;
  for (site.n = 0; site.n < a.out.n; ++site.n) {
    for (int64_t y = 0; y < a.out.h; ++y) {
      site.rows = taps_of_row(op.window, y, a.in.h);
      for (int64_t x = 0; x < a.out.w; ++x) {
        site.columns = taps_of_column(op.window, x, a.in.w);
        for (site.out_channel = 0; site.out_channel < a.out.c; ++site.out_channel) visit(site);
      }
    }
  }
}

}  // namespace

std::vector<Bytes> evaluate(const Conv2D& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  if (input.type == DType::kInt16) return convolve_int16(op, context);
  const Tensor& weights = context.input(1);
  const Tensor& output = context.output();
  const int64_t channels = output.shape.back();
  if (const Accumulator* narrow = find_accumulator(context.graph, context.op.outputs[0])) {
    return add_up(
        op, context, *narrow,
        convolution_factors(context.arithmetic(), input, weights, narrow->scale, channels));
  }
  const Operands operands = operands_of(context);
  const std::vector<int32_t> bias = bias_of(context, channels);
  const std::vector<FixedFactor> factors =
      convolution_factors(context.arithmetic(), input, weights, scale_of(output), channels);
  const ActivationRange range = activation_range(op.activation, output);
  const int32_t zero_point = zero_point_of(output);

  std::vector<int8_t> result;
  result.reserve(static_cast<size_t>(elements(output.shape)));
  each_site(op, operands, [&](const Site& site) {
    const auto channel = static_cast<size_t>(site.out_channel);
    const uint32_t sum = dot(operands, site, 0, operands.weights_shape.c);
    result.push_back(requantise(static_cast<int32_t>(sum + static_cast<uint32_t>(bias[channel])),
                                factors[channel], zero_point, range));
  });
  return {bytes_from(result)};
}

void each_chunk_sums(const Conv2D& op, const OpContext& context, int64_t chunk,
                     const VisitSums& visit) {
  const Operands operands = operands_of(context);
  const int64_t channels = operands.in.c;
  check(channels == operands.weights_shape.c, "sums of groups have no chunks");
  const std::vector<int32_t> bias = bias_of(context, operands.out.c);
  std::vector<int32_t> sums;
  each_site(op, operands, [&](const Site& site) {
    const auto channel = static_cast<size_t>(site.out_channel);
    sums.clear();
    for (int64_t begin = 0; begin < channels; begin += chunk) {
      const uint32_t sum = dot(operands, site, begin, std::min(begin + chunk, channels));
      sums.push_back(wrapping_add(static_cast<int32_t>(sum), begin == 0 ? bias[channel] : 0));
    }
    visit(channel, sums);
  });
}

RealValues real_of(const Conv2D& op, const RealContext& c) {
  return clamped(op.activation, real_conv(op.window, product_of(c)));
}

ValueRanges bounds_of(const Conv2D& op, const BoundsContext& c) {
  if (!is_plain(c)) return within_activation(c, op.activation);
  const std::vector<int8_t> weights = elements_from<int8_t>(*c.input(1).data);
  const int32_t weight_zero_point = weight_zero_point_of(c.input(1));
  const Products x(c.input_bounds(0), zero_point_of(c.input(0)));
  TapSums sums{op.window, Image(c.input(0).shape), Image(c.output().shape), {}};
  const auto per_group = static_cast<size_t>(c.input(1).shape.at(3));
  const auto channels = static_cast<size_t>(sums.out.c);
  const size_t groups = c.input_bounds(0).size() / per_group;
  const size_t taps = weights.size() / per_group / channels;
  for (size_t o = 0; o < channels; ++o) {
    const size_t first = o / (channels / groups) * per_group;
    for (size_t tap = 0; tap < taps; ++tap)
      sums.taps.push_back(
          x.sum(&weights[(o * taps + tap) * per_group], weight_zero_point, first, per_group));
  }
  return requantised_channels(c, sums.over_positions(), convolution_factors_of(c), op.activation);
}

}  // namespace thimble::reference
