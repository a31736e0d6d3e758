// SPDX-License-Identifier: Apache-2.0
// Constants of kernels of float32. Private to what reads parameters back.
#pragma once

#include <cstring>

#include "thimble/program/read_back.h"

namespace thimble {

/// Elements as the model has them, number k at place(k).
template <class Place>
void compare_floats(const ReadBack& r, size_t constant, const Tensor& tensor, const Place& place,
                    Difference& d) {
  const auto count = static_cast<size_t>(elements(tensor.shape));
  // As bits: -0 is another number than 0.
  const auto packed = unpacked<uint32_t>(r, constant, DType::kFloat32, count);
  if (packed.size() != count) {
    d.fail("one of its constants has another type or size");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    uint32_t wanted = 0;
    std::memcpy(&wanted, tensor.data->data() + k * sizeof wanted, sizeof wanted);
    if (packed[place(k)] == wanted) continue;
    d.fail(fmt::format("element {} of its constant {} is wrong", k, constant));
    return;
  }
}

/// Weights of float32 or int8.
template <class Place>
void compare_real_weights(const ReadBack& r, size_t constant, const Tensor& weights,
                          const Place& place, Difference& d) {
  if (weights.type == DType::kFloat32) return compare_floats(r, constant, weights, place, d);
  const auto count = static_cast<size_t>(elements(weights.shape));
  const auto packed = unpacked<uint8_t>(r, constant, DType::kInt8, count);
  if (packed.size() != count) {
    d.fail("one of its constants has another type or size");
    return;
  }
  for (size_t k = 0; k < count; ++k) {
    if (packed[place(k)] == (*weights.data)[k]) continue;
    d.fail(fmt::format("element {} of its constant {} is wrong", k, constant));
    return;
  }
}

}  // namespace thimble
