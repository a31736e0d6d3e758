// SPDX-License-Identifier: Apache-2.0
// What is done to every line of a value along one axis.
#pragma once

#include <vector>

#include "thimble/import/onnx/reading.h"
#include "thimble/import/onnx/shapes.h"

namespace thimble::onnx {

/// A reshape: these elements, row-major, in another shape.
[[nodiscard]] Value in_shape(const Value& x, Shape shape);

/// Values one after the other along an axis.
[[nodiscard]] Value joined_along(const Reading& r, const std::vector<Value>& parts, size_t axis);

/// What a reduction takes together, as a row of a tensor [count, length].
struct Lines {
  TensorId tensor;
  int64_t count = 1, length = 1;
};
[[nodiscard]] Lines lines_of(const Reading& r, const Value& x, const Reduction& reduction);

/// The indices of an axis at these positions, in this order. Positions are those of the axis.
[[nodiscard]] Value taken(const Reading& r, const Value& x, size_t axis,
                          const std::vector<int64_t>& positions);

/// Each line times a matrix [outputs, indices of the axis], row-major. float32.
[[nodiscard]] Value mixed(const Reading& r, const Value& x, size_t axis,
                          const std::vector<float>& matrix);

}  // namespace thimble::onnx
