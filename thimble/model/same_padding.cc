// SPDX-License-Identifier: Apache-2.0
#include "thimble/model/same_padding.h"

#include <algorithm>

namespace thimble {
namespace {

/// Elements of padding along one axis, in front and behind.
int64_t total_padding(int64_t extent, int64_t kernel, int64_t stride, int64_t dilation) {
  const int64_t outputs = (extent + stride - 1) / stride;
  const int64_t span = (kernel - 1) * dilation + 1;
  return std::max<int64_t>(0, (outputs - 1) * stride + span - extent);
}

}  // namespace

Padding same_padding(const Window& window, int64_t height, int64_t width) {
  const int64_t high = total_padding(height, window.kernel_h, window.stride_h, window.dilation_h);
  const int64_t wide = total_padding(width, window.kernel_w, window.stride_w, window.dilation_w);
  return {.top = high / 2, .bottom = high - high / 2, .left = wide / 2, .right = wide - wide / 2};
}

}  // namespace thimble
