// SPDX-License-Identifier: Apache-2.0
// TensorFlow's padding SAME.
#pragma once

#include "thimble/model/attributes.h"

namespace thimble {

/// ceil(extent / stride) outputs; the odd element of padding comes behind. Only kernel, stride and
/// dilation of the window count.
[[nodiscard]] Padding same_padding(const Window& window, int64_t height, int64_t width);

}  // namespace thimble
