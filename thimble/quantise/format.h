// SPDX-License-Identifier: Apache-2.0
// In which numbers an operator is computed.
#pragma once

#include <cstdint>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble {

enum class Format : uint8_t {
  kFloat32,  ///< as it is
  kInt8,
  kInt4,   ///< weights of 4 bits, all else as kInt8; operators without weights: kInt8
  kInt16,  ///< activations of 16 bits, weights of 8
};

using Formats = std::vector<Format>;  ///< by OpId

/// "float32", "int8", "int4", "int16".
[[nodiscard]] const char* name(Format format);
/// Of what it reads and writes.
[[nodiscard]] DType activation_type(Format format);
/// The largest magnitude of a weight; the smallest is its negative.
[[nodiscard]] int32_t largest_weight(Format format);

}  // namespace thimble
