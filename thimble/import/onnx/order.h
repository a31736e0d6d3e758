// SPDX-License-Identifier: Apache-2.0
// The order in which a tensor has the axes of the file's value.
#pragma once

#include <cstddef>
#include <vector>

namespace thimble::onnx {

/// Axis k of the tensor is axis order[k] of the value.
using Order = std::vector<int>;

[[nodiscard]] Order same_order(size_t rank);
/// The channels, axis 1, behind all others.
[[nodiscard]] Order channels_last(size_t rank);

}  // namespace thimble::onnx
