// SPDX-License-Identifier: Apache-2.0
// Random calls of kernels from int8 to int8, with what a piece of their output needs of their
// input.
#pragma once

#include <functional>

#include "tests/runtime/tensors.h"
#include "thimble_runtime/kernels.h"

namespace thimble::testing {

struct Case {
  Extents in, out;
  std::function<void(const runtime::View& x, const runtime::View& out, const runtime::Region&)> run;
  std::function<runtime::Region(const runtime::Region& out)> needed;
};

/// A convolution with its constants.
struct Convolution {
  Extents in, out;
  std::vector<int8_t> weights, shifts;
  std::vector<int32_t> bias, multipliers;
  runtime::Window2D window;
  int32_t groups = 1, multiplier = 1;
  int32_t input_zero_point = 0;

  [[nodiscard]] runtime::Conv2DParams conv_2d() const;
  [[nodiscard]] runtime::DepthwiseConv2DParams depthwise() const;
};
Convolution random_convolution(Random& random, int32_t groups);
Convolution random_depthwise(Random& random, int32_t multiplier);
/// Input and output of the same shape.
Convolution random_same_depthwise(Random& random);

/// The box of the input that the windows of a piece reach.
runtime::Region window_region(const runtime::Window2D& window, const runtime::Region& out);

Case conv_2d_case(Random& random);
Case grouped_conv_2d_case(Random& random);
Case depthwise_conv_2d_case(Random& random);
Case multiplied_depthwise_conv_2d_case(Random& random);
Case average_pool_2d_case(Random& random);
Case max_pool_2d_case(Random& random);
Case add_case(Random& random);
Case batch_matmul_case(Random& random);
Case mul_case(Random& random);
Case mean_case(Random& random);
Case pad_case(Random& random);
Case copy_case(Random& random);
Case rescale_case(Random& random);
Case clamp_case(Random& random);
Case lookup_case(Random& random);
Case softmax_case(Random& random);
Case resize_nearest_neighbor_case(Random& random);
Case resize_bilinear_case(Random& random);

}  // namespace thimble::testing
