// SPDX-License-Identifier: Apache-2.0
// Constants that files hold in fewer bits than are computed with.
#pragma once

#include <span>

#include "thimble/model/graph.h"

namespace thimble {

/// Numbers of two bytes each, IEEE 754 binary16, as bytes of float32.
[[nodiscard]] Bytes from_float16(std::span<const uint8_t> halves);

/// The first `count` integers of 4 bits, two to a byte, the lower half first, as int8.
[[nodiscard]] Bytes from_int4(std::span<const uint8_t> pairs, int64_t count);

}  // namespace thimble
