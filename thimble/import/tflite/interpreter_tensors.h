// SPDX-License-Identifier: Apache-2.0
// What TensorFlow Lite Micro's allocator sees of a file: which tensors it places in the arena, how
// long they live, and where an offline plan wants them. (Its micro_allocation_info and
// docs/memory_management.md; tensors whole, nothing in place.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "thimble/import/tflite/file.h"

namespace thimble {

/// Alignment of all that the interpreter places in its arena.
constexpr int64_t kInterpreterAlignment = 16;

/// Scratch of its plain kernels for so many numbers of output: sums of 32 bits, of 64 where a
/// transposed convolution of 16 bits makes them.
[[nodiscard]] constexpr int64_t interpreter_scratch_bytes(bool transposed, int64_t element_bytes,
                                                          int64_t outputs) {
  return outputs * (transposed && element_bytes == 2 ? 8 : 4);
}
[[nodiscard]] constexpr int64_t interpreter_aligned(int64_t bytes) {
  return (bytes + kInterpreterAlignment - 1) / kInterpreterAlignment * kInterpreterAlignment;
}

/// Something in the arena, during operators [begin, end).
struct InterpreterBuffer {
  int tensor = -1;         ///< of the file; -1: scratch of a kernel
  int64_t size_bytes = 0;  ///< a multiple of kInterpreterAlignment
  int64_t begin = 0, end = 0;
};

/// Tensors by their numbers, then scratch: the interpreter's order. Constants, variables (which it
/// keeps elsewhere) and tensors without bytes are left out. Scratch is that of its plain kernels:
/// sums of TRANSPOSE_CONV, MEAN and SUM; faster kernels want more. Throws CompileError for a tensor
/// whose size is not known.
[[nodiscard]] std::vector<InterpreterBuffer> interpreter_buffers(const TfliteFile& file);

/// The metadata "OfflineMemoryAllocation": int32 of version, subgraph, count, and per tensor the
/// offset in the arena, -1 where the interpreter is to place it.
constexpr const char* kOfflinePlanName = "OfflineMemoryAllocation";

/// Offsets per tensor; nothing if the file has none. Throws CompileError for a plan that is
/// malformed: too short, of another version or number of tensors, offsets that are negative or not
/// aligned or above 2^31 - 1, or two tensors in one place at one time.
[[nodiscard]] std::optional<std::vector<int32_t>> offline_offsets(const TfliteFile& file);

}  // namespace thimble
