// SPDX-License-Identifier: Apache-2.0
// What is done to every line of a value along one axis.
#pragma once

#include <vector>

#include "thimble/import/onnx/reading.h"

namespace thimble::onnx {

/// The indices of an axis at these positions, in this order. Positions are those of the axis.
[[nodiscard]] Value taken(const Reading& r, const Value& x, size_t axis,
                          const std::vector<int64_t>& positions);

/// Each line times a matrix [outputs, indices of the axis], row-major. float32.
[[nodiscard]] Value mixed(const Reading& r, const Value& x, size_t axis,
                          const std::vector<float>& matrix);

}  // namespace thimble::onnx
