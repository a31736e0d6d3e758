// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "thimble/model/attributes.h"

namespace thimble::onnx {

/// Whether an operator moves elements of its first input, or of all that it joins, and computes
/// nothing: integers that stand for numbers are moved as these are.
[[nodiscard]] inline bool is_movement(const Attributes& attributes) {
  return std::visit(
      [](const auto& kind) {
        return kIsOneOf<std::remove_cvref_t<decltype(kind)>, Reshape, Transpose, Slice, Concat,
                        MaxPool2D, Pad, Gather, ResizeNearestNeighbor>;
      },
      static_cast<const AnyOperator&>(attributes));
}

}  // namespace thimble::onnx
