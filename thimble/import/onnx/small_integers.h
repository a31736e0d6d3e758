// SPDX-License-Identifier: Apache-2.0
// Integers of 8 and 16 bits that stand for themselves: computed as numbers, which float32 has
// exactly.
#pragma once

#include "thimble/import/onnx/reading.h"

namespace thimble::onnx {

/// int8, uint8 or int16.
[[nodiscard]] bool is_small_integer(DType type);

/// The type that the file has: uint8 that is held as int8, 128 less, too.
[[nodiscard]] DType integer_type(const Reading& r, const Value& value);

/// The integers as numbers.
[[nodiscard]] Value numbers_of(const Reading& r, const Value& integers);
/// Whole numbers as integers; those beyond the type are cut to it.
[[nodiscard]] Value integers_of(const Reading& r, const Value& numbers, DType type);
/// Whole numbers modulo the type's range, as integers wrap around.
[[nodiscard]] Value wrapped(const Reading& r, const Value& numbers, DType type);

}  // namespace thimble::onnx
