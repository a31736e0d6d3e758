// SPDX-License-Identifier: Apache-2.0
// Tensors and operators of a .tflite file, as plain values: views into its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "thimble/import/tflite/codes.h"
#include "thimble/import/tflite/options.h"

namespace thimble::tfl {

struct TensorRecord {
  std::string_view name;
  TensorType type = TensorType::FLOAT32;
  std::span<const int32_t> shape, shape_signature;
  bool has_rank = false, is_variable = false, is_sparse = false;
  uint32_t buffer = 0;
  std::span<const float> scales;
  std::span<const uint8_t> zero_points;  ///< int64, of any alignment
  int32_t quantized_dimension = 0;
  bool has_custom_quantization = false;

  [[nodiscard]] size_t zero_point_count() const { return zero_points.size() / sizeof(int64_t); }
  [[nodiscard]] int64_t zero_point(size_t i) const;
};

struct OperatorRecord {
  uint32_t code_index = 0;
  std::optional<BuiltinOperator> code;  ///< nothing: the file has none under this index
  std::string_view custom_name;
  std::span<const int32_t> inputs, outputs;  ///< tensors; -1: an optional input that is absent
  OperatorOptions options;
  std::span<const uint8_t> custom_options;
};

}  // namespace thimble::tfl
