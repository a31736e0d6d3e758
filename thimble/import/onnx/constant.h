// SPDX-License-Identifier: Apache-2.0
// Values that are known when a model is read: weights, shapes, and all that is computed of these.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "thimble/import/onnx/proto.h"

namespace thimble::onnx {

/// Row-major, little-endian, as a Graph's tensor has it: real types are float32, integers of 4 bits
/// int8 or uint8.
struct Constant {
  DType type = DType::kFloat32;
  Shape shape;
  std::shared_ptr<const Bytes> data;
  /// Scales of numbers that integers stood for, less zero_point: one, or one per channel of an
  /// output. Empty: they are just numbers.
  std::vector<float> scales = {};
  int32_t zero_point = 0;

  [[nodiscard]] int64_t size() const { return elements(shape); }
};

/// The type that a Graph has for one of ONNX; nothing: none.
[[nodiscard]] std::optional<DType> type_of(ElementType type);

/// Whether a file's type has the very elements of a Graph's: not those that are widened to it.
[[nodiscard]] bool holds(ElementType of_file, DType type);

/// What a tensor of a file holds. `folder`: where external data may lie; empty: nowhere. Throws
/// CompileError for sizes that its bytes have not, types without numbers, and files elsewhere.
[[nodiscard]] Constant constant_of(const TensorRecord& tensor, const std::string& folder,
                                   const std::string& where);

[[nodiscard]] Constant constant_of(Shape shape, const std::vector<int64_t>& values,
                                   DType type = DType::kInt64);
[[nodiscard]] Constant constant_of(Shape shape, const std::vector<float>& values);

/// Its elements; reals towards zero.
[[nodiscard]] std::vector<int64_t> wholes(const Constant& constant);
[[nodiscard]] std::vector<float> reals(const Constant& constant);
/// Its numbers in another type, as Cast has them: what does not fit by its low bits.
[[nodiscard]] Constant converted(const Constant& constant, DType type);

}  // namespace thimble::onnx
