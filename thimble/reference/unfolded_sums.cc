// SPDX-License-Identifier: Apache-2.0
#include "thimble/reference/unfolded_sums.h"

#include <algorithm>

#include "thimble/model/rounding.h"
#include "thimble/reference/activation_range.h"
#include "thimble/reference/factors.h"
#include "thimble/reference/window.h"

namespace thimble::reference {
namespace {

std::vector<int64_t> wide_bias(const OpContext& context, int64_t channels) {
  if (context.has_input(2) && context.input(2).type == DType::kInt64) {
    return context.read<int64_t>(2);
  }
  const std::vector<int32_t> bias = bias_of(context, channels);
  return {bias.begin(), bias.end()};
}

/// Where the weights of an output channel stand, and which channels of the input they meet.
struct Filter {
  int64_t first_channel, channels;  ///< of the input
  int64_t first, tap_step;          ///< of the weights; those of a tap are neighbours
};

/// filter(o) of output channel o.
template <class FilterOf>
std::vector<int64_t> window_sums(const OpContext& context, const Window& window, FilterOf filter) {
  const Image in(context.input(0).shape), out(context.output().shape);
  const std::vector<int16_t> x = context.read<int16_t>(0);
  const std::vector<int8_t> weights = context.read<int8_t>(1);
  std::vector<int64_t> sums;
  for (int64_t pixel = 0; pixel < out.n * out.h * out.w; ++pixel) {
    const Taps rows = taps_of_row(window, pixel / out.w % out.h, in.h);
    const Taps columns = taps_of_column(window, pixel % out.w, in.w);
    for (int64_t o = 0; o < out.c; ++o) {
      const Filter f = filter(o);
      int64_t sum = 0;
      for (int64_t ky = rows.begin; ky < rows.end; ++ky) {
        for (int64_t kx = columns.begin; kx < columns.end; ++kx) {
          const int64_t from =
              in.pixel(pixel / (out.w * out.h), rows.position(ky), columns.position(kx)) +
              f.first_channel;
          const int64_t w = f.first + (ky * window.kernel_w + kx) * f.tap_step;
          for (int64_t c = 0; c < f.channels; ++c) {
            sum += x[static_cast<size_t>(from + c)] * weights[static_cast<size_t>(w + c)];
          }
        }
      }
      sums.push_back(sum);
    }
  }
  return sums;
}

std::vector<FixedFactor> factors_of(const OpContext& context) {
  const Tensor& output = context.output();
  return channel_factors(context.input(0), context.input(1), scale_of(output), output.shape.back());
}

}  // namespace

std::vector<Bytes> finish_sums(const OpContext& context, Activation activation,
                               std::vector<int64_t> sums, const std::vector<FixedFactor>& factors) {
  const Tensor& output = context.output();
  const size_t channels = factors.size();
  const std::vector<int64_t> bias = wide_bias(context, static_cast<int64_t>(channels));
  const ActivationRange range = activation_range(activation, output);
  const bool once = rounds_once(context.graph, context.op);
  std::vector<int32_t> result;
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t o = i % channels;
    const int64_t sum = sums[i] + bias[o];
    const int32_t scaled =
        once ? multiply_once(sum, factors[o]) : multiply(static_cast<int32_t>(sum), factors[o]);
    result.push_back(std::clamp(wrapping_add(scaled, zero_point_of(output)), range.min, range.max));
  }
  return {bytes_from_integers(result, output.type)};
}

std::vector<Bytes> convolve_int16(const Conv2D& op, const OpContext& context) {
  const int64_t per_group = context.input(1).shape[3];
  const int64_t groups = context.input(0).shape[3] / per_group;
  const int64_t outputs = context.output().shape[3] / groups;
  const int64_t pitch = op.window.kernel_h * op.window.kernel_w * per_group;
  const auto filter = [&](int64_t o) {
    return Filter{o / outputs * per_group, per_group, o * pitch, per_group};
  };
  return finish_sums(context, op.activation, window_sums(context, op.window, filter),
                     factors_of(context));
}

std::vector<Bytes> convolve_int16(const DepthwiseConv2D& op, const OpContext& context) {
  const int64_t channels = context.output().shape[3];
  const auto filter = [&](int64_t o) { return Filter{o / op.multiplier, 1, o, channels}; };
  return finish_sums(context, op.activation, window_sums(context, op.window, filter),
                     factors_of(context));
}

std::vector<Bytes> convolve_int16(const FullyConnected& op, const OpContext& context) {
  const Tensor& weights = context.input(1);
  const std::vector<int16_t> x = context.read<int16_t>(0);
  const std::vector<int8_t> w = context.read<int8_t>(1);
  const auto depth = static_cast<size_t>(weights.shape[1]);
  std::vector<int64_t> sums;
  for (size_t row = 0; row < x.size(); row += depth) {
    for (size_t first = 0; first < w.size(); first += depth) {
      int64_t sum = 0;
      for (size_t k = 0; k < depth; ++k) sum += x[row + k] * w[first + k];
      sums.push_back(sum);
    }
  }
  return finish_sums(context, op.activation, std::move(sums),
                     fully_connected_factors(context.arithmetic(), context.input(0), weights,
                                             scale_of(context.output()), weights.shape[0]));
}

}  // namespace thimble::reference
