// SPDX-License-Identifier: Apache-2.0
// What operators of a .tflite file say beside their operands: schema.fbs as plain values, as far as
// anything asks for them. Text and lists are views into the file.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "thimble/import/tflite/codes.h"

namespace thimble::tfl {

/// CONV_2D, DEPTHWISE_CONV_2D and TRANSPOSE_CONV.
struct ConvolutionOptions {
  Padding padding = Padding::SAME;
  int32_t stride_h = 0, stride_w = 0, dilation_h = 1, dilation_w = 1;
  ActivationFunctionType activation = ActivationFunctionType::NONE;
};

struct PoolOptions {
  Padding padding = Padding::SAME;
  int32_t stride_h = 0, stride_w = 0, filter_h = 0, filter_w = 0;
  ActivationFunctionType activation = ActivationFunctionType::NONE;
};

struct FullyConnectedOptions {
  ActivationFunctionType activation = ActivationFunctionType::NONE;
  FullyConnectedOptionsWeightsFormat weights_format = FullyConnectedOptionsWeightsFormat::DEFAULT;
  bool keep_num_dims = false;
};

struct BatchMatMulOptions {
  bool adj_x = false, adj_y = false;
};

/// ADD, SUB, MUL, DIV and L2_NORMALIZATION.
struct ActivationOptions {
  ActivationFunctionType activation = ActivationFunctionType::NONE;
};

/// CONCATENATION, PACK and UNPACK.
struct AxisOptions {
  int32_t axis = 0;
  ActivationFunctionType activation = ActivationFunctionType::NONE;
};

struct GatherOptions {
  int32_t axis = 0, batch_dims = 0;
};

struct SoftmaxOptions {
  float beta = 0;
};

struct LeakyReluOptions {
  float alpha = 0;
};

struct GeluOptions {
  bool approximate = false;
};

struct CumsumOptions {
  bool exclusive = false, reverse = false;
};

/// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR.
struct ResizeOptions {
  bool align_corners = false, half_pixel_centers = false;
};

struct StridedSliceOptions {
  int32_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
  bool offset = false;  ///< ends count from begins
};

/// SPLIT and SPLIT_V.
struct SplitOptions {
  int32_t num_splits = 0;
};

/// DEPTH_TO_SPACE and SPACE_TO_DEPTH.
struct BlockOptions {
  int32_t block_size = 0;
};

struct MirrorPadOptions {
  MirrorPadMode mode = MirrorPadMode::REFLECT;
};

/// MEAN, SUM and REDUCE_...
struct ReducerOptions {
  bool keep_dims = false;
};

struct ReshapeOptions {
  bool has_shape = false;
  std::span<const int32_t> new_shape;
};

struct SqueezeOptions {
  std::span<const int32_t> squeeze_dims;
};

struct SvdfOptions {
  int32_t rank = 0;
  ActivationFunctionType activation = ActivationFunctionType::NONE;
};

struct LstmOptions {
  ActivationFunctionType activation = ActivationFunctionType::NONE;
  float cell_clip = 0;
  bool time_major = false, diagonal_recurrent_tensors = false;
};

struct VarHandleOptions {
  std::string_view container, shared_name;
};

struct CallOnceOptions {
  int32_t init_subgraph_index = 0;
};

/// Nothing where an operator has none, or those of another operator.
using OperatorOptions =
    std::variant<std::monostate, ConvolutionOptions, PoolOptions, FullyConnectedOptions,
                 BatchMatMulOptions, ActivationOptions, AxisOptions, GatherOptions, SoftmaxOptions,
                 LeakyReluOptions, GeluOptions, CumsumOptions, ResizeOptions, StridedSliceOptions,
                 SplitOptions, BlockOptions, MirrorPadOptions, ReducerOptions, ReshapeOptions,
                 SqueezeOptions, SvdfOptions, LstmOptions, VarHandleOptions, CallOnceOptions>;

}  // namespace thimble::tfl
