// SPDX-License-Identifier: Apache-2.0
// Builds the literal network of an operator, tensor by tensor.
#pragma once

#include <cstdint>

#include "thimble/model/graph.h"

namespace thimble::testing {

inline const Shape kCube{2, 3, 4};

class Literal {
 public:
  Literal& int8(const Shape& shape) { return tensor(shape, DType::kInt8, {{0.5F}, {3}, 0}); }
  Literal& float32(const Shape& shape) { return tensor(shape, DType::kFloat32, {}); }
  /// Without a scale.
  Literal& raw(const Shape& shape, DType type) { return tensor(shape, type, {}); }
  Literal& tensor(const Shape& shape, DType type, const Quantization& q);
  /// A constant of ones.
  Literal& constant(const Shape& shape, DType type, const Quantization& q);
  Literal& weights(const Shape& shape) { return constant(shape, DType::kInt8, {{0.01F}, {0}, 0}); }
  Literal& bias(int64_t channels) { return constant({channels}, DType::kInt32, {}); }

  /// The last tensor is the output, those before it are the inputs.
  Graph op(Attributes attributes);

 private:
  Graph graph_;
};

}  // namespace thimble::testing
