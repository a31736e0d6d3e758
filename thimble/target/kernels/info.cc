// SPDX-License-Identifier: Apache-2.0
// The table of kernels.
#include <iterator>

#include "thimble/model/error.h"
#include "thimble/target/kernels/kernel.h"

namespace thimble {
namespace {

constexpr KernelInfo kInfo[] = {
    {"conv_2d", "portable/conv_2d.cc", "Conv2DParams", Progress::kPixel},
    {"conv_2d_accumulate", "portable/conv_2d_accumulate.cc", "Conv2DParams", Progress::kPixel},
    {"conv_2d_accumulate_i16", "portable/conv_2d_accumulate_i16.cc", "Conv2DNarrowParams",
     Progress::kPixel},
    {"conv_2d_accumulate_i8", "portable/conv_2d_accumulate_i8.cc", "Conv2DNarrowParams",
     Progress::kPixel},
    {"conv_2d_finalise", "portable/conv_2d_finalise.cc", "Conv2DParams", Progress::kElement},
    {"fully_connected", "portable/fully_connected.cc", "FullyConnectedParams", Progress::kPixel},
    {"batch_matmul", "portable/batch_matmul.cc", "BatchMatMulParams", Progress::kPixel},
    {"depthwise_conv_2d", "portable/depthwise_conv_2d.cc", "DepthwiseConv2DParams",
     Progress::kPixel},
    {"depthwise_conv_2d_in_place",
     "portable/depthwise_conv_2d_in_place.cc",
     "DepthwiseConv2DParams",
     Progress::kPlane,
     false,
     {false, true, true}},
    {"average_pool_2d", "portable/average_pool_2d.cc", "Pool2DParams", Progress::kPixel},
    {"average_pool_2d_finalise", "portable/average_pool_2d_finalise.cc", "Pool2DParams",
     Progress::kElement},
    {"max_pool_2d", "portable/max_pool_2d.cc", "Pool2DParams", Progress::kPixel},
    {"mean", "portable/mean.cc", "MeanParams", Progress::kNone},
    {"mean_finalise", "portable/mean_finalise.cc", "MeanParams", Progress::kElement},
    {"sum_accumulate", "portable/sum_accumulate.cc", "SumParams", Progress::kNone},
    {"add", "portable/add.cc", "AddParams", Progress::kElement},
    {"mul", "portable/mul.cc", "MulParams", Progress::kElement},
    {"pad", "portable/pad.cc", "PadParams", Progress::kNone},
    {"copy_8", "portable/copy_8.cc", "", Progress::kElement},
    {"copy_16", "portable/copy_16.cc", "", Progress::kElement},
    {"copy_32", "portable/copy_32.cc", "", Progress::kElement},
    {"transpose_in_place_8",
     "portable/transpose_in_place_8.cc",
     "",
     Progress::kWhole,
     false,
     {true, true, true, true}},
    {"rescale_i8_i8", "portable/rescale_i8_i8.cc", "RescaleParams", Progress::kElement},
    {"rescale_i8_u8", "portable/rescale_i8_u8.cc", "RescaleParams", Progress::kElement},
    {"rescale_u8_i8", "portable/rescale_u8_i8.cc", "RescaleParams", Progress::kElement},
    {"rescale_i8_i16", "portable/rescale_i8_i16.cc", "RescaleParams", Progress::kElement},
    {"rescale_i16_i8", "portable/rescale_i16_i8.cc", "RescaleParams", Progress::kElement},
    {"rescale_i32_i8", "portable/rescale_i32_i8.cc", "RescaleParams", Progress::kElement},
    {"rescale_i16_i32", "portable/rescale_i16_i32.cc", "RescaleParams", Progress::kElement},
    {"clamp", "portable/clamp.cc", "ClampParams", Progress::kElement},
    {"lookup_i8", "portable/lookup_i8.cc", "LookupParams", Progress::kElement},
    {"quantize_f32_i8", "portable/quantize_f32_i8.cc", "FloatParams", Progress::kElement},
    {"quantize_f32_i16", "portable/quantize_f32_i16.cc", "FloatParams", Progress::kElement},
    {"dequantize_i8_f32", "portable/dequantize_i8_f32.cc", "FloatParams", Progress::kElement},
    {"dequantize_i16_f32", "portable/dequantize_i16_f32.cc", "FloatParams", Progress::kElement},
    {"softmax_i8_i8",
     "portable/softmax_i8_i8.cc",
     "SoftmaxParams",
     Progress::kNone,
     true,
     {false, false, false, true}},
    {"softmax_i8_i16",
     "portable/softmax_i8_i16.cc",
     "SoftmaxParams",
     Progress::kNone,
     true,
     {false, false, false, true}},
    {"resize_nearest_neighbor", "portable/resize_nearest_neighbor.cc",
     "ResizeNearestNeighborParams", Progress::kPixel},
    {"resize_bilinear", "portable/resize_bilinear.cc", "ResizeBilinearParams", Progress::kPixel},
};
static_assert(std::size(kInfo) == static_cast<size_t>(KernelId::kResizeBilinear) + 1);

}  // namespace

const KernelInfo& info(KernelId kernel) {
  const auto k = static_cast<size_t>(kernel);
  check(k < std::size(kInfo), "info: unknown kernel");
  return kInfo[k];
}

}  // namespace thimble
