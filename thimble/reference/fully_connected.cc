// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED: each row of the input, read as [batch, K], times weights [out channel][K].
#include "thimble/reference/activation_range.h"
#include "thimble/reference/evaluate.h"

namespace thimble::reference {
namespace {

std::vector<FixedFactor> factors_of(const Tensor& input, const Tensor& weights,
                                    const Tensor& output, int64_t channels) {
  if (weights.quantization.per_channel()) return channel_factors(input, weights, output, channels);
  // With one scale the original forms the product of the scales in float32, unlike a convolution.
  const float product = scale_of(input) * scale_of(weights);
  const FixedFactor factor = to_fixed_factor(double{product} / double{scale_of(output)});
  return std::vector<FixedFactor>(static_cast<size_t>(channels), factor);
}

}  // namespace

std::vector<Bytes> evaluate(const FullyConnected& op, const OpContext& context) {
  const Tensor& input = context.input(0);
  const Tensor& weights = context.input(1);
  const Tensor& output = context.output();
  check(weights.shape.size() == 2, "weights of a fully connected layer have two axes");
  const size_t channels = static_cast<size_t>(weights.shape[0]);
  const size_t depth = static_cast<size_t>(weights.shape[1]);
  const std::vector<int8_t> x = context.read<int8_t>(0);
  const std::vector<int8_t> w = context.read<int8_t>(1);
  check(depth > 0 && x.size() % depth == 0, "the input of a fully connected layer is rows of K");
  const std::vector<int32_t> bias = bias_of(context, weights.shape[0]);
  const std::vector<FixedFactor> factors = factors_of(input, weights, output, weights.shape[0]);
  const ActivationRange range = activation_range(op.activation, output);
  const int32_t input_zero_point = zero_point_of(input);
  const int32_t weight_zero_point = weights.quantization.per_channel() ? 0 : zero_point_of(weights);
  const int32_t zero_point = zero_point_of(output);

  std::vector<int8_t> result;
  for (size_t row = 0; row < x.size(); row += depth) {
    for (size_t o = 0; o < channels; ++o) {
      uint32_t sum = static_cast<uint32_t>(bias[o]);  // wraps around, as the original's
      for (size_t k = 0; k < depth; ++k) {
        const int32_t product =
            (x[row + k] - input_zero_point) * (w[o * depth + k] - weight_zero_point);
        sum += static_cast<uint32_t>(product);
      }
      result.push_back(requantise(static_cast<int32_t>(sum), factors[o], zero_point, range));
    }
  }
  return {bytes_from(result)};
}

}  // namespace thimble::reference
