// SPDX-License-Identifier: Apache-2.0
// The largest or smallest of values along axes, and where it stands.
#pragma once

#include "thimble/import/onnx/reading.h"
#include "thimble/import/onnx/shapes.h"

namespace thimble::onnx {

struct Extreme {
  bool least = false;
  bool last = false;  ///< of equal ones the last
};

/// The largest of each. float32 or int8.
[[nodiscard]] Value extreme_of(const Reading& r, const Value& x, const Reduction& reduction,
                               bool least);

/// Its index along an axis, which stays with an extent of 1. int32.
[[nodiscard]] Value index_of_extreme(const Reading& r, const Value& x, size_t axis,
                                     const Extreme& extreme);

}  // namespace thimble::onnx
