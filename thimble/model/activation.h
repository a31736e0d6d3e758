// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace thimble {

/// A clamp on real values. All but RELU_0_TO_1 may be fused at the output of an operator.
enum class Activation : uint8_t { kNone, kRelu, kReluN1To1, kRelu6, kRelu0To1 };

}  // namespace thimble
