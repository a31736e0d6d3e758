// SPDX-License-Identifier: Apache-2.0
// Operators that multiply and add, in float32, without activation. Private to
// thimble/reference. The sum over the taps is in the order of the weights, on every machine.
#pragma once

#include "thimble/reference/real_of.h"

namespace thimble::reference {

struct RealProduct {
  const Shape& x_shape;
  const RealValues& x;
  const Shape& weights_shape;
  const RealValues& weights;
  const RealValues* bias;  ///< may be null
  const Shape& out_shape;
};

/// The operands x, weights and a bias or none.
[[nodiscard]] RealProduct product_of(const RealContext& context);

[[nodiscard]] RealValues real_conv(const Window& window, const RealProduct& product);
[[nodiscard]] RealValues real_depthwise(const Window& window, int64_t multiplier,
                                        const RealProduct& product);
[[nodiscard]] RealValues real_transpose_conv(const Window& window, const RealProduct& product);
[[nodiscard]] RealValues real_fully_connected(const RealProduct& product);
/// The second operand stands for the weights.
[[nodiscard]] RealValues real_batch_matmul(const BatchMatMul& op, const RealProduct& product);

}  // namespace thimble::reference
