// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED: each row of the input, read as [batch, K], times weights [out channel][K].
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

namespace thimble::reference {
namespace {

std::vector<FixedFactor> float_factors(const Tensor& input, const Tensor& weights,
                                       float result_scale, int64_t channels) {
  const std::vector<float>& scales = weights.quantization.scales;
  std::vector<FixedFactor> factors;
  for (size_t o = 0; o < static_cast<size_t>(channels); ++o) {
    const float product = scale_of(input) * scales.at(scales.size() == 1 ? 0 : o);
    factors.push_back(float_factor(product / result_scale));
  }
  return factors;
}

}  // namespace

std::vector<FixedFactor> fully_connected_factors(Arithmetic arithmetic, const Tensor& input,
                                                 const Tensor& weights, float result_scale,
                                                 int64_t channels) {
  if (arithmetic == Arithmetic::kOnnx) return float_factors(input, weights, result_scale, channels);
  if (weights.quantization.per_channel())
    return channel_factors(input, weights, result_scale, channels);
  // With one scale the original forms the product of the scales in float32, unlike a convolution.
  const float product = scale_of(input) * scale_of(weights);
  const FixedFactor factor = to_fixed_factor(double{product} / double{result_scale});
  return std::vector<FixedFactor>(static_cast<size_t>(channels), factor);
}

std::vector<FixedFactor> convolution_factors(Arithmetic arithmetic, const Tensor& input,
                                             const Tensor& weights, float result_scale,
                                             int64_t channels) {
  return arithmetic == Arithmetic::kTflite
             ? channel_factors(input, weights, result_scale, channels)
             : fully_connected_factors(arithmetic, input, weights, result_scale, channels);
}

int32_t weight_zero_point_of(const Tensor& weights) {
  return weights.quantization.per_channel() ? 0 : zero_point_of(weights);
}

namespace {

struct Rows {
  size_t channels, depth;  ///< of the weights
  std::vector<int8_t> x, weights;
  int32_t input_zero_point, weight_zero_point;
};

Rows rows_of(const OpContext& context) {
  const Tensor& weights = context.input(1);
  check(weights.shape.size() == 2, "weights of a fully connected layer have two axes");
  Rows a{.channels = static_cast<size_t>(weights.shape[0]),
         .depth = static_cast<size_t>(weights.shape[1]),
         .x = context.read<int8_t>(0),
         .weights = context.read<int8_t>(1),
         .input_zero_point = zero_point_of(context.input(0)),
         .weight_zero_point = weight_zero_point_of(weights)};
  check(a.depth > 0 && a.x.size() % a.depth == 0,
        "the input of a fully connected layer is rows of K");
  return a;
}

/// The sum of products of row and output channel o, over the input channels [begin, end). It wraps
/// around, as the original's.
uint32_t dot(const Rows& a, size_t row, size_t o, size_t begin, size_t end) {
  uint32_t sum = 0;
  for (size_t k = begin; k < end; ++k) {
    sum += static_cast<uint32_t>((a.x[row * a.depth + k] - a.input_zero_point) *
                                 (a.weights[o * a.depth + k] - a.weight_zero_point));
  }
  return sum;
}

}  // namespace

std::vector<Bytes> evaluate(const FullyConnected& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  if (input.type == DType::kInt16) return convolve_int16(op, context);
  const Tensor& weights = context.input(1);
  const Tensor& output = context.output();
  if (const Accumulator* narrow = find_accumulator(context.graph, context.op.outputs[0])) {
    return add_up(op, context, *narrow,
                  fully_connected_factors(context.arithmetic(), input, weights, narrow->scale,
                                          weights.shape.at(0)));
  }
  const Rows rows = rows_of(context);
  const std::vector<int32_t> bias = bias_of(context, weights.shape[0]);
  const std::vector<FixedFactor> factors = fully_connected_factors(
      context.arithmetic(), input, weights, scale_of(output), weights.shape[0]);
  const ActivationRange range = activation_range(op.activation, output);
  const int32_t zero_point = zero_point_of(output);

  std::vector<int8_t> result;
  for (size_t row = 0; row < rows.x.size() / rows.depth; ++row) {
    for (size_t o = 0; o < rows.channels; ++o) {
      const uint32_t sum = static_cast<uint32_t>(bias[o]) + dot(rows, row, o, 0, rows.depth);
      result.push_back(requantise(static_cast<int32_t>(sum), factors[o], zero_point, range));
    }
  }
  return {bytes_from(result)};
}

void each_chunk_sums(const FullyConnected&, const OpContext& context, int64_t chunk,
                     const VisitSums& visit) {
  const Rows rows = rows_of(context);
  const auto step = static_cast<size_t>(chunk);
  const std::vector<int32_t> bias = bias_of(context, static_cast<int64_t>(rows.channels));
  std::vector<int32_t> sums;
  for (size_t row = 0; row < rows.x.size() / rows.depth; ++row) {
    for (size_t o = 0; o < rows.channels; ++o) {
      sums.clear();
      for (size_t begin = 0; begin < rows.depth; begin += step) {
        const uint32_t sum = dot(rows, row, o, begin, std::min(begin + step, rows.depth));
        sums.push_back(wrapping_add(static_cast<int32_t>(sum), begin == 0 ? bias[o] : 0));
      }
      visit(o, sums);
    }
  }
}

RealValues real_of(const FullyConnected& op, const RealContext& c) {
  return clamped(op.activation, real_fully_connected(product_of(c)));
}

ValueRanges bounds_of(const FullyConnected& op, const BoundsContext& c) {
  const Tensor& weights_tensor = c.input(1);
  const size_t channels = static_cast<size_t>(weights_tensor.shape.at(0));
  if (!is_plain(c) || channels_of(c.output()) != channels)
    return within_activation(c, op.activation);
  const std::vector<int8_t> weights = elements_from<int8_t>(*weights_tensor.data);
  const int32_t weight_zero_point = weight_zero_point_of(weights_tensor);
  const size_t depth = weights.size() / channels;
  const Products x(reshaped(c.input_bounds(0), depth), zero_point_of(c.input(0)));
  std::vector<SumBounds> sums;
  for (size_t o = 0; o < channels; ++o)
    sums.push_back(x.sum(&weights[o * depth], weight_zero_point, 0, depth));
  return requantised_channels(
      c, sums,
      fully_connected_factors(c.op.attributes.arithmetic, c.input(0), weights_tensor,
                              scale_of(c.output()), static_cast<int64_t>(channels)),
      op.activation);
}

}  // namespace thimble::reference
