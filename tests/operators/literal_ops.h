// SPDX-License-Identifier: Apache-2.0
// One small supported network of one operator for each kind, to read maps from and to break.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "thimble/model/graph.h"

namespace thimble::testing {

/// kind: snake_name(). Operands are tensors 0, 1, ... in order; the output is the last tensor.
///
///   conv_2d            {1,6,6,4} * {6,3,3,4} + {6}, stride 1, padding top 1 -> {1,5,4,6}
///   depthwise_conv_2d  {1,6,6,2} * {1,3,3,6} + {6}, multiplier 3, stride 2 -> {1,2,2,6}
///   fully_connected    {2,3,4} * {5,4} + {5} -> {2,3,5}
///   batch_matmul       {2,3,4} * {5,4}, adjoint y -> {2,3,5}
///   average_pool_2d, max_pool_2d  {1,6,6,3}, window 2, stride 2 -> {1,3,3,3}
///   mean               {1,4,5,3} over axes 1 and 2 -> {1,3}
///   add, mul           {2,3,4} with {4} -> {2,3,4}
///   pad                {2,3}, before {1,0}, after {0,2} -> {3,5}
///   reshape            {2,3,4} -> {6,4}
///   transpose          {2,3,4}, permutation {2,0,1} -> {4,2,3}
///   softmax, logistic, relu, relu6, quantize (int8 -> int8), dequantize  {2,3,4} -> {2,3,4}
///   concatenation      {2,3} and {2,5} along axis 1 -> {2,8}
///   slice              {2,9,4}: index 1, every second from 3, the last two backwards -> {3,2}
///   resize_nearest_neighbor, resize_bilinear (half-pixel centers)  {1,2,3,4} -> {1,4,6,4}
[[nodiscard]] Graph literal_op(const std::string& kind);

/// Gives a tensor another shape; a constant as many bytes, all 1.
void set_shape(Graph& graph, int tensor, const Shape& shape);

/// Makes it a constant of this value everywhere. T: as wide as its elements.
template <class T>
void set_all(Tensor& tensor, T value) {
  Bytes bytes(static_cast<size_t>(tensor.size_bytes()));
  for (size_t i = 0; i < bytes.size(); i += sizeof value) {
    std::memcpy(&bytes[i], &value, sizeof value);
  }
  tensor.data = std::make_shared<const Bytes>(std::move(bytes));
}

/// Makes all tensors float32, and constants 1.
void in_float(Graph& graph);

}  // namespace thimble::testing
