// SPDX-License-Identifier: Apache-2.0
// How a kernel finds the elements of a tensor in memory, and which of them it is to compute.
//
// Kernels work in the coordinates of the whole tensor, always four axes (n, y, x, c), whatever
// piece of it the memory holds: a whole tensor, a slice of channels, a ring of rows, a patch. So a
// piece needs no padding of its own: a window tap is padding exactly if it lies outside the tensor.
//
// Element (n, y, x, c) is number
//     (n * stride[0] + y * stride[1] + x * stride[2] - bias) + c * stride[3]
// of the elements at data; bias is the number of the first element held. In a ring it is
//     (n * stride[0] + y * stride[1] + x * stride[2] - bias) mod modulus + c * stride[3] - channel
// a ring of R rows of a W x C image has modulus R * W * C, a ring of M pixels M * C; channel is the
// number of the first channel held. Channels of one pixel never wrap.
#pragma once

#include <stdint.h>

namespace thimble::runtime {

struct View {
  void* data;
  int32_t bias;
  int32_t modulus;    ///< elements; 0: no ring. What it is taken of is never negative
  int32_t channel;    ///< elements; 0 without a ring
  int32_t stride[4];  ///< elements; 0: broadcast
};

/// Elements [begin, end) on each axis (n, y, x, c), in the tensor's coordinates; begin <= end. It
/// is empty if begin == end on any axis: then a kernel touches no operand, whatever their data.
struct Region {
  int32_t begin[4];
  int32_t end[4];
};

/// First of the channels at (n, y, x): channel c follows at c * stride[3].
template <class T>
inline T* pixel(const View& view, int32_t n, int32_t y, int32_t x) noexcept {
  int32_t i = n * view.stride[0] + y * view.stride[1] + x * view.stride[2] - view.bias;
  if (view.modulus != 0) i = i % view.modulus - view.channel;
  return static_cast<T*>(view.data) + i;
}

}  // namespace thimble::runtime
