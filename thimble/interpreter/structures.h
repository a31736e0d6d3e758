// SPDX-License-Identifier: Apache-2.0
// What TensorFlow Lite Micro keeps in its arena beside tensors, for good: a structure per tensor
// and per operator, and two numbers of 32 bits for each channel of a convolution. An estimate,
// fitted to the persistent part of eight models' arenas, measured with CMSIS-NN on a Cortex-M4 (1.8
// to 150 kB); it is within 4 % of each.
#pragma once

#include <cstdint>

namespace thimble {

constexpr int64_t kInterpreterBytes = 100, kInterpreterBytesPerTensor = 12;

/// weighted: convolutions and matrix products. channels: of convolutions' outputs, else 0.
[[nodiscard]] constexpr int64_t interpreter_operator_bytes(bool weighted, int64_t channels) {
  return (weighted ? 136 : 83) + 8 * channels;
}

}  // namespace thimble
