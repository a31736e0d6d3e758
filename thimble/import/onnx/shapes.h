// SPDX-License-Identifier: Apache-2.0
// What nodes say of shapes and parts, in attributes or in constant inputs as their opset has it.
#pragma once

#include <vector>

#include "thimble/import/onnx/constant.h"
#include "thimble/import/onnx/node.h"

namespace thimble::onnx {

/// A parameter that is an attribute in some opsets and an input in others. Throws CompileError for
/// an input that is not constant; nothing: neither is there.
[[nodiscard]] std::optional<std::vector<int64_t>> parameter(
    const Node& node, const char* name, const std::vector<const Constant*>& inputs, size_t input);

/// Reshape, Flatten, Squeeze, Unsqueeze.
[[nodiscard]] Shape new_shape(const Node& node, const Shape& shape,
                              const std::vector<const Constant*>& inputs);

/// Index k along an axis is the input's begin + k * stride.
struct Cut {
  std::vector<int64_t> begin, stride;
  Shape shape;
};
[[nodiscard]] Cut cut_of(const Node& slice, const Shape& shape,
                         const std::vector<const Constant*>& inputs);

struct Parts {
  size_t axis = 0;
  std::vector<int64_t> extents;
};
[[nodiscard]] Parts parts_of(const Node& split, const Shape& shape,
                             const std::vector<const Constant*>& inputs);

/// Output axis k is input axis order[k].
[[nodiscard]] std::vector<int> permutation_of(const Node& transpose, size_t rank);

struct Reduction {
  std::vector<int> axes;  ///< ascending
  Shape shape;            ///< of the output, with or without them
};
[[nodiscard]] Reduction reduction_of(const Node& node, const Shape& shape,
                                     const std::vector<const Constant*>& inputs);

}  // namespace thimble::onnx
