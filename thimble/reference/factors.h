// SPDX-License-Identifier: Apache-2.0
// How single operators form their fixed-point factors, for those who check kernels' parameters; see
// also activation_range.h.
#pragma once

#include <vector>

#include "thimble/model/graph.h"
#include "thimble/reference/fixed_point.h"

namespace thimble::reference {

/// Per output channel: input scale * weight scale / result scale; with one weight scale the product
/// is formed in float32, unlike a convolution's. In Arithmetic::kOnnx these are of float32.
[[nodiscard]] std::vector<FixedFactor> fully_connected_factors(Arithmetic arithmetic,
                                                               const Tensor& input,
                                                               const Tensor& weights,
                                                               float result_scale,
                                                               int64_t channels);

/// Factors of a convolution: products of float64, or as of a fully connected layer.
[[nodiscard]] std::vector<FixedFactor> convolution_factors(Arithmetic arithmetic,
                                                           const Tensor& input,
                                                           const Tensor& weights,
                                                           float result_scale, int64_t channels);

/// That of weights with one scale; 0 for those with one per channel.
[[nodiscard]] int32_t weight_zero_point_of(const Tensor& weights);

/// MUL: the scales' product over the output's.
[[nodiscard]] FixedFactor product_factor(Arithmetic arithmetic, const Tensor& a, const Tensor& b,
                                         const Tensor& output);

/// ADD and MUL in Arithmetic::kOnnx: a * scale[0] + (b * scale[1] + constant), each rounded once;
/// (a - its zero point) * (b - its zero point) * scale + zero point.
struct FloatSum {
  float scale[2], constant;
};
[[nodiscard]] FloatSum float_sum(const Tensor& a, const Tensor& b, const Tensor& output);
[[nodiscard]] float float_product(const Tensor& a, const Tensor& b, const Tensor& output);

/// LEAKY_RELU: of inputs at or above the zero point, and below it; formed in float32.
struct LeakyReluFactors {
  FixedFactor positive, negative;
};
[[nodiscard]] LeakyReluFactors leaky_relu_factors(const LeakyRelu& op, const Tensor& input,
                                                  const Tensor& output);

/// PRELU: of inputs at or above the zero point; below it, of their products with alpha.
struct PreluFactors {
  FixedFactor positive, negative;
};
[[nodiscard]] PreluFactors prelu_factors(Arithmetic arithmetic, const Tensor& input,
                                         const Tensor& alpha, const Tensor& output);

/// RSQRT: of 1 / sqrt(x), its denominator formed in float32.
[[nodiscard]] FixedFactor rsqrt_factor(const Tensor& x, const Tensor& out);

/// BATCH_MATMUL: the scales' product over the output's.
[[nodiscard]] FixedFactor matrix_factor(Arithmetic arithmetic, const Tensor& a, const Tensor& b,
                                        const Tensor& output);

/// MEAN, of so many elements each, and SUM, of one: the scale over the output's, and over these.
[[nodiscard]] FixedFactor reduction_factor(Arithmetic arithmetic, const Tensor& input,
                                           const Tensor& output, int64_t count);

/// factor / count. The bits that the division would lose are kept by shifting left first, as
/// far as the shift that remains stays within the 31 bits of a rounding division.
[[nodiscard]] FixedFactor divided(FixedFactor factor, int64_t count);

struct SoftmaxScaling {
  FixedFactor factor;    ///< from a difference of quantised values to Fixed<5>
  int64_t smallest = 0;  ///< differences below have an exponential of zero
};
[[nodiscard]] SoftmaxScaling softmax_scaling(double beta, double input_scale);
/// The exponential of a difference of 0 or less, times 2^31.
[[nodiscard]] int32_t softmax_exponential(int32_t difference, const SoftmaxScaling& scaling);
/// About 1 / factor, to the right: from Fixed<5> to a difference.
[[nodiscard]] FixedFactor inverse_scaling(FixedFactor factor);

}  // namespace thimble::reference
