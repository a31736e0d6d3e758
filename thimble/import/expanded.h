// SPDX-License-Identifier: Apache-2.0
// Constants that files hold in fewer bits than float32, as float32.
#pragma once

#include <span>

#include "thimble/model/graph.h"

namespace thimble {

/// Of two bytes each, IEEE 754 binary16, as bytes of float32.
[[nodiscard]] Bytes from_float16(std::span<const uint8_t> halves);

/// scale * (q - zero point) of an int8 or int16 constant, by its quantisation.
[[nodiscard]] Tensor expanded(const Tensor& constant);

}  // namespace thimble
