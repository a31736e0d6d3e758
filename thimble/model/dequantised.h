// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thimble/model/graph.h"

namespace thimble {

/// scale * (q - zero point) of an int8 or int16 constant, by its quantisation, in float32.
[[nodiscard]] Tensor dequantised(const Tensor& constant);

}  // namespace thimble
