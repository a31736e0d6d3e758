// SPDX-License-Identifier: Apache-2.0
// Attributes of builtin operators, from their options, their constant parameters and their shapes.
#pragma once

#include "thimble/import/expansion.h"
#include "thimble/import/tflite/op.h"

namespace thimble {

[[nodiscard]] Attributes conv_2d(const TfliteOp& op);
[[nodiscard]] Attributes depthwise_conv_2d(const TfliteOp& op);
[[nodiscard]] Attributes transpose_conv(const TfliteOp& op);
[[nodiscard]] Attributes fully_connected(const TfliteOp& op);
[[nodiscard]] Attributes batch_matmul(const TfliteOp& op);
[[nodiscard]] Attributes average_pool_2d(const TfliteOp& op);
[[nodiscard]] Attributes max_pool_2d(const TfliteOp& op);
[[nodiscard]] Attributes l2_pool_2d(const TfliteOp& op);
[[nodiscard]] Attributes mean(const TfliteOp& op);
[[nodiscard]] Attributes sum(const TfliteOp& op);
void arg_max(const TfliteOp& op, Expansion& steps);
void arg_min(const TfliteOp& op, Expansion& steps);
[[nodiscard]] Attributes cumsum(const TfliteOp& op);
[[nodiscard]] Attributes l2_normalization(const TfliteOp& op);
[[nodiscard]] Attributes pad(const TfliteOp& op);
[[nodiscard]] Attributes padv2(const TfliteOp& op);
[[nodiscard]] Attributes reshape(const TfliteOp& op);
[[nodiscard]] Attributes transpose(const TfliteOp& op);
[[nodiscard]] Attributes softmax(const TfliteOp& op);
[[nodiscard]] Attributes concatenation(const TfliteOp& op);
[[nodiscard]] Attributes resize_bilinear(const TfliteOp& op);
[[nodiscard]] Attributes resize_nearest_neighbor(const TfliteOp& op);
[[nodiscard]] Attributes leaky_relu(const TfliteOp& op);
[[nodiscard]] Attributes gelu(const TfliteOp& op);

}  // namespace thimble
