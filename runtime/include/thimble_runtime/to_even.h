// SPDX-License-Identifier: Apache-2.0
// Kernels of ONNX Runtime's arithmetic (kernels.h): the numbers that int8 stands for are computed
// in float32, each operation rounded once, then go to the nearest whole number, ties to even. Those
// of convolutions are in conv_2d.h and depthwise.h.
#pragma once

#include "thimble_runtime/parameters.h"
#include "thimble_runtime/view.h"

namespace thimble::runtime {

/// A mean of the numbers that int8 stands for, (q - zero_point) * scale, summed by rows; then the
/// nearest int8, ties to even.
struct NumberPoolParams {
  Window2D window;
  float scale, output_scale;
  int32_t zero_point, output_zero_point;
  int32_t clamp_min, clamp_max;
};
/// As average_pool_2d. progress: pixel.
void average_pool_2d_to_even(const NumberPoolParams& p, const View& x, const View& out,
                             const Region& region) noexcept;

/// Sums in float32 as ONNX Runtime has them: a * scale[0] + (b * scale[1] + constant), each product
/// and sum rounded once, then to the nearest whole number, ties to even. Zero points are in the
/// constant.
struct AddToEvenParams {
  float scale[2], constant;
  int32_t clamp_min, clamp_max;
};
/// As add. progress: element.
void add_to_even(const AddToEvenParams& p, const View& a, const View& b, const View& out,
                 const Region& region) noexcept;
/// The product of both less their zero points, times the scale, plus the zero point, rounded after
/// each; then to the nearest whole number, ties to even.
struct MulToEvenParams {
  int32_t zero_point[2];
  float scale, output_zero_point;
  int32_t clamp_min, clamp_max;
};
/// As mul. progress: element.
void mul_to_even(const MulToEvenParams& p, const View& a, const View& b, const View& out,
                 const Region& region) noexcept;

/// progress: element.
void quantize_f32_i8_to_even(const FloatParams& p, const View& x, const View& out,
                             const Region& region) noexcept;

}  // namespace thimble::runtime
