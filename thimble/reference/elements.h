// SPDX-License-Identifier: Apache-2.0
// Typed elements of raw bytes, and where the elements of a tensor lie under other strides.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "thimble/model/graph.h"

namespace thimble::reference {

static_assert(std::endian::native == std::endian::little, "tensors are little-endian bytes");

template <class T>
[[nodiscard]] std::vector<T> elements_from(const Bytes& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
  return result;
}

template <class T>
[[nodiscard]] Bytes bytes_from(const std::vector<T>& values) {
  Bytes result(values.size() * sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), values.data(), result.size());
  return result;
}

/// Elements of an int8, uint8, int16, int32 or bool (0 and 1) tensor.
[[nodiscard]] std::vector<int32_t> integers_from(const Bytes& bytes, DType type);
/// Bytes of such a tensor from its elements; values are in the range of the type.
[[nodiscard]] Bytes bytes_from_integers(const std::vector<int32_t>& values, DType type);

struct IntegerRange {
  int64_t min = 0, max = 0;
};
[[nodiscard]] IntegerRange range_of(DType type);

using Strides = std::vector<int64_t>;

[[nodiscard]] Strides row_major_strides(const Shape& shape);
/// Strides in `from` per axis of `to`: axes are aligned at the last one, repeated ones have stride
/// 0.
[[nodiscard]] Strides broadcast_strides(const Shape& from, const Shape& to);

/// The offset of each element of `shape`, in row-major order: sum of index * stride.
/// shape 2x3, strides {1, 2} -> 0 2 4 1 3 5.
[[nodiscard]] std::vector<int64_t> offsets(const Shape& shape, const Strides& strides);

/// Output axis i is input axis permutation[i].
[[nodiscard]] Bytes permute(const Bytes& bytes, const Shape& shape, int64_t element_bytes,
                            const std::vector<int>& permutation);

}  // namespace thimble::reference
