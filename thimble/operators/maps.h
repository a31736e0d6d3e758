// SPDX-License-Identifier: Apache-2.0
// Access maps that several operators share. Private to thimble/operators.
#pragma once

#include "thimble/regions/access_map.h"

namespace thimble {

/// Each element from the element at the same index.
[[nodiscard]] InputMap identity_map(size_t rank);
/// NumPy broadcasting: axes are aligned at the end; an extent of 1 against more is needed
/// everywhere.
[[nodiscard]] InputMap broadcast_map(const Shape& in, const Shape& out);
/// Shape of the result; an extent 0 marks a pair that does not broadcast.
[[nodiscard]] Shape broadcast_shape(const Shape& a, const Shape& b);
/// A vector that follows the output's channels (a bias).
[[nodiscard]] InputMap channel_map(int out_axis);

}  // namespace thimble
